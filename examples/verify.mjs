// Checks a match's shuffle without any of parlour's code: node verify.mjs replay.json, or the golden vectors.
// Exit status: 0 it fits, 1 it does not, 2 it could not be checked.
// The replay is what GET /v1/matches/{id}/replay answers; the rules of chance are those of the engine's chance.py.

import { createHash, createHmac } from "node:crypto";
import { readFileSync } from "node:fs";

/** The match's seed, from the server's part (hex) and what each seat gave (hex, or null). */
export const matchSeed = (serverSeed, entropies) =>
  createHmac("sha256", Buffer.from(serverSeed, "hex")).update(JSON.stringify(entropies)).digest("hex");

/** The stream of 32-bit words that all chance of a match comes from. */
export class Chance {
  constructor(seed) { this.seed = Buffer.from(seed, "hex"); this.drawn = 0; }

  word() {
    const block = Buffer.alloc(8);
    block.writeBigUInt64BE(BigInt(Math.floor(this.drawn / 8)));
    return createHmac("sha256", this.seed).update(block).digest().readUInt32BE(4 * (this.drawn++ % 8));
  }

  /** A number below n, each equally likely: words from the largest multiple of n on are thrown away. */
  below(n) {
    for (;;) { const word = this.word(); if (word < 2 ** 32 - (2 ** 32 % n)) return word % n; }
  }

  /** Fisher-Yates in place, from the last card to the second. */
  shuffle(cards) {
    for (let i = cards.length - 1; i > 0; i--) { const j = this.below(i + 1); [cards[i], cards[j]] = [cards[j], cards[i]]; }
    return cards;
  }
}

/** What is wrong with a replay's seeds; none if they are what was promised. */
export function faults({ server_seed: own, entropies, seed, commitment, open_seed: open }) {
  if (own === null) {
    return [
      ...(open && commitment === null ? [] : ["the server committed to a seed and does not show it"]),
      ...(entropies.every((given) => given === null) ? [] : ["seats gave entropy, and the seed was given without it"]),
    ];
  }
  const hash = createHash("sha256").update(Buffer.from(own, "hex")).digest("hex");
  return [
    ...(hash === commitment ? [] : ["the server's part of the seed is not the one that it committed to"]),
    ...(matchSeed(own, entropies) === seed ? [] : ["the seed does not follow from the server's part and the entropies"]),
  ];
}

/** Which golden vectors come out otherwise. */
export function differences({ vectors }) {
  return vectors.flatMap((golden) => {
    const [words, below, shuffles] = [0, 0, 0].map(() => new Chance(golden.seed));
    const got = {
      words: golden.words.map(() => words.word()),
      below: golden.below.map(([n]) => [n, below.below(n)]), drawn_after_below: below.drawn,
      shuffles: golden.shuffles.map(({ cards }) =>
        ({ cards, order: shuffles.shuffle([...Array(cards).keys()]), drawn_after: shuffles.drawn })),
    };
    return Object.keys(got).filter((part) => JSON.stringify(got[part]) !== JSON.stringify(golden[part]))
      .map((part) => `${part} of seed ${golden.seed}`);
  });
}

const isText = (value) => typeof value === "string";
const isReplay = (data) => Array.isArray(data?.entropies) && isText(data.seed)
  && [data.server_seed, data.commitment].every((value) => value === null || isText(value));

/** What there is to say of a file's text, and the exit status: 0 it fits, 1 it does not. */
function report(text) {
  const data = JSON.parse(text);
  if (!data?.vectors && !isReplay(data)) throw new Error("neither a replay nor the golden vectors");
  const wrong = data.vectors ? differences(data) : faults(data);
  if (wrong.length) return [1, wrong.map((fault) => `WRONG: ${fault}`).join("\n")];
  return [0, data.vectors
    ? `${data.vectors.length} golden vectors come out the same` : "the seed is the one that was promised"];
}

const file = process.argv[2];
try {
  const [status, text] = report(readFileSync(file ?? 0, "utf8"));
  console.log(text);
  process.exitCode = status;
} catch (error) {
  console.error(`cannot check ${file ?? "standard input"}: ${error.message.replace(/\s+/g, " ")}`);
  process.exitCode = 2;
}
