// Where a question is asked: what, of which collections, and who searches.

import { h, words } from "./dom.js";
import { collectionName } from "./say.js";
import { begin } from "./server.js";
import { Run } from "./trajectory.js";

export class AskView {
  constructor(started) {
    this.started = started; // called with the run
    this.question = h("textarea", { id: "question", name: "question", rows: "2", maxlength: "4000", placeholder: "Which documents answer…", autocomplete: "off",
      on: { keydown: (event) => this.key(event) } });
    this.collections = h("fieldset", { class: "chips", hidden: true });
    this.policy = h("select", { id: "policy", name: "policy" });
    this.rollouts = h("input", { id: "rollouts", type: "number", min: "1", max: "16", value: "1" });
    this.path = h("input", { id: "path", type: "text", placeholder: "docs/**/*.md", autocomplete: "off", spellcheck: "false" });
    this.problem = h("p", { class: "failure", role: "alert", hidden: true });
    this.button = h("button", { type: "submit", class: "primary" }, "Search ", h("kbd", {}, "↵"));
    this.element = h("form", { class: "ask", on: { submit: (event) => this.submit(event) } },
      h("h1", {}, h("label", { for: "question" }, "What are you looking for?")),
      h("div", { class: "box" }, this.question, h("div", { class: "row" },
        h("label", { class: "select", for: "policy" }, h("span", {}, "Policy"), this.policy), this.button)),
      this.problem, this.collections,
      h("details", { class: "more" }, h("summary", {}, "More"),
        h("div", { class: "row" },
          h("label", { for: "path" }, h("span", {}, "Only paths like"), this.path),
          h("label", { for: "rollouts" }, h("span", {}, "Independent runs"), this.rollouts))));
  }

  // offer fills in what the server has.
  offer(server, collections, chosen) {
    this.policy.replaceChildren(...server.policies.map((name) => h("option", { value: name, selected: name === server.policy }, name)));
    const searchable = collections.filter((c) => c.state !== "broken");
    this.collections.hidden = !searchable.length;
    this.collections.replaceChildren(h("legend", {}, "In"), ...searchable.map((c) => h("label", { class: "chip", title: c.description },
      h("input", { type: "checkbox", name: "collection", value: c.collection, checked: chosen ? chosen === c.collection : c.default }), words("span", "", collectionName(c.collection)))));
    if (!collections.length) this.fail("There is nothing to search yet. Try: winnow serve --in FOLDER");
  }

  fail(message) {
    this.problem.textContent = message;
    this.problem.hidden = !message;
  }

  key(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.element.requestSubmit();
  }

  async submit(event) {
    event.preventDefault();
    const question = this.question.value.trim();
    if (!question || this.button.disabled) return this.question.focus();
    const request = { question, policy: this.policy.value };
    const collections = [...this.collections.querySelectorAll("input:checked")].map((input) => input.value);
    if (collections.length) request.collections = collections;
    if (this.path.value.trim()) request.path = this.path.value.trim();
    if (Number(this.rollouts.value) > 1) request.rollouts = Number(this.rollouts.value);
    const run = new Run("", { question, policy: request.policy, collections, began: new Date().toISOString() });
    run.state = "queued";
    this.button.disabled = true;
    this.fail("");
    try {
      await begin(run, request);
      this.question.value = "";
      this.started(run);
    } catch (problem) {
      this.fail(problem.message);
    } finally {
      this.button.disabled = false;
    }
  }
}
