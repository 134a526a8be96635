/* What the filters leave, as a file: JSON or CSV. */
"use strict";
matrix.download = {
  save(name, type, text) {
    const address = URL.createObjectURL(new Blob([text], { type }));
    const link = matrix.element("a", { href: address, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  },
  /** Cells of the view: those of one case, or all those of the overview's choice. */
  places() {
    const { cube, state, look, filters } = matrix;
    const routes = filters.routes();
    const table = document.querySelector("table.squares[data-case]");
    const find = state.get("find").trim().toLowerCase();
    const cases = table ? [table.dataset.case] : cube.cases.map(([name]) => name).filter((name) => name.toLowerCase().includes(find));
    const wanted = { torch: state.get("torch"), opset: state.get("opset"), verdict: state.get("verdict") };
    const found = [];
    for (const name of cases) {
      cube.releases.forEach((torch, release) => cube.opsets.forEach((opset, column) => {
        if ((wanted.torch && wanted.torch !== torch) || (wanted.opset && wanted.opset !== String(opset))) return;
        for (const route of routes) {
          const verdict = cube.verdicts[look.rank(cube.cells[name], release, column, route)][0];
          if (verdict === "not-applicable" || (wanted.verdict && wanted.verdict !== verdict)) continue;
          found.push({ cell: `torch-${torch}/opset-${opset}/${cube.routes[route]}/${name}`, torch, opset, route: cube.routes[route], case: name, verdict, at: [release, column, route] });
        }
      }));
    }
    return found;
  },
  /** On the page of a case, everything that is known; on the overview, the verdicts. */
  async lines() {
    const table = document.querySelector("table.squares[data-case]");
    const data = table ? await matrix.details.load(table.dataset.slug) : null;
    const index = data ? matrix.details.index(data) : null;
    return this.places().map(({ at, ...place }) => (data ? { ...place, ...matrix.details.read(data, index.get(at.join())) } : place));
  },
  csv(lines) {
    const columns = [...new Set(lines.flatMap((line) => Object.keys(line)))];
    const quoted = (value) => {
      const text = value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
      const harmless = /^[=+\-@\t\r]/.test(text) && typeof value !== "number" ? "'" + text : text;
      return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
    };
    return [columns, ...lines.map((line) => columns.map((name) => line[name]))].map((row) => row.map(quoted).join(",")).join("\r\n") + "\r\n";
  },
};
matrix.ready(() => {
  for (const button of document.querySelectorAll("[data-download]")) {
    button.addEventListener("click", async () => {
      const kind = button.dataset.download;
      const lines = await matrix.download.lines();
      const text = kind === "csv" ? matrix.download.csv(lines) : JSON.stringify(lines, null, 1) + "\n";
      matrix.download.save(`torch-onnx-matrix.${kind}`, kind === "csv" ? "text/csv" : "application/json", text);
    });
  }
});
