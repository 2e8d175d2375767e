// SPDX-License-Identifier: MIT
// What the page computes, without a browser: numbers as text, and the filters with their address.
import assert from "node:assert/strict";
import test from "node:test";
import { compact, duration, percent, plural, tiny, whole } from "../../web/src/format.js";
import { rangeOf, visibleRows } from "../../web/src/table.js";
import { View } from "../../web/src/view.js";

test("numbers are short, English, and never lose their size", () => {
  const plain = (text) => text.replace(/\u202f/g, " ");
  const expected = [
    [0, "0"],
    [7, "7"],
    [0.01234, "0.0123"],
    [999, "999"],
    [1234, "1,234"],
    [9994, "9,994"],
    [9996, "10 k"],
    [12345, "12.3 k"],
    [999400, "999 k"],
    [999600, "1 M"],
    [12345678, "12.3 M"],
    [2.5e9, "2.5 G"],
    [3e12, "3 T"],
    [-12345, "-12.3 k"],
    [null, "–"],
    [undefined, "–"],
    [Infinity, "–"],
  ];
  for (const [value, text] of expected) assert.equal(plain(compact(value)), text);
  for (const [value, text] of [
    [7, "7"],
    [999, "999"],
    [1000, "1k"],
    [1234, "1.2k"],
    [9950, "10k"],
    [123456, "123k"],
    [2e6, "2M"],
    [3e9, "3G"],
  ])
    assert.equal(tiny(value), text);
  assert.equal(whole(1234567), "1,234,567");
  assert.equal(plain(percent(1, 3)), "33.3 %");
  assert.equal(percent(1, 0), "–");
  assert.equal(plural(1, "trial"), "1 trial");
  for (const [value, text] of [
    [0, "0 µs"],
    [0.00113, "1.13 ms"],
    [0.9999, "1 s"],
    [119, "119 s"],
    [150, "2.5 min"],
    [9000, "2.5 h"],
  ])
    assert.equal(duration(value), text);
  assert.equal(plural(0, "trial"), "0 trials");
});

test("compact text is within half a unit of its last digit of the number", () => {
  const units = { k: 1e3, M: 1e6, G: 1e9, T: 1e12 };
  for (let i = 0, value = 0.001; value < 1e14; i++, value *= 1.0173) {
    const [digits, unit] = compact(value).split("\u202f");
    const read = Number(digits.replace(/,/g, "")) * (unit ? units[unit] : 1);
    assert.ok(Math.abs(read - value) <= value * 0.00501, `${value} was written as ${compact(value)}`);
  }
});

const groups = [
  { axes: { engine: "htg", error: "D9" } },
  { axes: { engine: "plain", error: "a&b=c, d" } },
  { axes: { engine: "htg" } },
];
const axes = [
  { name: "engine", values: ["htg", "plain"] },
  { name: "error", values: ["D9", "a&b=c, d"] },
  { name: "metric", values: ["structural", "functional"] },
];
const shown = (view) => groups.map((group) => view.shows(group));

test("a group that lacks an axis has the value 'not set'", () => {
  const view = new View(axes.slice(0, 2), groups);
  assert.deepEqual(view.axes[1].values, ["D9", "a&b=c, d", ""]);
  view.set("error", ["D9"]);
  assert.deepEqual(shown(view), [true, false, false]);
  view.set("error", [""]);
  assert.deepEqual(shown(view), [false, false, true]);
  view.set("error", []);
  assert.deepEqual(shown(view), [false, false, false]);
  view.reset();
  assert.deepEqual(shown(view), [true, true, true]);
});

test("rows are concerned only by the axes they name", () => {
  const view = new View(axes, groups);
  view.set("engine", ["htg"]);
  assert.ok(view.concerns({ error: "D9" }) && view.concerns(undefined) && view.concerns({ engine: "htg" }));
  assert.ok(!view.concerns({ engine: "plain", error: "D9" }));
});

test("every choice survives the way through the address", () => {
  const subsets = (values) => values.reduce((sets, value) => [...sets, ...sets.map((set) => [...set, value])], [[]]);
  const first = new View(axes, groups);
  for (const engines of subsets(first.axes[0].values))
    for (const errors of subsets(first.axes[1].values)) {
      const view = new View(axes, groups),
        copy = new View(axes, groups);
      view.set("engine", engines);
      view.set("error", errors);
      view.choose("metric", "functional"); // not to be taken for the axis of that name
      copy.read(`#${view.write()}`);
      assert.equal(copy.write(), view.write());
      assert.deepEqual(shown(copy), shown(view));
      assert.equal(copy.choices.metric, "functional");
      assert.ok(!copy.chosen.has("metric"));
    }
});

test("an address of nonsense chooses nothing that is not there", () => {
  const view = new View(axes, groups);
  for (const hash of ["#", "#overview", "#engine", "#engine=no-such", "#%zz=&&&==", "#show-metric=%F0"]) {
    view.read(hash);
    assert.deepEqual(shown(view), [true, true, true], hash);
  }
});

test("a row about two groups goes with either of them", () => {
  const columns = ["first", "second", "result"].map((name) => ({ name, kind: "text" }));
  const row = (first, second) => ({
    group: null,
    axes: { error: "D9" },
    cells: [{ text: "a", group: first }, { text: "b", group: second }, { text: "no difference shown" }],
  });
  const members = ["htg", "plain", "mtg"].map((engine) => ({ axes: { engine, error: "D9" } }));
  const view = new View([{ name: "engine", values: ["htg", "plain", "mtg"] }, axes[1]], members);
  const table = { columns, rows: [row(0, 1), row(0, 2), row(1, 2)] };
  const seen = () => visibleRows(table, { view, groups: members }).map((one) => table.rows.indexOf(one));
  assert.deepEqual(seen(), [0, 1, 2]);
  view.set("engine", ["htg", "mtg"]);
  assert.deepEqual(seen(), [1]);
  view.set("engine", ["mtg"]);
  assert.deepEqual(seen(), []);
  view.reset();
  view.set("error", ["a&b=c, d"]);
  assert.deepEqual(seen(), []);
});

test("an interval is written in the unit of its cell", () => {
  const plain = (cell) => rangeOf(cell)?.replace(/\u202f/g, " ") ?? null;
  assert.equal(plain({ text: "66.1 %", value: 0.661, low: 0.648, high: 0.7 }), "64.8–70 %");
  assert.equal(plain({ text: "16.6 ms", value: 0.0166, low: 0.00318, high: 0.0323 }), "3.18–32.3 ms");
  assert.equal(plain({ text: "1.5 s", value: 1.5, low: 1, high: 2 }), "1–2 s");
  assert.equal(plain({ text: "2.50 min", value: 150, low: 120, high: 210 }), "2–3.5 min");
  assert.equal(plain({ text: ">3 h", value: 10800, low: 7200, high: 10800 }), "2–3 h");
  assert.equal(plain({ text: "12.7 k", value: 12700, low: 6857, high: 16100 }), "6,857–16.1 k");
  assert.equal(plain({ text: "166 k", value: 166000, low: 115000, high: null }), "from 115 k");
  assert.equal(plain({ text: ">612 k", value: 612000, low: 612000, high: null, censored: true }), null);
});
