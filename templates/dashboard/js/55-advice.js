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
