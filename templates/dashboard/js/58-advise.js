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
