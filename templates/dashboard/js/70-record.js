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
