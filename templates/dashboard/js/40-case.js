/* The squares of one case: which routes count, only differences, newest first, one verdict alone. */
"use strict";
matrix.ready(() => {
  const table = document.querySelector("table.squares[data-case]");
  if (!table) return;
  const { cube, state, look, filters } = matrix;
  const cells = cube.cells[table.dataset.case];
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const marks = (td) => ["here", "stale", "alike"].filter((name) => td.classList.contains(name));

  const paint = (td, release, opset, routes, wanted) => {
    const label = look.label(look.best(cells, release, opset, routes));
    td.className = [label.tone, "v-" + label.name, ...marks(td)].join(" ");
    const [symbol, word] = td.querySelectorAll("b > *");
    symbol.textContent = label.symbol;
    word.textContent = label.word;
    if (label.asRoute) delete word.dataset.q;
    else word.dataset.q = label.name;
    td.querySelector(".sr").textContent = ` ${label.name}.`;
    if (wanted) td.classList.toggle("dim", !routes.some((route) => cube.verdicts[look.rank(cells, release, opset, route)][0] === wanted));
  };

  const show = () => {
    const routes = filters.routes();
    const wanted = state.get("verdict");
    rows.forEach((row, release) => {
      for (let opset = 0; opset < cube.opsets.length; opset += 1) paint(row.cells[opset + 1], release, opset, routes, wanted);
    });
    for (const part of table.querySelectorAll(".r")) part.classList.toggle("no", !routes.includes(Number(part.dataset.r)));
    const order = state.get("newest") ? [...rows].reverse() : rows;
    body.append(...order);
    fold(order, routes);
    matrix.panel.show();
    matrix.slices.show();
  };

  /** Hide a release whose squares are those of the one above. */
  const fold = (order, routes) => {
    const folded = Boolean(state.get("fold"));
    let above = null;
    for (const row of order) {
      const release = rows.indexOf(row);
      const key = cube.opsets.map((_, opset) => routes.map((route) => look.rank(cells, release, opset, route)).join()).join(";");
      row.hidden = folded && key === above;
      above = key;
    }
  };

  table.addEventListener("mouseover", (event) => {
    const td = event.target.closest("td");
    if (!td || td.title) return;
    const parts = [...td.querySelectorAll(".r")].map((part) => `${cube.routes[part.dataset.r]}: ${part.dataset.q}`);
    td.title = parts.join("\n");
  });
  table.addEventListener("click", (event) => {
    const link = event.target.closest("td > a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    matrix.panel.open(link.getAttribute("href").slice(1));
  });
  filters.follow(show);
});
