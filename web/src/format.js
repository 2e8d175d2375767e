// SPDX-License-Identifier: MIT
// Numbers as people write them: always English, whatever the browser's language, so that two readers
// of one report see the same text.
const thin = "\u202f";

export function whole(value) {
  return value === null || value === undefined ? "–" : Math.round(value).toLocaleString("en");
}

function digits(value, significant) {
  return Number(value.toPrecision(significant)).toLocaleString("en", { maximumFractionDigits: 6 });
}

/** Three significant digits and a unit: 12.3 M, 850 k, 0.012. */
export function compact(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const units = [
    [1e12, "T"],
    [1e9, "G"],
    [1e6, "M"],
    [1e4, "k"],
  ];
  for (const [from, unit] of units)
    if (size >= from * 0.9995) return digits(value / (unit === "k" ? 1e3 : from), 3) + thin + unit;
  return digits(value, size >= 1000 ? 4 : 3);
}

/** Seconds in a unit that keeps them readable: 1.13 ms, 2.5 s, 3.2 min. */
export function duration(seconds) {
  const [size, unit] = [
    [3600, "h", 7200],
    [60, "min", 120],
    [1, "s", 0.9995],
    [1e-3, "ms", 0.9995e-3],
    [1e-6, "µs", 0],
  ].find(([, , from]) => seconds >= from) ?? [1, "s"];
  return `${compact(seconds / size)} ${unit}`;
}

/** What fits in a cell of the protocol table: 7, 93, 1k, 24k, 3M. */
export function tiny(value) {
  if (value < 1000) return String(value);
  for (const [from, unit] of [
    [1e12, "T"],
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
  ])
    if (value >= from)
      return (value < 9.95 * from ? String(Number((value / from).toFixed(1))) : Math.round(value / from)) + unit;
  return String(value);
}

export function percent(part, all) {
  return all ? `${((100 * part) / all).toFixed(1)}${thin}%` : "–";
}

export function plural(count, one, many = one + "s") {
  return `${whole(count)} ${count === 1 ? one : many}`;
}
