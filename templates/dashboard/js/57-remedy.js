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
