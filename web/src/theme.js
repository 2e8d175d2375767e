// SPDX-License-Identifier: MIT
// Light and dark, and the colours and dashes of series. One label (an engine, as a rule) looks the same
// in every figure; dashes tell lines apart where colours do not.
import { make, makeSvg } from "./dom.js";

const key = "collider-report-theme";
const dashes = ["solid", [7, 3], [2, 2.5], [9, 3, 2, 3], [4, 2]];
const root = document.documentElement;
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners = [];

function stored() {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // a browser may keep pages from disk from storing anything
  }
}

function store(value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    /* then it holds for this page alone */
  }
}

function apply(theme) {
  root.dataset.theme = theme === "light" || theme === "dark" ? theme : system.matches ? "dark" : "light";
  for (const listener of listeners) listener();
}

let chosen = stored() ?? "auto";

export const onTheme = (listener) => listeners.push(listener);

export function themeSwitch() {
  const select = make(
    "select",
    {
      id: "theme",
      onchange: () => {
        chosen = select.value;
        store(chosen);
        apply(chosen);
      },
    },
    [
      ["auto", "as the system"],
      ["light", "light"],
      ["dark", "dark"],
    ].map(([value, text]) => make("option", { value, selected: value === chosen }, text)),
  );
  return make("label", { class: "theme", for: "theme" }, "Colours ", select);
}

export function startTheme() {
  apply(chosen);
  system.addEventListener("change", () => apply(chosen));
  // Paper is white.
  addEventListener("beforeprint", () => apply("light"));
  addEventListener("afterprint", () => apply(chosen));
}

export function colour(name) {
  return getComputedStyle(root).getPropertyValue(`--${name}`).trim();
}

const order = new Map();
export function rememberLabels(labels) {
  for (const label of labels) if (!order.has(label)) order.set(label, order.size);
}

export function look(label) {
  rememberLabels([label]);
  const index = order.get(label);
  return {
    colour: `var(--series-${index % 8})`,
    ink: colour(`series-${index % 8}`),
    dash: dashes[index % dashes.length],
  };
}

export function swatch(label) {
  const { colour: stroke, dash } = look(label);
  const line = makeSvg("line", { x1: 1, x2: 21, y1: 5, y2: 5, "stroke-width": 2.5 });
  line.style.stroke = stroke;
  if (dash !== "solid") line.setAttribute("stroke-dasharray", dash.join(" "));
  return makeSvg("svg", { class: "swatch", width: 22, height: 10, viewBox: "0 0 22 10", "aria-hidden": "true" }, line);
}
