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
