// SPDX-License-Identifier: MIT
// A made-up report of any size, as `collider report` would write it: what the page's tests look at where
// no campaign gives enough (every kind of cell, long lists, hostile text). The same bytes every time.
import { readFileSync } from "node:fs";

function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

export const empty = {
  format: 1,
  tool: "collider 0.1.0",
  title: "Nothing yet",
  provenance: { versions: [], hosts: [], first: null, last: null, plans: [], designs: [] },
  axes: [],
  groups: [],
  evolutions: [],
  boxes: [],
  tables: [],
  protocols: [],
  learning: [],
  failures: [],
  left_out: [],
};

const speed = { plain: 0.25, "plain-bias": 0.45, "chain-bias": 0.7, htg: 1.3, mtg: 0.6, "dqg-corf": 0.95 };
const engines = Object.keys(speed);
const errors = ["D1", "D3", "D4", "D7", "D9", "E.4.2", "MC-1", "MC-5"];
const million = 1e6;
const round = (x, digits = 3) => Number(x.toPrecision(digits));
const short = (x) => (x >= million ? `${round(x / million)} M` : `${round(x / 1000)} k`);

function evolution(next, groups, metric, total, reachable, points) {
  const line = (group, x, unit) => {
    const pace = speed[groups[group].label] ?? 0.5;
    const end = Math.round(x.length * (0.85 + 0.15 * next()));
    const at = (i, shift) => {
      if (i >= end) return null;
      const share = 1 - Math.exp(-(0.4 + pace * shift * Math.pow((x[i] / unit) * 0.35, 0.6)));
      return Math.round(reachable * share);
    };
    return {
      group,
      lower: x.map((_, i) => at(i, 0.75)),
      median: x.map((_, i) => at(i, 1)),
      upper: x.map((_, i) => at(i, 1.3)),
    };
  };
  const cycles = Array.from({ length: points }, (_, i) => (i + 1) * ((20 * million) / points));
  const seconds = cycles.map((c) => round(c / 1.1e6, 5));
  const members = groups.map((_, i) => i);
  return {
    metric,
    total,
    reachable,
    against: {
      cycles: { x: cycles, lines: members.map((g) => line(g, cycles, million)) },
      seconds: { x: seconds, lines: members.map((g) => line(g, seconds, 0.9)) },
    },
  };
}

function protocol(next) {
  const states = [
    "I",
    "S",
    "E",
    "M",
    "IS",
    "IM",
    "SM",
    "IS_I",
    "M_I",
    "SINK_WB_ACK",
    "I_F",
    "E_IL0",
    "M_IL0",
    "MM_IL0",
    "SM_IL0",
    "S_F",
    "M_F",
    "IS_D_I",
    "PF_IS",
    "PF_IM",
  ];
  const events = [
    "Load",
    "Ifetch",
    "Store",
    "Inv",
    "L0_Invalidate_Own",
    "L0_Invalidate_Else",
    "L1_Replacement",
    "Fwd_GETX",
    "Fwd_GETS",
    "Fwd_GET_INSTR",
    "Data",
    "Data_Exclusive",
    "DataS_fromL1",
    "Data_all_Acks",
    "L0_Ack",
    "Ack",
    "Ack_all",
    "WB_Ack",
    "L0_DataAck",
    "L0_DataCopy",
    "L0_DataNak",
    "Flush",
  ];
  const cells = [];
  states.forEach((_, state) =>
    events.forEach((_, event) => {
      if (next() < 0.55) return;
      const kind = next();
      if (kind < 0.1) cells.push({ state, event, hits: 0, first: null, reached: 0, reachable: false });
      else if (kind < 0.16) cells.push({ state, event, hits: 0, first: null, reached: 0, reachable: true });
      else if (kind < 0.19) cells.push({ state, event, hits: 0, first: null, reached: 0, reachable: null });
      else {
        const hits = Math.ceil(Math.exp(next() * 15));
        cells.push({
          state,
          event,
          hits,
          first: Math.ceil(900 / (1 + hits / 40)),
          reached: Math.max(1, Math.round(next() * 60)),
          reachable: true,
        });
      }
    }),
  );
  return { design: "mesi3", cores: 8, machine: "L1Cache", states, events, trials: 60, cells };
}

function errorTable(next, names, groups) {
  const columns = [
    { name: "design", kind: "text" },
    { name: "error", kind: "text" },
    ...engines.map((engine) => ({ name: engine, kind: "number", axes: { engine } })),
  ];
  const rows = names.map((error) => {
    const hard = Math.exp(next() * 4);
    const values = engines.map((engine) => ((hard * (0.4 + next())) / speed[engine]) * 1e5);
    const best = Math.min(...values);
    const cells = values.map((value) => {
      const found = value > 9e6 ? 0 : Math.max(1, Math.round(10 - value / 1.2e6));
      if (!found)
        return {
          text: "> 20 M",
          value: 20 * million,
          best: false,
          found: "0/10",
          low: null,
          high: null,
          censored: true,
        };
      return {
        text: short(value),
        value: Math.round(value),
        best: value === best,
        found: `${found}/10`,
        low: Math.round(value * 0.6),
        high: Math.round(value * 1.7),
        censored: false,
      };
    });
    return { group: null, axes: { design: "mesi3", error }, cells: [{ text: "mesi3" }, { text: error }, ...cells] };
  });
  return {
    id: "time-to-error",
    title: "Cycles until the error was found",
    note: "Medians over seeds (Kaplan–Meier: a trial that ended without finding the error counts as not yet); in small type, how many trials found it and the 95 % interval.",
    columns,
    rows,
  };
}

function comparisonTable(next) {
  const columns = [
    ["scenario", "text"],
    ["engines", "text"],
    ["p (Holm)", "number"],
    ["Â12", "number"],
    ["effect", "text"],
  ].map(([name, kind]) => ({ name, kind }));
  const rows = engines.slice(0, 5).map((engine) => {
    const p = round(Math.pow(next(), 6), 2),
      a = round(0.5 + next() / 2, 3);
    return {
      group: null,
      axes: { engine },
      cells: [
        { text: "mesi3, 8 cores" },
        { text: `htg against ${engine}` },
        { text: p < 0.001 ? "< 0.001" : String(p), value: p, best: p < 0.05 },
        { text: a.toFixed(2), value: a },
        { text: a > 0.71 ? "large" : "medium" },
      ],
    };
  });
  return {
    id: "comparison",
    title: "Is the difference more than chance?",
    note: "Mann–Whitney U on the coverage at the end, corrected after Holm; Â12 is the chance that a trial of the first engine is ahead.",
    columns,
    rows,
  };
}

const simple = (id, title, names, rows) => ({
  id,
  title,
  note: "",
  columns: names.map(([name, kind]) => ({ name, kind })),
  rows: rows.map((cells) => ({
    group: null,
    cells: cells.map((c) => (typeof c === "number" ? { text: c.toLocaleString("en"), value: c } : { text: c })),
  })),
});

export function sample({ groupsPerEngine = errors.length, points = 60, failures = 3 } = {}) {
  const next = random(12);
  const names = Array.from({ length: groupsPerEngine }, (_, i) => errors[i] ?? `X${i}`);
  const groups = names.flatMap((error) =>
    engines.map((engine) => ({
      plan: 0,
      axes: { design: "mesi3", engine, error },
      label: engine,
      trials: 10,
      done: 10,
      failed: next() < 0.03 ? 1 : 0,
      found: Math.round(Math.min(10, 4 + 8 * next() * speed[engine])),
      hunts: true,
    })),
  );
  const clean = ["mesi3", "msi"].map((design) =>
    engines.map((engine) => {
      groups.push({
        plan: 1,
        axes: { design, engine },
        label: engine,
        trials: 10,
        done: 10,
        failed: 0,
        found: 0,
        hunts: false,
      });
      return groups.length - 1;
    }),
  );
  const evolutions = [];
  clean.forEach((members, i) => {
    const own = members.map((g) => groups[g]);
    for (const [metric, total, reachable] of [
      ["structural", 236, i ? null : 229],
      ["functional", 1160, 1020],
    ]) {
      const one = evolution(next, own, metric, total, reachable ?? 180, points);
      for (const axis of Object.values(one.against)) axis.lines.forEach((line) => (line.group = members[line.group]));
      evolutions.push({
        title: `${["mesi3", "msi"][i]}, 8 cores`,
        axes: { design: ["mesi3", "msi"][i] },
        ...one,
        reachable,
      });
    }
  });
  const boxes = ["structural", "functional"].map((metric, m) => ({
    title: "mesi3, 8 cores",
    metric,
    unit: "cycles",
    intervals: [1, 2, 5, 10, 20].map((to) => ({
      to: to * million,
      boxes: clean[0].map((group) => {
        const middle = [229, 1020][m] * (1 - Math.exp(-(0.6 + speed[groups[group].label] * Math.pow(to * 0.3, 0.6))));
        const spread = [18, 90][m] * (0.4 + next()) * Math.exp(-to / 15);
        return { group, n: 10, box: [-1.6, -0.6, 0, 0.5, 1.2].map((k) => Math.round(middle + k * spread)) };
      }),
    })),
  }));
  const x = Array.from({ length: 40 }, (_, i) => (i + 1) * 25);
  const learner = clean[0][engines.indexOf("dqg-corf")];
  const curve = (base, fall, noise) => x.map((t) => round(base + fall * Math.exp(-t / 250) + noise * next()));
  const median = curve(0.2, 1.2, 0.05);
  const picture = readFileSync(new URL("../../docs/images/failure.svg", import.meta.url), "utf8");
  return {
    format: 1,
    tool: "collider 0.1.0",
    title: "Directing engines on two protocols",
    provenance: {
      versions: ["0.1.0"],
      hosts: ["oak"],
      first: "2026-11-14",
      last: "2026-11-15",
      plans: [
        {
          name: "errors",
          title: "Published errors by six engines",
          scale: "small",
          hash: "8f1c20aa91b0d7e4",
          trials: 480,
          done: 480,
          failed: 2,
        },
        {
          name: "evolution",
          title: "Coverage of correct designs",
          scale: "",
          hash: "07ab6621c0ffee10",
          trials: 120,
          done: 120,
          failed: 0,
        },
      ],
      designs: [
        { name: "mesi3", cores: 8, hash: "b94d27b9934d3e08" },
        { name: "msi", cores: 8, hash: "a52e7f4a1c9d0b66" },
      ],
    },
    axes: [
      { name: "design", values: ["mesi3", "msi"] },
      { name: "engine", values: engines },
      { name: "error", values: names },
    ],
    groups,
    evolutions,
    boxes,
    tables: [
      errorTable(next, names, groups),
      comparisonTable(next),
      simple(
        "final-coverage",
        "Coverage at the end",
        [
          ["engine", "text"],
          ["structural", "number"],
          ["functional", "number"],
        ],
        engines.map((e) => [
          e,
          Math.round(229 * (1 - Math.exp(-0.6 - 3 * speed[e]))),
          Math.round(1020 * (1 - Math.exp(-0.6 - 2 * speed[e]))),
        ]),
      ),
      simple(
        "mutants",
        "Mutants killed",
        [
          ["engine", "text"],
          ["mutants", "number"],
          ["killed", "number"],
          ["survived", "number"],
        ],
        engines.map((e, i) => [e, 200, 120 + 12 * i, 80 - 12 * i]),
      ),
      simple(
        "tours",
        "Tours of abstract protocols",
        [
          ["protocol", "text"],
          ["cores", "number"],
          ["states", "number"],
          ["transitions", "number"],
          ["cost", "number"],
        ],
        [
          ["msi", 4, 56, 672, 1345],
          ["mesi", 4, 88, 1056, 2190],
        ],
      ),
      simple(
        "failed",
        "Trials that could not be run",
        [
          ["trial", "text"],
          ["reason", "text"],
        ],
        [
          ["mesi3, mtg, D4, seed 7", "out of memory after 812 tests"],
          ["<img src=x onerror=alert(1)>", 'a name with </script> & "quotes" in it'],
        ],
      ),
    ],
    protocols: [protocol(next), { ...protocol(next), design: "msi", machine: "L1Cache" }],
    learning: [
      {
        title: "mesi3, 8 cores",
        x: "tests",
        lines: [
          {
            group: learner,
            name: "loss",
            x,
            median,
            lower: median.map((v) => round(v * 0.8)),
            upper: median.map((v) => round(v * 1.25)),
          },
          {
            group: learner,
            name: "exploration",
            x,
            median: x.map((t) => round(Math.max(0.05, 1 - t / 700))),
            lower: x.map(() => null),
            upper: x.map(() => null),
          },
        ],
      },
    ],
    failures: Array.from({ length: failures }, (_, i) => ({
      group: i % groups.length,
      seed: i + 1,
      verdict: "violation",
      reason: "these operations form a cycle that TSO forbids",
      test: 17 + i,
      instance: 2,
      cycles: 812345 * (i + 1),
      seconds: 1.2,
      threads: 2,
      operations: 8,
      locations: 3,
      command: i === 2 ? null : `collider replay results.db --failure ${i + 1}`,
      fingerprint: "mesi3, violation: A: load x -fr-> A: store x -fence->",
      story:
        "Thread 0, operation 4 (load a0 = 0) read a stale value: 0 in cycle 212, from another core's cache.\n0 is the initial value; it was replaced by 1 of thread 0, operation 0 (store a0 1) in cycle 31.",
      picture:
        i === 1
          ? '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 40" onload="alert(1)"><script>alert(2)</script><rect width="80" height="40" fill="#dde"/></svg>'
          : picture,
      program: "threads 2\n0: store a0 1\n0: store a1 2\n0: load a2\n1: load a2\n1: load a0\n",
      litmus:
        "X86_64 shrunk\n{ }\n P0            | P1            ;\n movq $1,(x)   | movq (z),%rax ;\n movq $2,(y)   | movq (x),%rbx ;\nexists (1:rax=2 /\\ 1:rbx=0)\n",
    })),
    left_out: ["9,800 lines of evolutions: --format csv has them all"],
  };
}

// What `collider report` does with the page: the same two marks, the same escaping.
export function fill(page, data) {
  const escaped = data.title.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
  return page
    .replace("%collider-report-title%", () => escaped)
    .replace("%collider-report-data%", () => JSON.stringify(data).replace(/</g, "\\u003c"));
}
