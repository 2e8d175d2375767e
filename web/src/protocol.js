// SPDX-License-Identifier: MIT
// A protocol's table as a heat map: states down, events across. It is a real table: its words are
// text, headings stay in sight while it scrolls, and arrow keys walk through the cells.
import { clear, make } from "./dom.js";
import { percent, plural, tiny, whole } from "./format.js";

export const meanings = [
  ["hits", "hits"],
  ["first", "first test"],
  ["reached", "trials"],
  ["state", "reachability"],
];
const steps = 7;

const kinds = {
  reached: { mark: "", text: "reached" },
  never: { mark: "○", text: "reachable, never reached" },
  elsewhere: { mark: "◌", text: "reachable, but not with these tests and caches" },
  excluded: { mark: "−", text: "excluded" },
  unknown: { mark: "?", text: "never reached, not known to be reachable" },
  unreachable: { mark: "×", text: "unreachable" },
};

function kindOf(cell) {
  if (cell.hits > 0) return "reached";
  if (cell.excluded) return "excluded";
  if (cell.reachable !== false && cell.here === false) return "elsewhere";
  if (cell.reachable === true) return "never";
  return cell.reachable === false ? "unreachable" : "unknown";
}

/** How deep a reached cell is coloured, 0 to 1, and what is written in it. */
function scaleOf(meaning, cells, trials) {
  const reached = cells.filter((cell) => cell.hits > 0);
  const log = (value, most) => (most > 1 ? Math.log(Math.max(1, value)) / Math.log(most) : 1);
  if (meaning === "first") {
    const last = Math.max(1, ...reached.map((cell) => cell.first ?? 1));
    return {
      low: `test ${whole(last)}`,
      high: "test 1",
      level: (cell) => 1 - log(cell.first ?? last, last),
      text: (cell) => (cell.first === null ? "" : tiny(cell.first)),
    };
  }
  if (meaning === "reached")
    return {
      low: "1 trial",
      high: plural(trials, "trial"),
      level: (cell) => (cell.reached ?? 0) / Math.max(1, trials),
      text: (cell) => tiny(cell.reached ?? 0),
    };
  if (meaning === "state") return { level: () => 0.3, text: () => "●" };
  const most = Math.max(1, ...reached.map((cell) => cell.hits));
  return {
    low: "1 hit",
    high: plural(most, "hit"),
    level: (cell) => log(cell.hits, most),
    text: (cell) => tiny(cell.hits),
  };
}

function sentence(protocol, cell, state, event) {
  const place = `${protocol.states[state]} × ${protocol.events[event]}`;
  if (!cell) return `${place}: not defined`;
  if (!cell.hits) return `${place}: ${kinds[kindOf(cell)].text}`;
  return `${place}: ${plural(cell.hits, "hit")}, first in test ${whole(cell.first)}, reached in ${whole(cell.reached)} of ${plural(protocol.trials, "trial")}`;
}

function key(scale, present) {
  const ramp =
    scale.low &&
    make(
      "span",
      { class: "key" },
      scale.low,
      make(
        "span",
        { class: "ramp", "aria-hidden": "true" },
        Array.from({ length: steps }, (_, i) => make("i", { class: `heat-${i}` })),
      ),
      scale.high,
    );
  const plain =
    !scale.low &&
    make("span", { class: "key" }, make("i", { class: "sample heat-2", "aria-hidden": "true" }, "●"), "reached");
  return make(
    "div",
    { class: "keys" },
    ramp,
    plain,
    ["never", "elsewhere", "excluded", "unknown", "unreachable"]
      .filter((kind) => present.has(kind))
      .map((kind) =>
        make(
          "span",
          { class: "key" },
          make("i", { class: `sample ${kind}`, "aria-hidden": "true" }, kinds[kind].mark),
          kinds[kind].text,
        ),
      ),
  );
}

/** Arrow keys move the one cell that has the focus. */
function walk(table, columns) {
  const cells = [...table.querySelectorAll("tbody td")];
  const moves = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns };
  table.addEventListener("keydown", (event) => {
    const now = cells.indexOf(document.activeElement);
    if (now < 0) return;
    const row = now - (now % columns);
    const next = event.key === "Home" ? row : event.key === "End" ? row + columns - 1 : now + (moves[event.key] ?? NaN);
    const aside = (event.key === "ArrowLeft" || event.key === "ArrowRight") && (next < row || next >= row + columns);
    if (!(next in cells) || aside) return;
    event.preventDefault();
    cells[now].tabIndex = -1;
    cells[next].tabIndex = 0;
    cells[next].focus();
  });
}

function grid(protocol, meaning, say) {
  const at = new Map(protocol.cells.map((cell) => [cell.state * protocol.events.length + cell.event, cell]));
  const scale = scaleOf(meaning, protocol.cells, protocol.trials);
  let first = true;
  const square = (state, event) => {
    const cell = at.get(state * protocol.events.length + event);
    const kind = cell ? kindOf(cell) : "undefined";
    const depth =
      kind === "reached" ? `heat-${Math.min(steps - 1, Math.max(0, Math.floor(scale.level(cell) * steps)))}` : kind;
    const element = make(
      "td",
      {
        role: "gridcell",
        class: depth,
        tabindex: first ? 0 : -1,
        "aria-label": sentence(protocol, cell, state, event),
      },
      kind === "reached" ? scale.text(cell) : cell && kinds[kind].mark,
    );
    first = false;
    return element;
  };
  const table = make(
    "table",
    { class: "heat", role: "grid", "aria-label": `Protocol table of ${protocol.machine}, ${protocol.design}` },
    make(
      "thead",
      {},
      make(
        "tr",
        {},
        make("td", { class: "corner" }),
        protocol.events.map((name) => make("th", { scope: "col" }, make("span", {}, name))),
      ),
    ),
    make(
      "tbody",
      {},
      protocol.states.map((name, state) =>
        make(
          "tr",
          {},
          make("th", { scope: "row" }, name),
          protocol.events.map((_, event) => square(state, event)),
        ),
      ),
    ),
  );
  walk(table, protocol.events.length);
  for (const kind of ["mouseover", "focusin"])
    table.addEventListener(
      kind,
      (event) => event.target.closest("tbody td") && say(event.target.closest("tbody td").getAttribute("aria-label")),
    );
  return { table, scale };
}

function counts(protocol) {
  const count = (kind) => protocol.cells.filter((cell) => kindOf(cell) === kind).length;
  const reached = count("reached"),
    all = protocol.cells.length;
  return [
    `${whole(reached)} of ${plural(all, "transition")} reached (${percent(reached, all)})`,
    count("never") && `${whole(count("never"))} reachable but never reached`,
    count("elsewhere") && `${whole(count("elsewhere"))} not with these tests and caches`,
    count("excluded") && `${whole(count("excluded"))} excluded`,
    count("unreachable") && `${whole(count("unreachable"))} unreachable`,
    count("unknown") && `${whole(count("unknown"))} of which it is not known`,
    `${plural(protocol.trials, "trial")}`,
  ]
    .filter(Boolean)
    .join(" · ");
}

export function protocolFigure(protocol, meaning) {
  const title = `${protocol.machine} of ${protocol.design}${protocol.cores ? `, ${plural(protocol.cores, "core")}` : ""}`;
  const status = make("p", { class: "cell-status" }, "Point at a cell, or walk with the arrow keys.");
  const { table, scale } = grid(protocol, meaning, (text) => {
    clear(status).append(text);
  });
  return make(
    "figure",
    { class: "protocol" },
    make(
      "figcaption",
      {},
      make("span", { class: "figure-title" }, title),
      make("span", { class: "quiet" }, counts(protocol)),
    ),
    key(scale, new Set(protocol.cells.map(kindOf))),
    make("div", { class: "scroll heat-scroll" }, table),
    status,
  );
}
