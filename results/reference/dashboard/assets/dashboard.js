/* What every page needs: data that the script files hand over, words, and the state in the URL. */
"use strict";
document.documentElement.classList.add("js");

const matrix = {
  root: document.documentElement.dataset.root,
  language: "en",
  texts: { en: {}, zh: {} },
  cube: null,
  pages: [],
  /** Run once the page and its data stand. */
  ready(start) { matrix.pages.push(start); },
};
function matrixStrings(texts) { matrix.texts = texts; }
function matrixVerdicts(cube) { matrix.cube = cube; }

/** A text in the chosen language, {0} … replaced. */
matrix.text = (key, ...values) =>
  (matrix.texts[matrix.language][key] ?? key).replace(/\{(\d+)\}/g, (_, position) => values[position] ?? "");

/** An element with attributes and children; strings become text, never markup. */
matrix.element = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
};

/** An element whose text follows the language. */
matrix.word = (key, ...values) =>
  matrix.element("span", { "data-t": key, "data-v": values.length ? JSON.stringify(values.map(String)) : null }, matrix.text(key, ...values));

/** Filters and the chosen cell live behind the hash: #torch-1.8.0/opset-11/shim?route=shim,custom&fold=1 */
matrix.state = {
  anchor: "",
  filters: new URLSearchParams(),
  read() {
    let hash = location.hash.slice(1);
    try { hash = decodeURIComponent(hash.split("?")[0]) + (hash.includes("?") ? hash.slice(hash.indexOf("?")) : ""); } catch { /* as it stands */ }
    const [anchor, ...rest] = hash.split("?");
    this.anchor = anchor;
    this.filters = new URLSearchParams(rest.join("?"));
  },
  hash(anchor = this.anchor) {
    const filters = this.filters.toString().replaceAll("%2C", ",");
    return "#" + anchor + (filters ? "?" + filters : "");
  },
  write() { history.replaceState(null, "", this.hash()); },
  get(name) { return this.filters.get(name) ?? ""; },
  set(name, value) {
    if (value) this.filters.set(name, value);
    else this.filters.delete(name);
  },
};
matrix.state.read();

document.addEventListener("DOMContentLoaded", () => {
  for (const start of matrix.pages) start();
});

/* English or Chinese, dark or light; both remembered where the browser allows it. */
"use strict";
matrix.remember = (key, value) => { try { localStorage.setItem("matrix." + key, value); } catch { /* not kept */ } };
matrix.recall = (key) => { try { return localStorage.getItem("matrix." + key); } catch { return null; } };

matrix.translate = (within = document) => {
  for (const element of within.querySelectorAll("[data-t]")) {
    element.textContent = matrix.text(element.dataset.t, ...JSON.parse(element.dataset.v ?? "[]"));
  }
  for (const name of ["placeholder", "title", "aria-label"]) {
    for (const element of within.querySelectorAll(`[data-t-${name}]`)) {
      element.setAttribute(name, matrix.text(element.getAttribute(`data-t-${name}`)));
    }
  }
  for (const word of within.querySelectorAll(".r")) word.querySelector("u").textContent = matrix.text("short." + word.dataset.q);
  for (const word of within.querySelectorAll("td .w[data-q]")) word.textContent = matrix.text("short." + word.dataset.q);
};

matrix.ready(() => {
  const html = document.documentElement;
  const theme = matrix.recall("theme");
  if (theme) html.dataset.theme = theme;
  const dark = () => (html.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const switchTheme = document.getElementById("theme");
  switchTheme.setAttribute("aria-pressed", dark());
  switchTheme.addEventListener("click", () => {
    html.dataset.theme = dark() ? "light" : "dark";
    switchTheme.setAttribute("aria-pressed", dark());
    matrix.remember("theme", html.dataset.theme);
  });

  const speak = (language) => {
    matrix.language = language;
    html.lang = language === "zh" ? "zh-Hans" : "en";
    matrix.translate();
  };
  const asked = matrix.state.get("lang") || matrix.recall("language") || (navigator.language.startsWith("zh") ? "zh" : "en");
  if (asked === "zh") speak("zh");
  document.getElementById("language").addEventListener("click", () => {
    speak(matrix.language === "en" ? "zh" : "en");
    matrix.remember("language", matrix.language);
    if (matrix.state.get("lang")) { matrix.state.set("lang", matrix.language); matrix.state.write(); }
  });
});

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

/* The overview: what works for my PyTorch and my opset, by the routes that I can use. */
"use strict";
matrix.ready(() => {
  const table = document.querySelector("table.overview");
  if (!table) return;
  const { cube, state, look, filters, element, word } = matrix;
  const slugs = Object.fromEntries(cube.cases.map(([name, slug]) => [name, slug]));
  const untouched = new Map([...table.querySelectorAll("td")].map((td) => [td, [td.className, td.firstElementChild.innerHTML, td.firstElementChild.getAttribute("href")]]));

  const usable = (rank) => cube.usable.includes(cube.verdicts[rank][0]);

  /** Over all opsets: the route that works at most of them. */
  const widest = (cells, release, routes) => {
    let best = null;
    for (const route of routes) {
      const taken = cube.opsets.map((_, opset) => usable(look.rank(cells, release, opset, route)));
      const count = taken.filter(Boolean).length;
      if (count && (!best || count > best.count)) best = { route, count, taken };
    }
    if (best) return { ...look.label({ rank: 0, route: best.route }), small: look.ranges(best.taken) };
    const tries = cube.opsets.map((_, opset) => look.best(cells, release, opset, routes));
    const first = tries.reduce((a, b) => (b.rank < a.rank ? b : a));
    const label = look.label(first);
    return { ...label, small: label.asRoute ? look.ranges(tries.map((one) => one.rank === first.rank)) : "" };
  };

  const paint = (td, label, href) => {
    td.className = [label.tone, "v-" + label.name, td.classList.contains("here") ? "here" : ""].join(" ").trim();
    const link = td.firstElementChild;
    link.setAttribute("href", href);
    link.replaceChildren(
      element("b", {}, element("i", {}, label.symbol), " ", element("span", { class: "w", "data-q": label.asRoute ? null : label.name }, label.word)),
      element("span", { class: "sr" }, " " + label.name),
      label.small ? element("small", {}, label.small) : "");
  };

  const show = () => {
    const routes = filters.routes();
    const opset = cube.opsets.indexOf(Number(state.get("opset")));
    const chosen = state.get("torch");
    const find = state.get("find").trim().toLowerCase();
    const plain = opset < 0 && !state.get("route");
    const carried = state.get("route") ? "?route=" + state.get("route") : "";
    for (const row of table.querySelectorAll("tr[data-case]")) {
      const cells = cube.cells[row.dataset.case];
      row.hidden = !row.dataset.case.toLowerCase().includes(find);
      if (row.hidden) continue;
      cube.releases.forEach((release, position) => {
        const td = row.cells[position + 1];
        if (plain) {
          const [look, inside, href] = untouched.get(td);
          td.className = look;
          td.firstElementChild.innerHTML = inside;
          td.firstElementChild.setAttribute("href", href);
          return;
        }
        const place = `torch-${release}` + (opset < 0 ? "" : `/opset-${cube.opsets[opset]}`);
        const label = opset < 0 ? widest(cells, position, routes) : look.label(look.best(cells, position, opset, routes));
        paint(td, label, `case/${slugs[row.dataset.case]}.html#${place}${carried}`);
      });
    }
    for (const group of table.tBodies) group.hidden = [...group.rows].every((row) => row.hidden);
    for (const head of table.querySelectorAll("thead [data-torch]")) head.classList.toggle("chosen", head.dataset.torch === chosen);
    matrix.translate(table);
    answer(cube.releases.indexOf(chosen), opset, routes, find, carried);
  };

  /** Both chosen: every case with all its routes, in words. */
  const answer = (release, opset, routes, find, carried) => {
    const section = document.getElementById("answer");
    section.hidden = release < 0 || opset < 0;
    if (section.hidden) return section.replaceChildren();
    const place = `torch-${cube.releases[release]}/opset-${cube.opsets[opset]}`;
    const heading = element("h2", { id: "answer-heading" }, word("overview.answer", cube.releases[release], cube.opsets[opset]));
    const head = element("tr", {}, element("th", { scope: "col" }, word("word.case")), element("th", { scope: "col" }, word("overview.best")),
      routes.map((route) => element("th", { scope: "col" }, cube.routes[route])));
    const lines = cube.cases.filter(([name]) => name.toLowerCase().includes(find)).map(([name, slug]) => {
      const cells = cube.cells[name];
      const best = look.best(cells, release, opset, routes);
      const href = `case/${slug}.html#${place}`;
      return element("tr", {}, element("th", { scope: "row" }, element("a", { href: href + carried }, name)),
        square(best, href + carried, look.label(best).word, "best"),
        routes.map((route) => square({ rank: look.rank(cells, release, opset, route), route }, `${href}/${cube.routes[route]}${carried}`)));
    });
    section.replaceChildren(heading, element("div", { class: "scroll", role: "region", tabindex: "0", "aria-labelledby": "answer-heading" },
      element("table", { class: "answer" }, element("thead", {}, head), element("tbody", {}, lines))),
    element("p", {}, element("a", { href: `torch/${cube.releases[release]}.html` }, word("overview.open_release"))));
  };

  const square = (best, href, text, extra = "") => {
    const label = look.label(best);
    return element("td", { class: `${label.tone} v-${label.name} ${extra}`.trim() }, element("a", { href }, element("b", {}, `${label.symbol} ${text ?? label.name}`)));
  };

  filters.follow(show);
});

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
  /** The record of one cell with what further runtimes said, or null. */
  record(data, release, opset, route) {
    const row = this.index(data).get(`${release},${opset},${route}`);
    if (row === undefined) return null;
    const digest = data.columns.digest?.[row];
    return { ...this.read(data, row), runs: data.values.runs?.[digest] ?? [], kept: data.values.kept?.[digest] ?? 0 };
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
      body = matrix.recordView(matrix.details.record(data, release, opset, route), id, cube.verdicts[look.rank(cells, release, opset, route)][0]);
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
      element("ul", { class: "tabs" }, tabs),
    ];
  },
};
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !document.getElementById("panel")?.hidden) matrix.panel.close();
});
addEventListener("popstate", () => { matrix.state.read(); matrix.panel.show(); });

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
      for (const [runtime, told] of values.runs?.[columns.digest?.[row]] ?? []) judged[runtime] = ranks[told];
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

/* One record in words: where it stopped, what was said, what the file holds, how to do it again. */
"use strict";
matrix.recordView = (record, id, verdict) => {
  const { element, word } = matrix;
  const stages = ["install", "build", "export", "check", "load", "run", "compare"];
  const command = element("div", { class: "command-line" }, element("pre", { class: "command" }, matrix.command(id)), matrix.copyButton(matrix.command(id)));
  const parts = [element("p", {}, word("verdict." + verdict), ".")];
  if (!record) {
    return [...parts, element("p", { class: "note" }, word("detail.not_measured")), element("h2", {}, word("detail.measure")), command];
  }
  const at = stages.indexOf(record.stage);
  parts.push(element("ol", { class: "steps", "aria-label": matrix.text("detail.reached") }, stages.map((stage, position) =>
    element("li", { class: position < at ? "done" : position === at ? "at" : null, "aria-current": position === at ? "step" : null }, stage))));
  if (record.stale) parts.push(element("p", { class: "note" }, word("detail.stale")));
  if (record.error) parts.push(matrix.errorView(record.error));
  if (record.output) parts.push(element("details", { open: true }, element("summary", {}, word("word.output")), element("pre", {}, record.output)));
  parts.push(element("dl", { class: "record" }, matrix.recordFacts(record)));
  parts.push(element("h2", {}, word("detail.reproduce")), command);
  return parts;
};

matrix.errorView = (error) => matrix.element("div", {},
  matrix.element("pre", {}, `${error.type}: ${error.message}`),
  error.hint ? matrix.element("p", {}, matrix.word("detail.hint"), ": ", error.hint) : null);

/** Shell quoting as a POSIX shell needs it. */
matrix.command = (id) => `nox -s matrix -- --cell '${id.replaceAll("'", "'\"'\"'")}' --again`;

matrix.copyButton = (text) => matrix.element("button", {
  type: "button",
  onclick: async (event) => {
    try { await navigator.clipboard.writeText(text); } catch {
      const area = matrix.element("textarea", {}, text);
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    event.target.replaceChildren(matrix.word("word.copied"));
  },
}, matrix.word("word.copy"));

/** Attributes as people write them: mode="linear", align_corners=0. */
matrix.spelled = (value) => (Array.isArray(value) ? JSON.stringify(value) : Object.entries(value).map(([key, one]) => `${key}=${JSON.stringify(one)}`).join(", "));

matrix.number = (value) => (typeof value !== "number" ? String(value) : value !== 0 && Math.abs(value) < 0.001 ? value.toExponential(2) : String(+value.toPrecision(4)));

matrix.recordFacts = (record) => {
  const { element, word, number } = matrix;
  const pairs = (value) => element("ul", {}, Object.entries(value).map(([key, one]) =>
    element("li", {}, element("code", {}, key), " ", typeof one === "object" && one !== null ? matrix.spelled(one) : typeof one === "number" ? number(one) : String(one))));
  const list = (value) => element("ul", {}, value.map((one) => element("li", {}, typeof one === "string" ? one : JSON.stringify(one))));
  const known = [
    ["emitted", record.emitted_opset], ["ir", record.ir_version], ["domains", record.domains, pairs], ["operators", record.operators, pairs],
    ["attributes", record.attributes, pairs], ["functions", record.functions, list], ["nodes", record.nodes],
    ["bytes", record.bytes, (value) => `${value.toLocaleString("en")} B`], ["abs_error", record.max_abs_error, number], ["rel_error", record.max_rel_error, number],
    ["tolerance", record.tolerance, pairs], ["second_size", record.second_size, pairs], ["off_spec", record.off_spec, list], ["checker", record.checker],
  ];
  const line = (label, value) => element("div", {}, element("dt", {}, label), element("dd", {}, value));
  const lines = known.filter(([, value]) => value !== undefined && value !== null)
    .map(([key, value, view]) => line(word("detail." + key), view ? view(value) : String(value)));
  if (record.runtime) lines.push(line(word("word.runtime"), record.runtime));
  const seconds = Object.entries(record).filter(([key]) => key.startsWith("seconds.")).map(([key, value]) => [key.slice(8), value]);
  if (seconds.length) lines.push(line(word("detail.timing"), pairs(Object.fromEntries(seconds))));
  if (record.runs.length) lines.push(line(word("detail.runtimes"), matrix.runsView(record.runs)));
  const age = Math.floor((Date.now() - Date.parse(record.measured_at)) / 864e5);
  lines.push(line(word("word.origin"), word(record.origin === "reference" ? "word.reference" : "word.local")));
  lines.push(line(word("word.machine"), matrix.cube.machines[record.machine] ?? record.machine));
  lines.push(line(word("word.measured_at"), element("span", {}, element("time", {}, record.measured_at), age > 0 ? element("small", {}, " (", word("detail.ago", age), ")") : null)));
  if (record.digest) {
    const file = matrix.cube.models && record.kept ? `${matrix.root}${matrix.cube.models}/${encodeURIComponent(record.digest)}.onnx` : null;
    lines.push(line(word("detail.digest"), [element("code", {}, record.digest), file ? element("a", { href: file, download: `${record.digest}.onnx` }, " ", word("detail.file")) : null].filter(Boolean)));
  }
  lines.push(line(word("detail.fingerprint"), element("code", {}, record.fingerprint)));
  return lines;
};

matrix.runsView = (runs) => {
  const { element } = matrix;
  const tones = Object.fromEntries(matrix.cube.verdicts.map(([name, symbol, tone]) => [name, { symbol, tone }]));
  return element("ul", {}, runs.map(([runtime, verdict, stage, error, placement, problem]) => element("li", {},
    `${runtime} `, element("span", { class: `verdict ${tones[verdict]?.tone} v-${verdict}` }, `${tones[verdict]?.symbol ?? ""} ${verdict}`),
    placement ? ` ${placement}` : "", error !== null && error !== undefined ? ` ${matrix.number(error)}` : "",
    problem ? element("div", { class: "message" }, `${stage}: ${problem.type}: ${problem.message}`) : null)));
};

/* Arrow keys walk over the squares: one stop for the tabulator instead of hundreds. */
"use strict";
matrix.ready(() => {
  const table = document.querySelector("table.squares, table.overview");
  if (!table) return;
  const links = () => [...table.querySelectorAll("td > a")];
  let current = table.querySelector("td > a[aria-current]") ?? links()[0];
  for (const link of links()) link.tabIndex = link === current ? 0 : -1;
  const stop = (link) => {
    current.tabIndex = -1;
    current = link;
    current.tabIndex = 0;
  };
  table.addEventListener("focusin", (event) => {
    const link = event.target.closest("td > a");
    if (link) stop(link);
  });
  const rowOf = (td, step) => {
    const rows = [...table.querySelectorAll("tbody tr")].filter((row) => !row.hidden && !row.parentElement.hidden);
    return rows[rows.indexOf(td.parentElement) + step];
  };
  table.addEventListener("keydown", (event) => {
    const td = event.target.closest("td");
    if (!td || event.ctrlKey || event.altKey || event.metaKey) return;
    const last = td.parentElement.cells.length - 1;
    const target = {
      ArrowLeft: () => td.parentElement.cells[Math.max(td.cellIndex - 1, 1)],
      ArrowRight: () => td.parentElement.cells[Math.min(td.cellIndex + 1, last)],
      ArrowUp: () => rowOf(td, -1)?.cells[td.cellIndex],
      ArrowDown: () => rowOf(td, 1)?.cells[td.cellIndex],
      Home: () => td.parentElement.cells[1],
      End: () => td.parentElement.cells[last],
    }[event.key]?.();
    if (target?.firstElementChild) {
      event.preventDefault();
      target.firstElementChild.focus();
    }
  });
});

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
