// The list of runs, of this page and of every other process that records them.

import { h, words } from "./dom.js";
import { ago, count } from "./say.js";
import { ask, events, listen, pause } from "./server.js";

export class History {
  constructor() {
    this.entries = new Map(); // run → {entry, element}
    this.list = h("ol", { class: "runs" });
    this.more = h("button", { type: "button", class: "plain", hidden: true, on: { click: () => this.older() } }, "Older runs");
    this.empty = h("p", { class: "quiet" }, "Nothing has been asked yet.");
    this.element = h("section", { class: "history", "aria-label": "Runs" }, h("h2", { class: "over" }, "Runs"), this.empty, this.list, this.more);
    this.current = ""; // the run that is shown
    this.whole = false; // the oldest is here
    this.told = () => {}; // called with each entry
  }

  // follow keeps the list up to date while the page is looked at: a browser has
  // few lines to one server, and a hidden page needs none.
  async follow() {
    for (;;) {
      if (document.hidden) await new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
      const leaving = new AbortController();
      const leave = () => document.hidden && leaving.abort();
      document.addEventListener("visibilitychange", leave);
      try {
        for await (const event of events(await listen("/v1/runs", { signal: leaving.signal }))) {
          if (event.kind === "run") this.put(event.data);
        }
      } catch (problem) {
        if (problem.status === 401) return;
      } finally {
        document.removeEventListener("visibilitychange", leave);
      }
      await pause(1500);
    }
  }

  put(entry) {
    const known = this.entries.get(entry.run);
    const element = this.row(entry);
    if (known) known.element.replaceWith(element);
    else {
      const after = [...this.entries.values()].filter((e) => e.entry.run < entry.run).sort((a, b) => (a.entry.run < b.entry.run ? 1 : -1))[0];
      this.list.insertBefore(element, after?.element ?? null);
    }
    this.entries.set(entry.run, { entry, element });
    this.empty.hidden = true;
    this.told(entry);
    this.more.hidden = this.entries.size < 50 || this.whole;
  }

  row(entry) {
    const facts = [ago(entry.began), entry.policy, entry.state === "ended" ? count(entry.selected, "document") : ""].filter(Boolean).join(" · ");
    return h("li", {}, h("a", { href: `/runs/${encodeURIComponent(entry.run)}`, "data-state": entry.state, "aria-current": entry.run === this.current ? "page" : null },
      words("span", "question", entry.question),
      h("span", { class: "facts" }, entry.state !== "ended" && h("span", { class: "state", "data-state": entry.state }, entry.state === "live" ? "searching" : "cut off"), h("span", {}, facts))));
  }

  // select marks the run that is shown.
  select(id) {
    this.current = id;
    for (const { entry, element } of this.entries.values()) {
      if (entry.run === id) element.firstChild.setAttribute("aria-current", "page");
      else element.firstChild.removeAttribute("aria-current");
    }
  }

  async older() {
    const last = [...this.entries.keys()].sort()[0];
    const page = await ask(`/v1/runs?before=${encodeURIComponent(last)}`);
    this.whole = !page.next;
    for (const entry of page.runs) this.put(entry);
    this.more.hidden = this.whole;
  }
}
