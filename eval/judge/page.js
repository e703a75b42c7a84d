"use strict";
// Shows one document at a time, and sends what the person says of it. Text goes
// in as text, never as markup.
(function () {
  const token = new URLSearchParams(location.search).get("token");
  const by = id => document.getElementById(id);
  const headers = { "X-Token": token };
  let items = [], at = 0, busy = false;

  function open(from) {
    const next = items.findIndex((item, i) => i >= from && !item.verdict);
    return next < 0 ? items.length : next;
  }
  function show() {
    const said = items.filter(i => i.verdict).length;
    by("bar").max = Math.max(1, items.length);
    by("bar").value = said;
    by("place").textContent = said + " of " + items.length + " documents judged";
    by("card").hidden = at >= items.length;
    by("keys").hidden = false;
    if (at >= items.length) {
      by("question").textContent = open(0) < items.length ? "That was the last one. Some are still open." : "All is judged. Thank you.";
      return;
    }
    const item = items[at];
    by("question").textContent = item.question;
    by("title").textContent = item.title;
    const text = by("text");
    text.replaceChildren();
    (item.passages || []).forEach(function (passage, i) {
      if (i) { const gap = document.createElement("p"); gap.className = "gap"; gap.textContent = "…"; text.append(gap); }
      const p = document.createElement("p");
      p.textContent = passage.trim();
      text.append(p);
    });
    for (const b of document.querySelectorAll("[data-verdict]")) b.classList.toggle("said", b.dataset.verdict === item.verdict);
    scrollTo(0, 0);
  }
  async function say(verdict) {
    if (busy || at >= items.length) return;
    busy = true;
    try {
      const r = await fetch("/label", { method: "POST", headers, body: JSON.stringify({ item: at, verdict }) });
      if (!r.ok) throw new Error(await r.text());
      items[at].verdict = verdict;
      at = at + 1 < items.length && items[at + 1].verdict ? open(at + 1) : at + 1;
      show();
    } catch (e) {
      by("place").textContent = "That was not kept: " + e.message;
    } finally {
      busy = false;
    }
  }
  function back() { if (at > 0) { at--; show(); } }
  async function done() {
    await fetch("/done", { method: "POST", headers });
    by("card").hidden = by("keys").hidden = true;
    by("question").textContent = "What you said is kept. You can close this page.";
  }
  for (const b of document.querySelectorAll("[data-verdict]")) b.addEventListener("click", () => say(b.dataset.verdict));
  by("back").addEventListener("click", back);
  by("done").addEventListener("click", done);
  addEventListener("keydown", function (e) {
    if (e.ctrlKey || e.metaKey || e.altKey || e.repeat) return;
    const verdict = { r: "relevant", y: "relevant", n: "not_relevant", u: "unsure", "?": "unsure" }[e.key];
    if (verdict) say(verdict);
    else if (e.key === "b" || e.key === "ArrowLeft") back();
  });
  fetch("/items", { headers }).then(r => r.json()).then(function (all) { items = all; at = open(0); show(); });
})();
