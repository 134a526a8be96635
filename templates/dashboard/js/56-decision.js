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
