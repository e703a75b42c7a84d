// How full the view was at each turn, against the marks at which the run is
// asked to prune (soft) and made to conclude (hard).

import { h } from "./dom.js";
import { number, short } from "./say.js";
import { anchor } from "./trajectory.js";

export class Budget {
  constructor(run) {
    this.run = run;
    this.now = h("p", { class: "now" });
    this.bars = h("ol", { class: "bars" });
    this.marks = h("div", { class: "marks", "aria-hidden": "true" });
    this.element = h("section", { class: "panel budget", "aria-label": "Budget", hidden: true },
      this.now, h("div", { class: "chart" }, this.marks, this.bars));
  }

  update() {
    const { start, rollouts, end } = this.run;
    if (!start) return;
    this.element.hidden = false;
    const { tokens, soft, hard } = start.budget;
    const share = (n) => `${Math.min(100, (100 * n) / tokens).toFixed(2)}%`;
    const all = [...rollouts.values()];
    const used = Math.max(...all.map((rollout) => rollout.used));
    this.now.replaceChildren(h("b", {}, number(end?.peak_view ?? used)), ` of ${number(tokens)} tokens ${end ? "at the peak" : "in view"}`);
    this.marks.replaceChildren(...[["soft", soft], ["hard", hard]].filter(([, at]) => at).map(([name, at]) => {
      const mark = h("span", { class: name }, `${name} ${short(at)}`);
      mark.style.bottom = share(at);
      return mark;
    }));
    this.bars.replaceChildren(...all.flatMap((rollout) => [...rollout.turns.values()].map((turn) => {
      const bar = h("span", { class: "bar" }), freed = h("span", { class: "freed" });
      bar.style.height = share(turn.view);
      freed.style.height = share(Math.min(turn.freed, turn.view) * (tokens / Math.max(1, turn.view)));
      if (turn.freed) bar.append(freed);
      if (turn.view >= hard) bar.classList.add("hard");
      else if (turn.view >= soft) bar.classList.add("soft");
      const label = `Turn ${turn.number}: ${number(turn.view)} tokens in view${turn.freed ? `, ${number(turn.freed)} freed` : ""}`;
      return h("li", {}, h("a", { href: `#${anchor(rollout.number, turn.number)}`, title: label, "aria-label": label }, bar, h("span", { class: "tick" }, String(turn.number))));
    })));
  }
}
