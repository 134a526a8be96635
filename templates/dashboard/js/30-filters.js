/* The form above a table and the URL say the same: a change of one is carried to the other. */
"use strict";
matrix.filters = {
  form: null,
  /** Keep form and URL in step and call show() after every change. */
  follow(show) {
    this.form = document.getElementById("filters");
    const changed = () => { this.toState(); matrix.state.write(); show(); };
    this.form.addEventListener("input", changed);
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("reset", (event) => {
      event.preventDefault();
      matrix.state.filters = new URLSearchParams();
      this.fromState();
      matrix.state.write();
      show();
    });
    addEventListener("hashchange", () => { matrix.state.read(); this.fromState(); show(); });
    this.fromState();
    show();
  },
  toState() {
    const groups = {};
    for (const field of this.form.elements) {
      if (!field.name) continue;
      if (field.name === "route") (groups.route ??= []).push(field);
      else if (field.type === "radio") { if (field.checked) matrix.state.set(field.name, field.defaultChecked ? "" : field.value); }
      else if (field.type === "checkbox") matrix.state.set(field.name, field.checked ? "1" : "");
      else matrix.state.set(field.name, field.value);
    }
    if (groups.route) {
      const chosen = groups.route.filter((box) => box.checked).map((box) => box.value);
      matrix.state.set("route", chosen.length === groups.route.length ? "" : chosen.join(",") || "none");
    }
  },
  fromState() {
    const routes = matrix.state.get("route");
    for (const field of this.form.elements) {
      if (!field.name) continue;
      const value = matrix.state.get(field.name);
      if (field.name === "route") field.checked = !routes || routes.split(",").includes(field.value);
      else if (field.type === "radio") field.checked = value ? field.value === value : field.defaultChecked;
      else if (field.type === "checkbox") field.checked = value === "1";
      else field.value = value;
    }
  },
  /** Positions of the routes that count. */
  routes() {
    const chosen = matrix.state.get("route");
    const positions = matrix.cube.routes.map((_, position) => position);
    return chosen ? positions.filter((position) => chosen.split(",").includes(matrix.cube.routes[position])) : positions;
  },
};

/** Looking things up in the cube of verdicts: one character per cell, ranks from "a" (best). */
matrix.look = {
  rank(cells, release, opset, route) {
    const { opsets, routes } = matrix.cube;
    return cells.charCodeAt((release * opsets.length + opset) * routes.length + route) - 97;
  },
  /** The best of the routes in one square: rank and route. */
  best(cells, release, opset, routes) {
    const notRun = matrix.cube.verdicts.length - 1;
    const absent = matrix.cube.verdicts.findIndex(([name]) => name === "not-applicable");
    let best = { rank: routes.length ? absent : notRun, route: -1 };
    for (const route of routes) {
      const rank = this.rank(cells, release, opset, route);
      if (rank !== absent && (best.route < 0 || rank < best.rank)) best = { rank, route };
    }
    return best;
  },
  /** The words of a square: the route that works, or why none does. */
  label(best) {
    const [name, symbol, plain] = matrix.cube.verdicts[best.rank];
    const substitute = matrix.cube.usable.includes(name) && !matrix.cube.own.includes(matrix.cube.routes[best.route]);
    const tone = substitute ? "substitute" : plain;
    const asRoute = matrix.cube.shownAsRoute.includes(name);
    return { name, symbol, tone, asRoute, word: asRoute ? matrix.cube.routes[best.route] : matrix.text("short." + name) };
  },
  ranges(taken) {
    const parts = [];
    let open = null;
    matrix.cube.opsets.forEach((opset, position) => {
      if (!taken[position]) { open = null; return; }
      if (open) open[1] = opset;
      else parts.push((open = [opset, opset]));
    });
    return parts.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`)).join(", ");
  },
};
