// A run: its question, its turns, and beside them what came of it.

import { Budget } from "./budget.js";
import { Cards } from "./card.js";
import { Chain } from "./chain.js";
import { calm, h, words } from "./dom.js";
import { Ranking } from "./ranking.js";
import { collectionName, moment } from "./say.js";
import { summary, Timeline } from "./timeline.js";

export class RunView {
  // Actions are buttons of the place it is shown in.
  constructor(run, reader, actions) {
    this.run = run;
    const read = (hit) => reader.open(hit, run);
    this.cards = new Cards(read);
    this.timeline = new Timeline(run, this.cards);
    this.panels = [new Ranking(run, this.cards, read), new Chain(run, read), new Budget(run)]; // the first two when it has ended
    this.question = words("h1", "", run.about.question);
    this.about = h("p", { class: "about" });
    this.figures = h("dl", { class: "figures" });
    this.problem = h("p", { class: "failure", role: "alert", hidden: true });
    this.element = h("article", { class: "run" },
      h("header", {}, this.about, this.question, this.problem, h("div", { class: "row" }, this.figures, h("div", { class: "actions" }, actions))),
      h("div", { class: "columns" }, h("aside", {}, this.panels.map((panel) => panel.element)), this.timeline.element));
  }

  // show begins to follow the run and returns how to stop.
  show() {
    let behind = false; // figures that are not drawn yet
    let follows = this.run.state !== "ended"; // until somebody looks elsewhere
    const look = () => { follows = atEnd(); };
    const looks = ["wheel", "touchmove", "keydown"];
    for (const kind of looks) addEventListener(kind, look, { passive: true });
    let live = false; // what was there before is told at once
    const draw = () => {
      behind = false;
      this.draw();
    };
    const stop = this.run.follow((event) => {
      this.timeline.add(event);
      if (event && follows && live) this.timeline.pending.scrollIntoView({ block: "nearest", behavior: calm() ? "instant" : "smooth" });
      if (!behind) queueMicrotask(draw);
      behind = true;
    });
    live = true;
    return () => {
      stop();
      for (const kind of looks) removeEventListener(kind, look);
    };
  }

  draw() {
    const { run } = this;
    for (const panel of this.panels) panel.update();
    const { start, about, state, problem } = run;
    this.element.dataset.state = state;
    this.question.textContent = start?.question ?? about.question ?? "";
    const parts = [start?.policy ?? about.policy, start?.model ?? about.model, ...(start?.collections ?? about.collections ?? []).map(collectionName)].filter(Boolean);
    this.about.replaceChildren(
      h("span", { class: "state", "data-state": state }, states[state]),
      ...parts.map((part) => words("span", "", part)), moment(about.began) && h("span", {}, moment(about.began)));
    this.figures.replaceChildren(...(start ? summary(run) : []).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, String(value)))));
    this.problem.hidden = !problem;
    this.problem.textContent = problem ?? "";
  }
}

const states = { queued: "waiting", live: "searching", ended: "finished", cut_off: "cut off" };

const atEnd = () => innerHeight + scrollY > document.body.scrollHeight - 160;
