/* Everything known about one square: its routes, and the record of the chosen one. */
"use strict";
matrix.details = {
  loaded: {},
  /** The file with the details of a case, loaded once. */
  load(slug) {
    this.loaded[slug] ??= new Promise((done, failed) => {
      const src = `${matrix.root}data/${slug}.js`;
      document.head.append(matrix.element("script", { src, onload: () => done(this.last), onerror: () => failed(new Error(src)) }));
    });
    return this.loaded[slug];
  },
  /** Rows by the positions of their place: "release,opset,route". */
  index({ columns }) {
    return new Map(columns.release.map((release, row) => [`${release},${columns.opset[row]},${columns.route[row]}`, row]));
  },
  /** The record in one row, without its place; nothing for no row. */
  read({ columns, values }, row) {
    const record = {};
    if (row === undefined) return record;
    for (const [name, column] of Object.entries(columns)) {
      const value = values[name] ? values[name][column[row]] : column[row];
      if (!["release", "opset", "route"].includes(name) && value !== null && value !== undefined) record[name] = value;
    }
    return record;
  },
  /** What further runtimes said of one file: rows of runtime, verdict, stage, … */
  runs: ({ values }, digest) => (values.runs?.[digest] ?? []).map((position) => values.told[position]),
  /** The record of one cell with what further runtimes said, or null. */
  record(data, release, opset, route) {
    const row = this.index(data).get(`${release},${opset},${route}`);
    if (row === undefined) return null;
    const digest = data.columns.digest?.[row];
    return { ...this.read(data, row), runs: this.runs(data, digest), kept: data.values.kept?.[digest] ?? 0 };
  },
};
function matrixDetails(data) { matrix.details.last = data; }

matrix.panel = {
  from: null,
  open(anchor) {
    this.from = document.activeElement;
    matrix.state.anchor = anchor;
    history.pushState(null, "", matrix.state.hash());
    this.show(true);
  },
  close() {
    matrix.state.anchor = "";
    matrix.state.write();
    this.show();
    this.from?.focus?.();
  },
  /** Draw what the URL names: a square, one cell of it, or nothing. */
  async show(focus = false) {
    const panel = document.getElementById("panel");
    const table = document.querySelector("table.squares[data-case]");
    if (!panel || !table) return;
    const { cube, state, look } = matrix;
    const [environment, opsetName, routeName] = state.anchor.split("/");
    const release = cube.releases.indexOf((environment ?? "").replace(/^torch-/, ""));
    const opset = cube.opsets.indexOf(Number((opsetName ?? "").replace(/^opset-/, "")));
    for (const link of table.querySelectorAll("a[aria-current]")) link.removeAttribute("aria-current");
    const row = release >= 0 ? document.getElementById(`torch-${cube.releases[release]}`)?.parentElement : null;
    for (const head of table.querySelectorAll("th.chosen")) head.classList.remove("chosen");
    row?.cells[0].classList.add("chosen");
    panel.hidden = release < 0 || opset < 0;
    if (panel.hidden) { row?.scrollIntoView({ block: "nearest" }); return; }
    const place = `torch-${cube.releases[release]}/opset-${cube.opsets[opset]}`;
    document.getElementById(place)?.setAttribute("aria-current", "true");
    table.querySelector(`thead [data-opset="${cube.opsets[opset]}"]`)?.classList.add("chosen");
    const cells = cube.cells[table.dataset.case];
    const best = look.best(cells, release, opset, matrix.filters.routes());
    const asked = cube.routes.indexOf(routeName);
    const route = asked >= 0 ? asked : Math.max(best.route, 0);
    if (!focus) this.bringIntoSight(place);
    const ticket = (this.ticket = {});
    panel.replaceChildren(...this.head(place, cells, release, opset, route), matrix.word("detail.loading"));
    if (focus) panel.querySelector("h2").focus();
    let body;
    try {
      const data = await matrix.details.load(table.dataset.slug);
      const id = `${place}/${cube.routes[route]}/${table.dataset.case}`;
      await matrix.loadLists();
      const remedy = new matrix.Remedy(data);
      const helps = (runtime) => remedy.sentence(cube.releases[release], cube.opsets[opset], cube.routes[route], runtime);
      body = matrix.recordView(matrix.details.record(data, release, opset, route), id, cube.verdicts[look.rank(cells, release, opset, route)][0], helps);
    } catch (error) {
      body = [matrix.element("p", { class: "note" }, matrix.word("detail.missing", error.message))];
    }
    if (this.ticket === ticket) { panel.lastChild.remove(); panel.append(...body); }
  },
  /** A link to a square shows table and details from their top, and the square within the table. */
  bringIntoSight(place) {
    const area = document.querySelector(".with-panel");
    if (area.getBoundingClientRect().top < 0) area.scrollIntoView({ block: "start" });
    document.getElementById(place)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  },
  adviceLink(release, opset) {
    const name = document.querySelector("table.squares[data-case]").dataset.case;
    return `${matrix.root}advise.html#?${new URLSearchParams({ torch: matrix.cube.releases[release], opset: matrix.cube.opsets[opset], case: name })}`;
  },
  head(place, cells, release, opset, current) {
    const { cube, look, element, state } = matrix;
    const tabs = cube.routes.map((name, route) => {
      const [verdict, symbol, tone] = cube.verdicts[look.rank(cells, release, opset, route)];
      if (verdict === "not-applicable" && route !== current) return null;
      return element("li", {}, element("a", { href: state.hash(`${place}/${name}`), "aria-current": route === current ? "true" : null },
        name, element("span", { class: `verdict ${tone} v-${verdict}` }, `${symbol} ${verdict}`)));
    });
    return [
      element("button", { type: "button", class: "close", "aria-label": matrix.text("word.close"), "data-t-aria-label": "word.close", onclick: () => this.close() }, "×"),
      element("h2", { tabindex: "-1" }, `PyTorch ${cube.releases[release]}, opset ${cube.opsets[opset]}`),
      element("p", {}, element("a", { href: this.adviceLink(release, opset) }, matrix.word("advice.here"))),
      element("ul", { class: "tabs" }, tabs),
    ];
  },
};
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !document.getElementById("panel")?.hidden) matrix.panel.close();
});
addEventListener("popstate", () => { matrix.state.read(); matrix.panel.show(); });
