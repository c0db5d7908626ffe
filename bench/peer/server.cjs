// boardgame.io's own server, memory store, one process: two seats with secret hands play a card and draw one in turn.
//
//     node server.cjs PORT
const { Server, Origins } = require("boardgame.io/server");
const { PlayerView } = require("boardgame.io/core");

const duel = {
  name: "duel",
  setup: ({ random }) => {
    const deck = random.Shuffle(Array.from({ length: 60 }, (_, id) => ({ id, name: `Card ${id}`, rank: id % 10 })));
    const players = { 0: { hand: deck.splice(0, 5) }, 1: { hand: deck.splice(0, 5) } };
    return { secret: { deck }, players, discard: [] };
  },
  playerView: PlayerView.STRIP_SECRETS,
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    play: {
      client: false,
      move: ({ G, playerID }, index) => {
        const { hand } = G.players[playerID];
        G.discard.push(...hand.splice(index, 1));
        if (G.secret.deck.length > 0) hand.push(G.secret.deck.pop());
      },
    },
  },
  endIf: ({ G }) => (G.players[0].hand.length + G.players[1].hand.length === 0 ? { draw: true } : undefined),
};

const server = Server({ games: [duel], origins: [Origins.LOCALHOST] });
server.run({ port: { port: Number(process.argv[2]), host: "127.0.0.1" }, callback: () => console.log("ready") });
