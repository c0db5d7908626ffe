// The same flow against either server: create, join, act, see it as the other seat, act there. One JSON line of figures.
//
//     node load.mjs parlour|boardgame.io URL MATCHES SECONDS
import http from "node:http";
import { io } from "socket.io-client";

const [which, url, matches, seconds] = [process.argv[2], process.argv[3], +process.argv[4], +process.argv[5]];
const agent = new http.Agent({ keepAlive: true, maxSockets: 1000 });
const { hostname, port } = new URL(url);
const seen = []; // ms from sending an act to the other seat's word of it
let acts = 0, reads = 0, played = 0, until = 0;

function call(method, path, body, token) {
  const text = body === undefined ? "" : JSON.stringify(body);
  const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) };
  if (token) headers.Authorization = `Bearer ${token}`;
  return new Promise((resolve, reject) => {
    const asked = http.request({ agent, hostname, port, method, path, headers }, (answer) => {
      let data = "";
      answer.setEncoding("utf8").on("data", (part) => (data += part)).on("end", () => {
        if (answer.statusCode >= 300) reject(new Error(`${method} ${path}: ${answer.statusCode} ${data}`));
        else resolve(JSON.parse(data));
      });
    });
    asked.on("error", reject).end(text);
  });
}

// What one seat is told: a promise for the next word after the one that was known.
class Ear {
  heard = 0;
  #waiting = [];
  word(number = this.heard + 1) {
    this.heard = number;
    this.#waiting.splice(0).forEach((tell) => tell());
  }
  async after(known) {
    while (this.heard <= known) await new Promise((tell) => this.#waiting.push(tell));
  }
}

const parlour = {
  async begin() {
    const seats = [{ kind: "mine" }, { kind: "open" }];
    const made = await call("POST", "/v1/matches", { game: "valente", seats, options: { first_seat: 0 } });
    const path = `/v1/matches/${made.match.id}`;
    const joined = await call("POST", `${path}/join`, {});
    const tokens = [made.seat_tokens[0].token, joined.token];
    const ears = [new Ear(), new Ear()];
    const streams = await Promise.all(tokens.map((token, seat) => listen(`${path}/events`, token, ears[seat])));
    return { path, tokens, ears, streams, seat: 0, views: [await this.read({ path, tokens }, 0), null] };
  },
  read: ({ path, tokens }, seat) => call("GET", `${path}/observation`, undefined, tokens[seat]),
  async act(match) {
    const { path, tokens, ears, seat } = match;
    const { decision, version } = match.views[seat] ?? (reads++, await this.read(match, seat));
    const legal = decision.legal_actions.filter(({ type }) => type !== "exchange"); // its first steps are nobody's to see
    const action = legal[Math.floor(Math.random() * legal.length)];
    const began = performance.now();
    const body = { decision: decision.id, actions: [{ id: action.id }] };
    const answered = call("POST", `${path}/actions`, body, tokens[seat]);
    const [{ observation }] = await Promise.all([
      answered,
      ears[1 - seat].after(version).then(() => seen.push(performance.now() - began)),
    ]);
    match.views = [null, null];
    match.views[seat] = observation.decision && observation;
    if (!observation.decision) match.seat = 1 - seat;
    return observation.status === "playing";
  },
  end: (match) => match.streams.forEach((stream) => stream.destroy()),
};

function listen(path, token, ear) {
  const headers = { Accept: "text/event-stream", Authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const asked = http.request({ hostname, port, path, headers }, (answer) => {
      answer.setEncoding("utf8").on("error", () => {});
      answer.on("data", (text) => {
        for (const [, version] of text.matchAll(/"version":(\d+)/g)) ear.word(+version);
        resolve(asked);
      });
    });
    asked.on("error", (error) => asked.destroyed || reject(error)).end();
  });
}

const boardgame = {
  async begin() {
    const { matchID } = await call("POST", "/games/duel/create", { numPlayers: 2 });
    const join = (seat) => call("POST", `/games/duel/${matchID}/join`, { playerID: `${seat}`, playerName: `p${seat}` });
    const credentials = [await join(0), await join(1)].map((joined) => joined.playerCredentials);
    const match = { matchID, credentials, seat: 0, ears: [new Ear(), new Ear()], sockets: [], state: null };
    for (const seat of [0, 1]) {
      const socket = io(`${url}/duel`, { transports: ["websocket"], forceNew: true });
      socket.on("update", (_, state) => {
        match.state = state;
        match.ears[seat].word();
      });
      socket.on("sync", (_, info) => {
        match.state = info.state;
        match.ears[seat].word();
      });
      await new Promise((ready) => socket.on("connect", ready));
      match.sockets.push(socket);
      await this.read(match, seat);
    }
    return match;
  },
  read(match, seat) {
    const known = match.ears[seat].heard;
    match.sockets[seat].emit("sync", match.matchID, `${seat}`, match.credentials[seat], 2);
    return match.ears[seat].after(known);
  },
  async act(match) {
    const { ears, seat, sockets, matchID, credentials, state } = match;
    const known = ears.map((ear) => ear.heard);
    const payload = { type: "play", args: [0], playerID: `${seat}`, credentials: credentials[seat] };
    const began = performance.now();
    sockets[seat].emit("update", { type: "MAKE_MOVE", payload }, state._stateID, matchID, `${seat}`);
    await Promise.all([
      ears[seat].after(known[seat]),
      ears[1 - seat].after(known[1 - seat]).then(() => seen.push(performance.now() - began)),
    ]);
    match.seat = 1 - seat;
    return match.state.ctx.gameover === undefined;
  },
  end: (match) => match.sockets.forEach((socket) => socket.close()),
};

const server = which === "parlour" ? parlour : boardgame;

async function play() {
  while (performance.now() < until) {
    const match = await server.begin();
    let goes = true;
    while (goes && performance.now() < until) {
      goes = await server.act(match);
      acts++;
    }
    server.end(match);
    played++;
  }
}

async function read(match) {
  while (performance.now() < until) {
    await server.read(match, 0);
    reads++;
  }
}

function inParallel(work, items) {
  until = performance.now() + 1000 * seconds;
  return Promise.all(items.map(work));
}

await inParallel(play, Array(matches).fill());
const acted = acts, asked = reads;
seen.sort((a, b) => a - b);
reads = 0;
const still = await Promise.all(Array.from({ length: matches }, () => server.begin()));
await inParallel(read, still);
still.forEach((match) => server.end(match));
const at = (share) => seen[Math.min(seen.length - 1, Math.floor(seen.length * share))];
const figures = { acts_per_s: acted / seconds, reads_meanwhile_per_s: asked / seconds, reads_per_s: reads / seconds };
console.log(JSON.stringify({ which, matches, ...figures, matches_begun: played, seen_p50_ms: at(0.5), seen_p99_ms: at(0.99) }));
process.exit(0);
