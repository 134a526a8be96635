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

  /** What a script wrote into a square, so that the same is not written, and laid out, again. */
  const painted = new Map();

  const paint = (td, label, href) => {
    const key = [label.tone, label.name, label.word, label.small].join("|");
    if (painted.get(td) === key) return td.firstElementChild.setAttribute("href", href);
    painted.set(td, key);
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
    let restored = false;
    for (const row of table.querySelectorAll("tr[data-case]")) {
      const cells = cube.cells[row.dataset.case];
      row.hidden = !row.dataset.case.toLowerCase().includes(find);
      if (row.hidden) continue;
      cube.releases.forEach((release, position) => {
        const td = row.cells[position + 1];
        if (plain && !painted.has(td)) return;
        if (plain) {
          painted.delete(td);
          restored = true;
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
    if (restored || matrix.language !== "en") matrix.translate(table);
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

/* Which route: the answer of `matrix advise`, from the file of one case. A test holds both to the same answers. */
"use strict";
function matrixAdvice(lists) { matrix.lists = lists; }

/** Numbers as the command prints them: two digits, 1.2e-07. */
matrix.twoDigits = (value) => {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  const [digits, power] = value.toExponential(1).split("e");
  if (value === 0 || (Number(power) >= -4 && Number(power) < 2)) return String(Number(value.toPrecision(2)));
  return `${digits.replace(/\.0$/, "")}e${power[0]}${power.slice(1).padStart(2, "0")}`;
};

/** Orders runtimes by family, then by version: [family, numbers, name]. */
matrix.runtimeKey = (name) => {
  const match = /^([a-z][a-z0-9_]*(?:-[a-z][a-z0-9_]*)*)(?:-([0-9][^\s/]*))?$/.exec(name);
  return [match ? match[1] : name, ((match ? match[2] : "") ?? "").match(/\d+/g)?.map(Number) ?? [], name];
};
matrix.compareLists = (a, b) => {
  for (let at = 0; at < Math.min(a.length, b.length); at += 1) {
    const order = Array.isArray(a[at]) ? matrix.compareLists(a[at], b[at]) : a[at] < b[at] ? -1 : a[at] > b[at] ? 1 : 0;
    if (order) return order;
  }
  return a.length - b.length;
};

/** Everything about one case: records by place, and how a route stands there. */
matrix.Advisor = class {
  constructor(data) {
    this.data = data;
    this.lists = matrix.lists;
    this.rank = Object.fromEntries(matrix.cube.verdicts.map(([name], rank) => [name, rank]));
    this.index = matrix.details.index(data);
    this.records = new Map();
  }
  usable(verdict) { return matrix.cube.usable.includes(verdict); }
  id(torch, opset, route) { return `torch-${torch}/opset-${opset}/${route}/${this.data.case}`; }
  record(torch, opset, route) {
    const { releases, opsets, routes } = matrix.cube;
    const row = this.index.get(`${releases.indexOf(torch)},${opsets.indexOf(opset)},${routes.indexOf(route)}`);
    if (row === undefined) return null;
    if (!this.records.has(row)) {
      const runs = matrix.details.runs(this.data, this.data.columns.digest?.[row]);
      this.records.set(row, { ...matrix.details.read(this.data, row), opset, runs });
    }
    return this.records.get(row);
  }
  applicable(torch, route) {
    const { routesOfRelease, routesOfCase } = this.lists;
    return (routesOfRelease[torch]?.includes(route) ?? true) && (routesOfCase[this.data.case]?.includes(route) ?? true);
  }
  /** What a runtime's verdict on the file means for the cell. */
  verdictIn(record, verdict) {
    if (!this.usable(verdict)) return verdict;
    if (record.verdict === "route-not-taken") return "route-not-taken";
    if (record.off_spec?.length) return "off-spec";
    return (record.emitted_opset ?? record.opset) === record.opset ? verdict : "drift";
  }

  /** The measured runtimes that a name means, newest first: ort-1.10 means ort-1.10.0 and ort-1.10.1. */
  named(text) {
    const family = matrix.runtimeKey(text)[0];
    return this.lists.runtimes.filter((name) => matrix.runtimeKey(name)[0] === family && (name === text || name.startsWith(`${text}.`) || name.startsWith(`${text}-`)))
      .sort((a, b) => matrix.compareLists(matrix.runtimeKey(b), matrix.runtimeKey(a)));
  }

  /** One route at one place: verdict, the runtime that it speaks of, and what was recorded. */
  standing({ torch, opset, runtime }, route, runtimes) {
    const record = this.record(torch, opset, route);
    const found = { route, cell: this.id(torch, opset, route), record, verdict: "not-run", runtime, judge: record ?? {}, remedies: [] };
    if (record) {
      const own = record.runtime ?? "";
      const early = ["install", "build", "export", "check"].includes(record.stage) && !this.usable(record.verdict);
      if (!runtime || runtimes.includes(own) || early || ["unavailable", "not-applicable"].includes(record.verdict)) {
        Object.assign(found, { verdict: record.verdict, runtime: own });
      } else {
        const run = runtimes.map((name) => record.runs.find((one) => one[0] === name)).find(Boolean);
        if (run) {
          const [name, verdict, stage, max_abs_error, , error, machine, measured_at] = run;
          Object.assign(found, { runtime: name, verdict: this.verdictIn(record, verdict), judge: { stage, max_abs_error, error, machine, measured_at, "seconds.run": run[8] }, run });
          if (!this.usable(found.verdict)) found.remedies = record.runs.filter((one) => one[0].startsWith(`${name}+`) && this.usable(one[1])).map(([changed]) => changed).sort();
        }
      }
    }
    found.usable = this.usable(found.verdict);
    found.message = this.message(found);
    return found;
  }
  standings(place, runtimes) {
    return Object.keys(this.lists.routes).filter((route) => this.record(place.torch, place.opset, route) || this.applicable(place.torch, route))
      .map((route) => this.standing(place, route, runtimes));
  }
  best(standings) {
    return standings.filter((one) => one.usable).reduce((a, b) => (a === null || this.rank[b.verdict] < this.rank[a.verdict] ? b : a), null);
  }

  /** One sentence: what was found. */
  message({ verdict, runtime, record, judge, usable, remedies }) {
    const say = matrix.text;
    if (verdict === "not-run") return record ? say("advice.not_measured_in", runtime) : say("advice.not_measured");
    const worst = judge.max_abs_error ?? null;
    if (usable) {
      const difference = worst === null ? "" : say("advice.difference", matrix.twoDigits(worst));
      const note = verdict === "pass-fallback" ? say("advice.fallback") : "";
      return (runtime ? say("advice.praise_in", record.opset, runtime) : say("advice.praise", record.opset)) + difference + note;
    }
    return this.blame(verdict, record, judge, worst) + (remedies.length ? say("advice.right_as", remedies.join(", ")) : "");
  }
  blame(verdict, record, judge, worst) {
    const say = matrix.text;
    if (verdict === "drift") return say("advice.drift", record.emitted_opset ?? "None", record.opset);
    if (verdict === "off-spec" && record.off_spec?.length) return say("advice.off_spec", record.off_spec[0]);
    if (judge.error) {
      let message = judge.error.message.split(". Please feel free")[0];
      if ([...message].length > 200) message = [...message].slice(0, 199).join("") + "…";
      return message + (judge.error.hint ? ` (${judge.error.hint})` : "");
    }
    const larger = worst !== null && ["mismatch", "dynamic-lost"].includes(verdict) ? say("advice.larger", matrix.twoDigits(worst)) : "";
    return say("verdict." + verdict) + larger;
  }
};

/* The decisions that lead to an answer, the smallest upgrades, and the whole answer as the command's --json has it. */
"use strict";
matrix.Decision = class extends matrix.Advisor {
  /** The place: { torch, opset, runtime }, runtime empty for the environment's own. */
  answer(place) {
    const runtimes = place.runtime ? this.named(place.runtime) : [];
    const routes = this.standings(place, runtimes);
    const best = this.best(routes);
    const green = routes.some((one) => one.route === "native" && one.usable);
    return {
      place, routes, best, why: this.why(best, routes), nearest: best ? null : this.nearest(place, runtimes),
      path: this.path(place, routes, best), upgrades: green ? [] : this.upgrades(place, runtimes),
      snippet: best ? this.snippet(best.route, place) : null, measure: this.measure(place, routes), measured: this.where(best),
    };
  }
  nearest(place, runtimes) {
    for (const opset of this.nearestOpsets(this.lists.opsets, place.opset)) {
      const found = this.best(this.standings({ ...place, opset }, runtimes));
      if (found) return found;
    }
    return null;
  }
  nearestOpsets(opsets, asked) { return [...opsets].sort((a, b) => Math.abs(a - asked) - Math.abs(b - asked) || a - b); }

  why(best, routes) {
    const say = matrix.text;
    if (!best) return say(routes.every((one) => ["not-run", "unavailable"].includes(one.verdict)) ? "advice.why_nothing" : "advice.why_none");
    if (matrix.cube.own.includes(best.route)) return say("advice.why_own", best.message);
    const own = routes.filter((one) => matrix.cube.own.includes(one.route))
      .map((one) => say("advice.is", one.route, one.verdict === "not-run" ? say("advice.not_measured") : one.verdict)).join(", ");
    return say("advice.why_other", own.charAt(0).toUpperCase() + own.slice(1), best.route, best.message);
  }

  path(place, routes, best) {
    const own = routes.filter((one) => matrix.cube.own.includes(one.route));
    return [this.inOnnx(place), ...own.map((one) => this.inExporter(place, one)), this.route(best, routes), ...this.verification(place, best, routes)];
  }
  step(kind, values, answer, detail, cell = "") { return { kind, question: matrix.text("advice.ask_" + kind, ...values), answer, detail, cell }; }
  inOnnx({ opset }) {
    const say = matrix.text;
    const needed = this.lists.onnx[this.data.case];
    if (!needed) return this.step("onnx", [opset], "not measured", say("advice.own_case"));
    if (!needed.length) return this.step("onnx", [opset], "yes", say("advice.made_of_others"));
    const missing = needed.filter(([, since]) => since > opset);
    return this.step("onnx", [opset], missing.length ? "no" : "yes", (missing.length ? missing : needed).map((one) => say("advice.since", ...one)).join(", "));
  }
  inExporter({ torch, opset }, { route, record, verdict, usable, message, cell }) {
    const values = [this.lists.routes[route].exporter, torch, route];
    if (!record || verdict === "unavailable") return this.step("exporter", values, "not measured", message, cell);
    const refused = ["export", "check"].includes(record.stage) && !usable;
    if (refused || ["drift", "off-spec"].includes(record.verdict)) return this.step("exporter", values, "no", message, cell);
    return this.step("exporter", values, "yes", matrix.text("advice.comes_out", record.emitted_opset ?? opset), cell);
  }
  route(best, routes) {
    if (best) return this.step("route", [], best.route, this.summary(best.route), best.cell);
    const unmeasured = routes.filter((one) => one.verdict === "not-run").map((one) => one.route);
    if (unmeasured.length) return this.step("route", [], "not measured", matrix.text("advice.none_measured", unmeasured.join(", ")));
    return this.step("route", [], "none", matrix.text("advice.no_route"));
  }
  summary(route) { return matrix.texts[matrix.language][`route.${route}`] ?? this.lists.routes[route]?.summary ?? ""; }
  verification({ runtime }, best, routes) {
    const say = matrix.text;
    const furthest = () => routes.filter((one) => one.record).reduce((a, b) => (a === null || this.rank[b.verdict] < this.rank[a.verdict] ? b : a), null);
    const one = best ?? furthest();
    const load = (...rest) => this.step("load", [one?.runtime || runtime || say("advice.the_runtime")], ...rest);
    const verify = (...rest) => this.step("verify", [], ...rest);
    if (!one || ["not-run", "unavailable"].includes(one.verdict)) return [load("not measured", say("advice.no_measurement")), verify("not measured", say("advice.no_measurement"))];
    const { stage } = one.judge;
    if (!one.usable && !["compare", "run"].includes(stage)) return [load("no", one.message, one.cell), verify("no", say("advice.not_so_far"))];
    if (["mismatch", "dynamic-lost", "error", "crash", "timeout"].includes(one.verdict)) {
      return [load(stage === "compare" ? "yes" : "no", one.route, one.cell), verify("no", one.message, one.cell)];
    }
    const worst = one.judge.max_abs_error ?? null;
    return [load("yes", one.route, one.cell), verify("yes", worst === null ? say("advice.within") : say("advice.largest", matrix.twoDigits(worst)), one.cell)];
  }

  /** The nearest measured places where native is right, one per set of axes that move; a set is left out when a part of it is enough. */
  upgrades(place, runtimes) {
    const nearest = new Map();
    for (const [there, names] of this.places(place, runtimes)) {
      const changes = ["opset", "runtime", "torch"].filter((axis) => there[axis] !== place[axis]);
      const found = this.standing(there, "native", names);
      if (!found.usable || !changes.length) continue;
      const key = changes.join();
      const best = nearest.get(key);
      if (!best || matrix.compareLists(this.distance(place, there), this.distance(place, best.there)) < 0) nearest.set(key, { there, found, changes });
    }
    const every = [...nearest.values()];
    const axes = ["opset", "runtime", "torch"];
    return every.filter(({ changes }) => !every.some((other) => other.changes.length < changes.length && other.changes.every((axis) => changes.includes(axis))))
      .sort((a, b) => a.changes.length - b.changes.length || matrix.compareLists(a.changes.map((axis) => axes.indexOf(axis)), b.changes.map((axis) => axes.indexOf(axis))))
      .map(({ there, found, changes }) => ({ torch: there.torch, opset: there.opset, runtime: found.runtime, changes, cell: found.cell, verdict: found.verdict, unmeasured: this.unmeasured(place, there) }));
  }
  *places(place, runtimes) {
    const { releases, opsets, routes } = matrix.cube;
    let later = [];
    if (place.runtime) {
      const [family, version] = matrix.runtimeKey(runtimes[0] ?? place.runtime);
      later = this.lists.runtimes.filter((name) => matrix.runtimeKey(name)[0] === family && matrix.compareLists(matrix.runtimeKey(name)[1], version) > 0)
        .sort((a, b) => matrix.compareLists(matrix.runtimeKey(a), matrix.runtimeKey(b)));
    }
    const { columns } = this.data;
    for (let row = 0; row < columns.release.length; row += 1) {
      if (routes[columns.route[row]] !== "native" || columns.release[row] < releases.indexOf(place.torch)) continue;
      const there = { ...place, torch: releases[columns.release[row]], opset: opsets[columns.opset[row]] };
      yield [there, runtimes];
      for (const runtime of later) yield [{ ...there, runtime }, [runtime]];
    }
  }
  distance(from, to) {
    const step = to.opset - from.opset;
    return [matrix.cube.releases.indexOf(to.torch), Math.abs(step), step < 0, matrix.runtimeKey(to.runtime)];
  }
  unmeasured(from, to) {
    const { releases } = matrix.cube;
    const [low, high] = [Math.min(from.opset, to.opset), Math.max(from.opset, to.opset)];
    const between = this.lists.releases.filter((name) => releases.indexOf(name) >= releases.indexOf(from.torch) && releases.indexOf(name) <= releases.indexOf(to.torch));
    const opsets = this.lists.opsets.filter((opset) => low <= opset && opset <= high);
    return between.reduce((sum, torch) => sum + opsets.filter((opset) => !this.record(torch, opset, "native")).length, 0);
  }

  snippet(route, { torch, opset }) {
    const { lines, of } = this.data.scripts;
    const [one, two] = of[route] ?? [];
    const chosen = this.applicable(torch, "dynamo") ? two ?? one : one;
    return chosen ? chosen.map((line) => lines[line]).join("\n").replace("opset_version=0,", `opset_version=${opset},`) : null;
  }
  /** What measures the routes that have no result here; empty when all have one. */
  measure({ torch, opset, runtime }, routes) {
    const missing = routes.filter((one) => ["not-run", "unavailable"].includes(one.verdict)).map((one) => one.route);
    if (!missing.length) return "";
    const whole = runtime.split(".").length > 2;
    return `nox -s matrix -- --torch ${torch} --opset ${opset} --case '${this.data.case}' --route ${missing.join(",")}`
      + (runtime ? ` --runtime '${runtime}${whole ? "" : "*"}'` : "");
  }
  where(best) {
    if (!best) return "";
    const { measured_at, machine } = best.judge;
    const origin = best.record.origin;
    return `${measured_at.slice(0, 10)}, ${matrix.cube.machines[machine] ?? machine}` + (origin ? matrix.text("advice.run_of", origin) : "");
  }

  /** The answer as `matrix advise --json` gives it. */
  json(place) {
    const answer = this.answer(place);
    const route = (one) => one && {
      route: one.route, summary: this.lists.routes[one.route]?.summary ?? "", verdict: one.verdict, usable: one.usable, runtime: one.runtime || null,
      cell: one.cell, message: one.message, remedies: one.remedies, price: matrix.price(one),
    };
    return {
      question: { torch: place.torch, opset: place.opset, case: this.data.case, runtime: place.runtime },
      recommended: route(answer.best), nearest: route(answer.nearest), why: answer.why, routes: answer.routes.map(route),
      path: answer.path.map(({ question, answer: said, detail, cell }) => ({ question, answer: said, detail, cell })),
      upgrades: answer.upgrades, snippet: answer.snippet, measure: answer.measure || null, measured: answer.measured || null,
    };
  }
};
matrix.price = ({ record, judge }) => ({
  nodes: record?.nodes ?? null, bytes: record?.bytes ?? null, export_seconds: record?.["seconds.export"] ?? null,
  run_seconds: judge["seconds.run"] ?? null, max_abs_error: judge.max_abs_error ?? null,
});

/* The smallest remedy of a red cell that was measured to work, as one sentence: what matrix.remedy says. */
"use strict";
matrix.Remedy = class extends matrix.Advisor {
  verdict(record, runtime) {
    if (!runtime || record.runtime === runtime) return record.verdict;
    const run = record.runs.find(([name]) => name === runtime);
    if (run) return this.verdictIn(record, run[1]);
    return record.digest ? "not-run" : record.verdict;
  }
  works(torch, opset, route, runtime) {
    const record = this.record(torch, opset, route);
    return record !== null && this.usable(this.verdict(record, runtime));
  }
  /** Empty for what is usable already, for what nobody measured, and where nothing that was measured helps. */
  sentence(torch, opset, route, runtime = "") {
    const record = this.record(torch, opset, route);
    if (!record) return "";
    const verdict = this.verdict(record, runtime);
    if (this.usable(verdict) || ["not-run", "unavailable"].includes(verdict)) return "";
    const say = matrix.text;
    const { opsets, releases } = matrix.cube;
    const changed = runtime ? this.changed(record, runtime) : "";
    if (changed) return changed;
    const other = this.lists.remedies.find((name) => name !== route && this.works(torch, opset, name, runtime));
    if (other) return say("remedy.route", other);
    const nearest = opsets.filter((one) => one !== opset && one >= 7 && one <= 40).sort((a, b) => Math.abs(a - opset) - Math.abs(b - opset) || a - b)
      .find((one) => this.works(torch, one, route, runtime));
    if (nearest !== undefined) return say("remedy.opset", nearest, opset);
    const newer = runtime ? this.newer(record, runtime) : "";
    if (newer) return newer;
    const release = releases.slice(releases.indexOf(torch) + 1).find((one) => this.works(one, opset, route, runtime));
    return release ? say("remedy.release", release) : "";
  }
  changed(record, runtime) {
    const said = record.runs.find(([name, verdict]) => name.startsWith(`${runtime}+`) && this.usable(this.verdictIn(record, verdict)));
    const steps = said ? said[0].slice(runtime.length + 1).split("+") : [];
    return steps.map((step) => {
      if (step.startsWith("ir-")) return matrix.text("remedy.ir", step.slice(3), record.ir_version ?? "?");
      return { inlined: matrix.text("remedy.inlined"), onnxgrid: matrix.text("remedy.library") }[step] ?? step;
    }).join(matrix.text("remedy.and"));
  }
  newer(record, runtime) {
    const cut = (name) => [name.slice(0, name.lastIndexOf("-")), name.slice(name.lastIndexOf("-") + 1)];
    const numbers = (name) => cut(name)[1].split(".").map(Number);
    const [engine] = cut(runtime);
    const names = [...new Set([record.runtime, ...record.runs.map(([name]) => name)])]
      .filter((name) => name && !name.includes("+") && cut(name)[0] === engine && matrix.compareLists(numbers(name), numbers(runtime)) > 0)
      .sort((a, b) => matrix.compareLists(numbers(a), numbers(b)));
    const good = (name) => this.usable(this.verdict(record, name));
    const last = names.findLastIndex((name) => !good(name));
    const lasting = names[last + 1];
    const first = lasting ?? names.find(good);
    if (!first) return "";
    const engines = { ort: "ONNX Runtime", "ort-gpu": "ONNX Runtime for CUDA", openvino: "OpenVINO", reference: "onnx", tract: "tract", opencv: "OpenCV" };
    const version = cut(first)[1].split(".").slice(0, 2).join(".");
    const later = lasting !== undefined && first !== names.at(-1);
    return matrix.text(later ? "remedy.runtime_or_later" : "remedy.runtime", engines[engine] ?? engine, version);
  }
};

/** The lists for advice and remedies, loaded once, when the first is asked for. */
matrix.loadLists = () => (matrix.listsLoaded ??= new Promise((done, failed) => {
  const src = `${matrix.root}data/advice.js`;
  document.head.append(matrix.element("script", { src, onload: () => done(matrix.lists), onerror: () => failed(new Error(src)) }));
}));

/* The page of advice: the form's question, the answer in words, the decisions drawn as a flow. */
"use strict";
matrix.ready(() => {
  const out = document.getElementById("advice");
  if (!out) return;
  const form = document.getElementById("filters");
  const { state } = matrix;
  const slugs = Object.fromEntries(matrix.cube.cases.map(([name, slug]) => [name, slug]));
  const fields = ["torch", "opset", "case", "runtime"];
  const defaults = Object.fromEntries(fields.map((name) => [name, form.elements[name].value]));
  let ticket;
  const show = async () => {
    const mine = (ticket = {});
    for (const name of fields) {
      const field = form.elements[name];
      const wanted = state.get(name) || defaults[name];
      if (wanted && ![...field.options].some((option) => option.value === wanted)) field.append(matrix.element("option", {}, wanted));
      field.value = wanted;
    }
    const place = { torch: form.elements.torch.value, opset: Number(form.elements.opset.value), runtime: form.elements.runtime.value };
    const asked = form.elements.case.value;
    try {
      await matrix.loadLists();
      const data = slugs[asked] && await matrix.details.load(slugs[asked]);
      if (mine !== ticket) return;
      if (!data || !matrix.cube.releases.includes(place.torch)) throw new Error(`${place.torch}, ${asked}`);
      out.replaceChildren(...matrix.adviceView(new matrix.Decision(data).answer(place), asked, slugs[asked]));
    } catch (error) {
      if (mine === ticket) out.replaceChildren(matrix.element("p", { class: "note" }, matrix.word("detail.missing", error.message)));
    }
  };
  matrix.filters.follow(show);
  document.getElementById("language").addEventListener("click", show);
});

matrix.cellLink = (cell, text) => {
  const [torch, opset, route, ...name] = cell.split("/");
  const found = matrix.cube.cases.find(([one]) => one === name.join("/"));
  return found ? matrix.element("a", { href: `${matrix.root}case/${found[1]}.html#${torch}/${opset}/${route}` }, text ?? cell) : matrix.element("code", {}, cell);
};
matrix.verdictMark = (verdict) => {
  const [name, symbol, tone] = matrix.cube.verdicts.find(([one]) => one === verdict);
  return matrix.element("span", { class: `verdict ${tone} v-${name}` }, matrix.element("i", {}, symbol), ` ${name}`);
};
matrix.priceText = ({ nodes, bytes, export_seconds, run_seconds }) => [
  nodes === null ? null : matrix.text("advice.price_nodes", nodes), bytes === null ? null : `${bytes.toLocaleString("en")} B`,
  export_seconds === null ? null : matrix.text("advice.price_export", Math.round(export_seconds * 1e3)),
  run_seconds === null ? null : matrix.text("advice.price_run", matrix.twoDigits(run_seconds * 1e3)),
].filter((part) => part !== null).join(", ") || matrix.text("advice.not_measured");

matrix.adviceView = (answer, asked, slug) => {
  const { element, word } = matrix;
  const { place, best, routes, upgrades } = answer;
  const head = (key) => element("h2", {}, word(key));
  const line = (label, ...value) => element("div", {}, element("dt", {}, word(label)), element("dd", {}, value));
  const code = (text) => element("div", { class: "command-line" }, element("pre", { class: "command" }, text), matrix.copyButton(text));
  const list = (items) => element("ul", { class: "says" }, items.map((item) => element("li", {}, item)));
  const title = best ? [word("advice.take", best.route), " ", matrix.verdictMark(best.verdict)] : [word("advice.no_recommendation")];
  const parts = [element("div", { class: `answer-card ${best ? "yes" : "no"}` },
    element("p", { class: "asked" }, [asked, `PyTorch ${place.torch}`, `opset ${place.opset}`, place.runtime].filter(Boolean).join(" · ")),
    element("h2", { id: "recommended", tabindex: "-1" }, title),
    element("dl", { class: "record" }, [
      best ? line("advice.is_label", matrix.Decision.prototype.summary.call({ lists: matrix.lists }, best.route)) : null,
      line("advice.why", answer.why),
      best ? line("advice.price", matrix.priceText(matrix.price(best))) : null,
      best && matrix.lists.routes[best.route]?.helper ? line("advice.needs", element("code", {}, matrix.lists.install)) : null,
      answer.nearest ? line("advice.nearest", matrix.cellLink(answer.nearest.cell, matrix.text("advice.nearest_is", answer.nearest.route, answer.nearest.record.opset))) : null,
      best ? line("advice.measured", answer.measured, " · ", matrix.cellLink(best.cell)) : null,
    ]))];
  parts.push(element("section", {}, head("advice.flow"), matrix.flowView(answer)));
  if (answer.snippet) parts.push(element("section", {}, head("advice.script"), element("p", { class: "lead" }, word("advice.script_lead")), code(answer.snippet.trimEnd())));
  const others = routes.filter((one) => one !== best && one.verdict !== "not-run");
  if (others.length) {
    parts.push(element("section", {}, head("advice.others"), element("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": matrix.text("advice.others") },
      element("table", { class: "plain", "aria-label": matrix.text("advice.others") },
        element("thead", {}, element("tr", {}, ["word.route", "word.verdict", "advice.found"].map((key) => element("th", { scope: "col" }, word(key))))),
        element("tbody", {}, others.map((one) => element("tr", {}, element("th", { scope: "row" }, matrix.cellLink(one.cell, one.route)),
          element("td", {}, matrix.verdictMark(one.verdict)), element("td", { class: "message" }, one.message, one.usable ? element("small", {}, ` · ${matrix.priceText(matrix.price(one))}`) : null))))))));
  }
  if (!routes.some((one) => one.route === "native" && one.usable)) {
    parts.push(element("section", {}, head("advice.upgrade"), upgrades.length ? list(upgrades.map((one) => matrix.upgradeView(one))) : element("p", {}, word("advice.no_upgrade"))));
  }
  if (answer.measure) {
    const unmeasured = routes.filter((one) => one !== best && one.verdict === "not-run").map((one) => one.route);
    parts.push(element("section", {}, head("advice.unmeasured"), element("p", {}, unmeasured.length ? word("advice.measures_it", unmeasured.join(", ")) : word("advice.measures_again")), code(answer.measure)));
  }
  const shell = `python -m matrix advise --torch ${place.torch} --opset ${place.opset}${place.runtime ? ` --runtime ${place.runtime}` : ""} '${asked}'`;
  parts.push(element("section", {}, head("advice.elsewhere"), list([
    element("a", { href: `${matrix.root}claims.html` }, word("advice.claims")),
    element("a", { href: `${matrix.root}case/${slug}.html#torch-${place.torch}/opset-${place.opset}` }, word("advice.whole_case", asked))]), code(shell)));
  return parts;
};

matrix.upgradeView = ({ torch, opset, runtime, changes, cell, unmeasured }) => {
  const moves = { torch: `PyTorch ${torch}`, opset: `opset ${opset}`, runtime };
  return [element_(changes.map((axis) => moves[axis]).join(matrix.text("remedy.and"))), ": ", matrix.cellLink(cell), unmeasured ? ` (${matrix.text("advice.nearer", unmeasured)})` : ""];
  function element_(text) { return matrix.element("strong", {}, text); }
};

/** The decisions one below the other; each shows all its answers, and which was given. */
matrix.flowView = ({ path, best }) => {
  const { element, text } = matrix;
  const branches = { onnx: ["yes", "no"], exporter: ["yes", "no"], route: ["native", "other", "none"], load: ["yes", "no"], verify: ["yes", "no"] };
  const given = ({ kind, answer }) => {
    if (answer === "not measured") return "unknown";
    return kind === "route" ? (answer === "none" || matrix.cube.own.includes(answer) ? (answer === "none" ? "none" : "native") : "other") : answer;
  };
  const steps = path.map((step) => {
    const taken = given(step);
    const kinds = taken === "unknown" ? [...branches[step.kind], "unknown"] : branches[step.kind];
    return element("li", { class: `step ${{ yes: "good", native: "good", other: "substitute", unknown: "blank" }[taken] ?? "bad"}` },
      element("p", { class: "asks" }, step.question),
      element("ul", { class: "branches" }, kinds.map((kind) => element("li", { class: kind === taken ? "taken" : null, "aria-current": kind === taken ? "step" : null },
        element("b", {}, (kind === taken ? "➜ " : "") + (step.kind === "route" && kind === taken && kind !== "none" && kind !== "unknown" ? step.answer : text(`advice.say_${kind}`))),
        element("span", {}, text(kind === "unknown" ? "advice.then_unknown" : `advice.then_${step.kind}_${kind}`))))),
      step.detail ? element("p", { class: "ground" }, step.detail, " ", step.cell ? matrix.cellLink(step.cell, text("advice.cell")) : null) : null);
  });
  const end = element("li", { class: `step end ${best ? "good" : "bad"}` }, element("p", { class: "asks" }, best ? text("advice.take", best.route) : text("advice.no_recommendation")));
  return element("ol", { class: "flow" }, steps, end);
};

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

/* One record in words: where it stopped, what was said, what the file holds, how to do it again. */
"use strict";
matrix.recordView = (record, id, verdict, helps) => {
  const { element, word } = matrix;
  const stages = ["install", "build", "export", "check", "load", "run", "compare"];
  const command = element("div", { class: "command-line" }, element("pre", { class: "command" }, matrix.command(id)), matrix.copyButton(matrix.command(id)));
  const parts = [element("p", {}, word("verdict." + verdict), ".")];
  if (!record) {
    return [...parts, element("p", { class: "note" }, word("detail.not_measured")), element("h2", {}, word("detail.measure")), command];
  }
  if (helps("")) parts.push(matrix.remedyView(helps("")));
  const at = stages.indexOf(record.stage);
  parts.push(element("ol", { class: "steps", "aria-label": matrix.text("detail.reached") }, stages.map((stage, position) =>
    element("li", { class: position < at ? "done" : position === at ? "at" : null, "aria-current": position === at ? "step" : null }, stage))));
  if (record.stale) parts.push(element("p", { class: "note" }, word("detail.stale")));
  if (record.error) parts.push(matrix.errorView(record.error));
  if (record.output) parts.push(element("details", { open: true }, element("summary", {}, word("word.output")), element("pre", {}, record.output)));
  parts.push(element("dl", { class: "record" }, matrix.recordFacts(record, helps)));
  parts.push(element("h2", {}, word("detail.reproduce")), command);
  return parts;
};

matrix.errorView = (error) => matrix.element("div", {},
  matrix.element("pre", {}, `${error.type}: ${error.message}`, error.cause ? `\n${error.cause}` : null),
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

matrix.recordFacts = (record, helps) => {
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
  if (record.runs.length) lines.push(line(word("detail.runtimes"), matrix.runsView(record.runs, helps)));
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

matrix.remedyView = (sentence) => matrix.element("p", { class: "remedy" }, matrix.word("remedy.heading"), ": ", sentence);

matrix.runsView = (runs, helps) => {
  const { element } = matrix;
  const tones = Object.fromEntries(matrix.cube.verdicts.map(([name, symbol, tone]) => [name, { symbol, tone }]));
  return element("ul", {}, runs.map(([runtime, verdict, stage, error, placement, problem]) => element("li", {},
    `${runtime} `, element("span", { class: `verdict ${tones[verdict]?.tone} v-${verdict}` }, `${tones[verdict]?.symbol ?? ""} ${verdict}`),
    placement ? ` ${placement}` : "", error !== null && error !== undefined ? ` ${matrix.number(error)}` : "",
    problem ? element("div", { class: "message" }, `${stage}: ${problem.type}: ${problem.message}`) : null,
    !runtime.includes("+") && helps(runtime) ? matrix.remedyView(helps(runtime)) : null)));
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
