// The turns of a run, in the order in which they happened. Calls of one turn ran
// side by side and stand side by side.

import { h, icon, reveal, words } from "./dom.js";
import { count, ended, number, short, title, tool } from "./say.js";
import { anchor } from "./trajectory.js";

const scissors = "M4 4.5a1.5 1.5 0 1 0 0-.01M4 11.5a1.5 1.5 0 1 0 0-.01M5.3 5.2 13 11.5M5.3 10.8 13 4.5";
const back = "M6 4 3 7l3 3M3 7h6.5a3.5 3.5 0 0 1 0 7H7";

export class Timeline {
  constructor(run, cards) {
    this.run = run;
    this.cards = cards;
    this.turns = new Map(); // by anchor
    this.lists = new Map(); // by rollout
    this.pending = h("p", { class: "pending", role: "status" });
    this.element = h("section", { class: "timeline", "aria-label": "Turns" }, this.pending);
  }

  add(event) {
    if (event === null) return this.wait();
    const number = event.rollout ?? 0;
    if (event.start) this.begin(number);
    const rollout = this.run.rollouts.get(number);
    if (event.action) this.act(rollout, event);
    if (event.prune) this.prune(rollout, event);
    if (event.restore) this.restore(rollout, event);
    if (event.elide) this.elide(rollout, event);
    if (event.observation) this.observe(rollout, event);
    if (event.end && number === 0) this.cards.paintAll();
    this.wait();
  }

  begin(number) {
    const list = h("ol", { class: "turns" });
    this.lists.set(number, list);
    if (number) this.element.insertBefore(h("h2", { class: "over" }, `Rollout ${number}`), this.pending);
    this.element.insertBefore(list, this.pending);
  }

  // wait says what the run is doing now.
  wait() {
    const { state, queued, start, problem } = this.run;
    const waits = state === "queued" || state === "live";
    this.pending.hidden = !waits || !!problem;
    this.pending.textContent = queued > 0 ? `Waiting: ${count(queued, "question")} before this one` : start ? "Deciding what to do next" : "Starting";
  }

  turn(rollout, n) {
    const id = anchor(rollout.number, n);
    if (!this.turns.has(id)) {
      const size = h("button", { type: "button", class: "plain size", "aria-pressed": "false", title: "Show the view that this turn began with", on: { click: () => this.look(rollout.number, n) } });
      const turn = { size, body: h("div", { class: "body" }), lanes: [] };
      turn.element = h("li", { class: "turn", id, tabindex: "-1" },
        h("header", {}, h("a", { class: "number", href: `#${id}`, title: "Link to this turn" }, h("span", {}, "Turn "), String(n)), turn.size), turn.body);
      this.turns.set(id, turn);
      this.lists.get(rollout.number).append(turn.element);
    }
    return this.turns.get(id);
  }

  // look shows what was in the view when a turn began, and after that how all
  // stands now.
  look(rollout, n) {
    const { at } = this.cards;
    this.cards.at = at?.rollout === rollout && at.turn === n ? null : { rollout, turn: n };
    this.cards.paintAll();
    for (const [id, turn] of this.turns) turn.size.setAttribute("aria-pressed", String(!!this.cards.at && id === anchor(rollout, n)));
  }

  act(rollout, event) {
    const turn = this.turn(rollout, event.turn);
    const { reasoning, text, calls, answer, warnings } = event.action;
    turn.size.textContent = `${number(rollout.turn(event.turn).view)} tokens in view`;
    if (reasoning) {
      turn.body.append(h("details", { class: "reasoning", open: reasoning.length < 280 },
        h("summary", {}, "Thinking"), words("p", "text", reasoning)));
    }
    if (text && !answer) turn.body.append(words("p", "said", text));
    turn.lanes = (calls ?? []).map((call, i) => {
      const page = 1 + calls.slice(0, i).filter((c) => c.tool === "search_corpus" && c.tool === call.tool && c.arguments === call.arguments).length;
      return this.lane(call.tool, page > 1 ? `page ${page} of the same` : argument(call.arguments)); // what was shown is not shown again
    });
    if (turn.lanes.length) {
      turn.body.append(h("div", { class: "lanes", "data-calls": turn.lanes.length }, turn.lanes.map((lane) => lane.element)));
    }
    if (answer) {
      const n = answer.selected?.length ?? 0;
      turn.body.append(h("p", { class: "step" }, h("b", {}, "Answered"), n ? ` with ${count(n, "document")}` : " that nothing here supports an answer"));
    }
    for (const warning of warnings ?? []) turn.body.append(words("p", "warning", warning));
  }

  lane(name, about) {
    const results = h("div", { class: "results" }, h("p", { class: "working" }, "…"));
    const element = h("section", { class: "lane", "data-tool": name },
      h("h3", {}, h("span", { class: "tool" }, tool(name)), words("span", "argument", about)), results);
    return { element, results };
  }

  observe(rollout, event) {
    const turn = this.turn(rollout, event.turn);
    const results = Map.groupBy(event.observation.results ?? [], (result) => result.call);
    turn.lanes.forEach((lane, call) => {
      const of = results.get(call) ?? [];
      if (of.length <= 1) return this.fill(rollout, lane, of[0]);
      const lanes = of.map((result) => this.lane(result.tool, result.query ?? "")); // a call that holds several
      of.forEach((result, i) => this.fill(rollout, lanes[i], result));
      lane.element.replaceWith(...lanes.map((l) => l.element));
    });
    if (event.observation.skipped) {
      turn.body.append(h("p", { class: "warning" }, `${count(event.observation.skipped, "call")} beyond what a turn takes`));
    }
    for (const warning of event.observation.warnings ?? []) turn.body.append(words("p", "warning", warning));
  }

  // fill puts a result into its lane.
  fill(rollout, lane, result) {
    const parts = result?.parts ?? [];
    const linked = parts.some((part) => part.chunk?.lead); // links stand on their cards
    lane.results.replaceChildren(...parts.flatMap((part) => {
      if (part.chunk) return this.cards.card(rollout.chunks.get(rollout.name(part.chunk.collection, part.chunk.chunk)), part);
      const text = part.text?.trim();
      return text && (result.code || !linked) ? words("p", result.code ? "failure" : "remark", text) : [];
    }));
    if (!lane.results.childElementCount) lane.results.append(h("p", { class: "remark" }, "Nothing came of it."));
  }

  prune(rollout, event) {
    const chunks = rollout.turn(event.turn).pruned.slice(-event.prune.chunks.length);
    for (const chunk of chunks) this.cards.paint(chunk);
    const turn = this.turn(rollout, event.turn);
    for (const lane of turn.lanes) if (lane.element.dataset.tool === "prune_chunks") lane.element.remove(); // this says it better
    this.step(rollout, event, scissors, "Pruned", `${count(event.prune.chunks.length, "chunk")}, ${number(event.prune.freed)} tokens came free`, "gone", chunks);
  }

  restore(rollout, event) {
    const chunks = rollout.turn(event.turn).restored.slice(-event.restore.chunks.length);
    for (const chunk of chunks) this.cards.paint(chunk);
    this.step(rollout, event, back, "Restored", count(event.restore.chunks.length, "chunk"), "", chunks);
  }

  elide(rollout, event) {
    this.step(rollout, event, scissors, "Left out", `the reasoning of turn ${event.elide.of}, ${number(event.elide.freed)} tokens came free`, "", []);
  }

  // step is something that happened to the view, with the chunks it happened to.
  step(rollout, event, mark, what, rest, className, chunks) {
    const line = [icon(mark), h("b", {}, what), ` ${rest}`];
    const turn = this.turn(rollout, event.turn);
    const element = chunks.length
      ? h("details", { class: "step" }, h("summary", {}, line),
        h("ul", { class: className }, chunks.map((chunk) => h("li", {},
          h("button", { type: "button", class: "plain", on: { click: () => reveal(this.cards.of(chunk)) } }, words("span", "title", title(chunk.hit)))))))
      : h("p", { class: "step" }, line);
    turn.body.insertBefore(element, turn.body.querySelector(":scope > .lanes")); // it comes before what the calls bring
  }
}

// argument is what a call is about: the value that says most, else all as written.
function argument(text) {
  let args;
  try {
    args = JSON.parse(text);
  } catch {
    return text;
  }
  if (args === null || typeof args !== "object") return String(args);
  const main = args.query ?? args.pattern ?? args.doc_id ?? args.question;
  const ids = Array.isArray(args.chunk_ids) ? `${main === undefined ? "" : "from "}${args.chunk_ids.join(", ")}` : "";
  const rest = Object.entries(args).filter(([name, value]) => value !== main && !(name === "chunk_ids" && ids)).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return [main === undefined ? "" : String(main), ids, ...rest].filter(Boolean).join(" · ");
}

// summary is how a run went, in a line.
export function summary(run) {
  const { end, rollouts } = run;
  const list = [...rollouts.values()];
  const turns = end?.turns ?? list.reduce((n, r) => n + r.turns.size, 0);
  const calls = end?.calls ?? list.reduce((n, r) => n + [...r.turns.values()].reduce((m, t) => m + (t.action?.calls?.length ?? 0), 0), 0);
  const pruned = end?.pruned ?? run.seen().filter((chunk) => chunk.pruned).length;
  const out = [["turns", turns], ["calls", calls], ["chunks shown", run.seen().length], ["pruned", pruned]];
  if (end?.peak_view) out.push(["peak view", `${short(end.peak_view)} tokens`]);
  if (end?.confidence != null) out.push(["confidence", end.confidence.toFixed(2)]);
  if (end?.usage?.cost_usd != null) out.push(["cost", `$${end.usage.cost_usd.toFixed(4)}`]);
  if (end) out.push(["ended", ended(end.ended)]);
  return out;
}
