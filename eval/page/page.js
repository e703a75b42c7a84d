"use strict";
// Opens questions and filters them. All text goes in as text, never as markup.
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const list = document.getElementById("list"), more = document.getElementById("more");
  const find = document.getElementById("find"), show = document.getElementById("show"), shown = document.getElementById("shown");
  const step = 50;
  let rows = [], drawn = 0;

  function make(tag, name, text) {
    const e = document.createElement(tag);
    if (name) e.className = name;
    if (text !== undefined) e.textContent = text;
    return e;
  }
  function series(i) { return "s" + (i % 8); }
  function percent(v) { return v === null ? "–" : String(Math.round(100 * v)); }

  function score(run, i) {
    const e = make("span", "score " + series(i) + (run.score === null ? " none" : ""), run.error ? "✕" : percent(run.score));
    e.title = data.runs[i] + (run.error ? ": " + run.error : run.score === null ? "" : ": " + percent(run.score) + " %");
    return e;
  }

  function named(at, gold, name) {
    const d = data.documents[at];
    const e = make("span", "doc" + (gold.has(at) ? " is-gold" : "") + (name ? " " + name : ""), d.title || d.id);
    e.title = d.id + (d.text ? "\n\n" + d.text : "");
    return e;
  }

  function ranking(run, gold) {
    const ol = make("ol", "ranking");
    for (const r of run.ranking) {
      const li = make("li");
      li.append(named(r.d, gold, run.plain || r.s ? "" : "left"));
      ol.append(li);
    }
    return ol;
  }

  function turns(run, gold) {
    const box = make("div");
    const most = Math.max(1, ...run.turns.map(t => t.view));
    run.turns.forEach(function (t, n) {
      const turn = make("div", "turn");
      turn.append(make("div", "head", "turn " + (n + 1) + " · " + t.view.toLocaleString("en") + " tokens"));
      const meter = make("meter", "meter");
      meter.max = most; meter.value = t.view;
      turn.append(meter);
      if (t.said) turn.append(make("div", "found", t.said));
      for (const c of t.calls || []) {
        const call = make("div", "call");
        call.append(make("span", "tool", c.tool), " ", make("span", "what", c.what || ""));
        if (c.error) call.append(make("div", "failed", c.error));
        if (c.found) {
          const found = make("div", "found");
          c.found.forEach(function (d, i) { found.append(i ? ", " : "", named(d, gold)); });
          call.append(found);
        }
        turn.append(call);
      }
      if (t.pruned) {
        const pruned = make("div", "found", "pruned ");
        t.pruned.forEach(function (d, i) { pruned.append(i ? ", " : "", named(d, gold, "cut")); });
        turn.append(pruned);
      }
      box.append(turn);
    });
    return box;
  }

  function opened(q) {
    const box = make("div"), gold = new Set(q.gold);
    const about = make("p", "gold");
    if (q.unjudged) about.append("Nobody has judged this question yet.");
    else if (!q.gold.length) about.append("There is nothing to find for this question.");
    else {
      about.append("Gold: ");
      q.gold.forEach(function (d, i) { about.append(i ? ", " : "", named(d, gold)); });
    }
    if (q.answer) about.append(" · Answer: ", make("b", "", q.answer));
    const side = make("div", "side");
    q.runs.forEach(function (run, i) {
      const col = make("div", "run " + series(i));
      col.append(make("h3", "", data.runs[i]));
      const facts = [run.ms.toFixed(1) + " ms"];
      if (run.turns) facts.push(run.turns.length + (run.turns.length === 1 ? " turn" : " turns"));
      if (run.ended && run.ended !== "concluded") facts.push(run.ended.replace("_", " "));
      col.append(make("div", "faint", facts.join(" · ")));
      if (run.error) col.append(make("p", "failed", run.error));
      col.append(make("h4", "", run.plain ? "Ranking" : "Answer, then what else was shown"), ranking(run, gold));
      if (run.turns) col.append(make("h4", "", "Turns"), turns(run, gold));
      side.append(col);
    });
    box.append(about, side);
    return box;
  }

  function row(q) {
    const li = make("li"), details = make("details"), summary = make("summary");
    const ask = make("span", "ask", q.question), meta = [q.id];
    if (q.hops) meta.push(q.hops + " hops");
    if (q.type) meta.push(q.type);
    ask.append(make("span", "meta", meta.join(" · ")));
    const scores = make("span", "scores");
    q.runs.forEach(function (r, i) { scores.append(score(r, i)); });
    summary.append(ask, scores);
    details.append(summary);
    details.addEventListener("toggle", function () {
      if (details.open && details.children.length === 1) details.append(opened(q));
    });
    li.append(details);
    return li;
  }

  const keep = {
    all: () => true,
    differ: q => new Set(q.runs.map(r => r.score)).size > 1,
    lost: q => q.runs.some(r => (r.fates || []).some(f => f !== "returned")),
    failed: q => q.runs.some(r => r.error),
  };

  function draw() {
    for (const q of rows.slice(drawn, drawn + step)) list.append(row(q));
    drawn = Math.min(drawn + step, rows.length);
    more.hidden = drawn >= rows.length;
    shown.textContent = rows.length + (rows.length === 1 ? " question" : " questions") + ", " + data.metric + " in %";
  }
  function filter() {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    rows = data.questions.filter(q => keep[show.value](q) && words.every(w => (q.question + " " + q.id).toLowerCase().includes(w)));
    list.replaceChildren();
    drawn = 0;
    draw();
  }
  find.addEventListener("input", filter);
  show.addEventListener("change", filter);
  more.addEventListener("click", draw);
  filter();
})();
