/* The same case cut another way: PyTorch by runtime, or opset by runtime. Built from the details, when asked for. */
"use strict";
matrix.slices = {
  /** For every judged file: place, runtime, verdict (as rank); files that no runtime saw keep the exporter's verdict. */
  judgements(data) {
    const { columns, values } = data;
    const ranks = Object.fromEntries(matrix.cube.verdicts.map(([name], rank) => [name, rank]));
    return columns.release.map((release, row) => {
      const verdict = values.verdict[columns.verdict[row]];
      const judged = {};
      const own = columns.runtime ? values.runtime[columns.runtime[row]] : undefined;
      if (own !== undefined) judged[own] = ranks[verdict];
      for (const [runtime, told] of matrix.details.runs(data, columns.digest?.[row])) judged[runtime] = ranks[told];
      const file = columns.digest !== undefined && columns.digest[row] >= 0;
      return { release, opset: columns.opset[row], route: columns.route[row], rank: ranks[verdict], file, judged };
    });
  },

  /** The best judgement of one square, or why there is none. */
  square(found, runtime) {
    const judged = found.filter((one) => runtime in one.judged);
    const files = found.filter((one) => one.file);
    const rank = judged.length ? (one) => one.judged[runtime] : (one) => one.rank;
    const candidates = judged.length ? judged : files.length ? [] : found;
    const best = candidates.reduce((a, b) => (a === null || rank(b) < rank(a) ? b : a), null);
    return best ? { rank: rank(best), route: best.route, place: best } : { rank: matrix.cube.verdicts.length - 1, route: -1, place: null };
  },

  async show() {
    const { cube, state, element, filters } = matrix;
    const main = document.querySelector("table.squares[data-case]");
    const slice = document.getElementById("slice");
    if (!slice) return;
    const axes = state.get("axes");
    slice.hidden = !axes;
    main.closest(".scroll").hidden = Boolean(axes);
    for (const choice of document.querySelectorAll("[data-for-axes]")) choice.hidden = choice.dataset.forAxes !== axes;
    if (!axes) return;
    const data = await matrix.details.load(main.dataset.slug);
    const routes = filters.routes();
    const found = this.judgements(data).filter((one) => routes.includes(one.route));
    const byTorch = axes === "torch";
    const [lines, at] = byTorch ? [cube.releases, cube.opsets.indexOf(Number(state.get("at")))] : [cube.opsets, cube.releases.indexOf(state.get("of"))];
    const [key, other] = byTorch ? ["release", "opset"] : ["opset", "release"];
    const rows = lines.map((name, position) => {
      const here = found.filter((one) => one[key] === position && (at < 0 || one[other] === at));
      return element("tr", {}, element("th", { scope: "row" }, name), cube.runtimes.map((runtime) => this.cell(this.square(here, runtime))));
    });
    slice.replaceChildren(element("table", { class: "squares" },
      element("caption", {}, matrix.word(byTorch ? "slice.caption_torch" : "slice.caption_opset", main.dataset.case)),
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, matrix.word(byTorch ? "word.pytorch" : "word.opset")),
        cube.runtimes.map((name) => element("th", { scope: "col" }, element("a", { href: `${matrix.root}runtime/${cube.runtimeFiles[name]}.html` }, name))))),
      element("tbody", {}, rows)));
  },

  cell(best) {
    const { cube, element, look } = matrix;
    const label = look.label(best.route < 0 ? { rank: best.rank, route: 0 } : best);
    const inside = [element("b", {}, element("i", {}, label.symbol), " ", element("span", { class: "w", "data-q": label.asRoute ? null : label.name }, label.word)),
      element("span", { class: "sr" }, ` ${label.name}.`)];
    const place = best.place && `torch-${cube.releases[best.place.release]}/opset-${cube.opsets[best.place.opset]}/${cube.routes[best.route]}`;
    return element("td", { class: `${label.tone} v-${label.name}` }, place ? element("a", { href: matrix.state.hash(place) }, inside) : element("span", { class: "none" }, inside));
  },
};
