// A whole match against house bots, over types that openapi-typescript made from openapi/openapi.json.
//
//     npm install && npm run check && node play.ts http://127.0.0.1:8080 valente 3
//
// Node 22.18 or newer runs this file as it is.

import createClient from "openapi-fetch";
import type { components, paths } from "../../openapi/parlour.d.ts";

type Observation = components["schemas"]["ObservationAnswer"];

const [url = "http://127.0.0.1:8080", game = "valente", seats = "3"] = process.argv.slice(2);
const api = createClient<paths>({ baseUrl: url });

/** A choice by chance: any legal action, by its number. */
function choose(observation: Observation): number {
  const legal = observation.decision?.legal_actions ?? [];
  const chosen = legal[Math.floor(Math.random() * legal.length)];
  if (chosen === undefined) throw new Error("nothing to choose from");
  return chosen.id;
}

const created = await api.POST("/v1/matches", {
  body: {
    game,
    seats: [{ kind: "mine", name: "TypeScript" }, ...Array.from({ length: Number(seats) - 1 }, () => ({ kind: "bot" as const }))],
  },
});
if (created.error) throw new Error(`${created.error.code}: ${created.error.detail}`);
const token = created.data.seat_tokens[0]?.token ?? "";
const match = { params: { path: { match_id: created.data.match.id } }, headers: { Authorization: `Bearer ${token}` } };

let acts = 0;
let seen: Observation | undefined;
while (seen?.status !== "finished") {
  if (seen?.decision) {
    const body = { decision: seen.decision.id, actions: [{ id: choose(seen) }] };
    const acted = await api.POST("/v1/matches/{match_id}/actions", { ...match, body });
    if (acted.data) {
      seen = acted.data.observation;
      acts += 1;
      continue;
    }
    // Somebody else answered for this seat (the clock, a bot): the refusal brings what is true now.
    if (acted.error.code !== "stale_decision" && acted.error.code !== "not_your_turn") {
      throw new Error(`${acted.error.code}: ${acted.error.detail}`);
    }
    seen = acted.error.observation;
    continue;
  }
  const query = seen ? { after: seen.version, wait: 30 } : {};
  const observed = await api.GET("/v1/matches/{match_id}/observation", {
    ...match,
    params: { ...match.params, query },
  });
  if (observed.error) throw new Error(`${observed.error.code}: ${observed.error.detail}`);
  seen = observed.data ?? seen; // nothing came while we waited: 204
}
console.log(`${game}: ${acts} acts. ${seen.outcome?.text}`);
