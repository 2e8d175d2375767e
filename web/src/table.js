// SPDX-License-Identifier: MIT
// Tables of results: sortable by every column, best in bold, in small type how many trials found it and
// the interval. Filters act on the rows and, where engines are columns, on the columns.
import { clear, make, paged } from "./dom.js";
import { compact } from "./format.js";

const rowsAtFirst = 40;
const sorts = new Map(); // table → {column, falling}: a filter must not undo the reader's sorting

/** Which settings a row stands for: its own word for it, or the columns named like an axis. */
function axesOf(row, table, view) {
  if (row.axes) return row.axes;
  const axes = {};
  table.columns.forEach(({ name }, i) => {
    const axis = view.axes.find((one) => one.name === name);
    const text = row.cells[i]?.text;
    if (axis && axis.values.includes(text)) axes[name] = text;
  });
  return axes;
}

/** Where columns stand for settings a row stands for many groups, even if it names one of them; else one
 * that is about two groups, a comparison, goes with either of them. */
export function visibleRows(table, { view, groups }) {
  const isPivot = table.columns.some((column) => column.axes);
  const isHidden = (index) => groups[index] && !view.shows(groups[index]);
  return table.rows.filter((row) => {
    if (isPivot) return view.concerns(axesOf(row, table, view));
    if (isHidden(row.group) || row.cells.some((one) => isHidden(one?.group))) return false;
    return groups[row.group] || view.concerns(axesOf(row, table, view));
  });
}

const units = { "%": 100, µs: 1e6, ms: 1e3, s: 1, min: 1 / 60, h: 1 / 3600 };

/** The interval in the unit of the cell's text: a value of 0.66 may be written as 66 %, one of 0.03 as 30 ms. */
export function rangeOf({ text, low, high, censored }) {
  const unit = /[\d\s](%|µs|ms|s|min|h)$/.exec(text ?? "")?.[1];
  const written = (bound) => compact(bound * (units[unit] ?? 1));
  const after = unit ? ` ${unit}` : "";
  if (Number.isFinite(low) && Number.isFinite(high)) return `${written(low)}–${written(high)}${after}`;
  return Number.isFinite(low) && !censored ? `from ${written(low)}${after}` : null;
}

function sorted(rows, { column, falling }, kind) {
  const value = (row) => (kind === "number" ? row.cells[column]?.value : row.cells[column]?.text) ?? null;
  return [...rows].sort((a, b) => {
    const x = value(a),
      y = value(b);
    if (x === null || y === null) return (x === null) - (y === null); // what is missing comes last, either way
    const order = kind === "number" ? x - y : String(x).localeCompare(String(y), "en", { numeric: true });
    // Equal times: one that was not reached yet is the longer.
    return (order || Number(!!a.cells[column].censored) - Number(!!b.cells[column].censored)) * (falling ? -1 : 1);
  });
}

function cell(data, column, first) {
  const number = column.kind === "number";
  if (!data) return make("td");
  const small = [data.found, rangeOf(data)].filter(Boolean).join(" · ");
  return make(
    first && !number ? "th" : "td",
    {
      scope: first && !number ? "row" : null,
      class: [number ? "number" : "text", data.censored ? "censored" : ""].join(" ").trim(),
    },
    data.best ? [make("strong", {}, data.text ?? ""), make("span", { class: "hidden" }, " (best)")] : (data.text ?? ""),
    small && make("small", {}, small),
  );
}

/** table: as in the page's data; context: {view, groups, under: the title of the section, which need not be said twice} */
export function tableView(table, context) {
  const rows = visibleRows(table, context);
  const columns = table.columns
    .map((column, index) => ({ ...column, index }))
    .filter((column) => context.view.concerns(column.axes));
  const pinned = columns[0]?.kind !== "number" && columns[1]?.kind === "number"; // one heading column: it stays in sight
  const body = make("tbody");
  const more = make("div");
  const heads = columns.map((column) => {
    const arrow = make("span", { class: "arrow", "aria-hidden": "true" });
    const head = make(
      "th",
      { scope: "col", class: column.kind === "number" ? "number" : "text" },
      make("button", { type: "button", onclick: () => press(column) }, column.name, arrow),
    );
    return { column, head, arrow };
  });
  function press({ index, kind }) {
    const now = sorts.get(table);
    sorts.set(table, { column: index, kind, falling: now?.column === index ? !now.falling : false });
    fill();
  }
  function fill() {
    const sort = sorts.get(table);
    for (const { column, head, arrow } of heads) {
      const here = sort?.column === column.index;
      if (here) head.setAttribute("aria-sort", sort.falling ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
      arrow.textContent = here ? (sort.falling ? " ▾" : " ▴") : "";
    }
    clear(body);
    clear(more).append(
      paged(sort ? sorted(rows, sort, sort.kind) : rows, rowsAtFirst, "rows", (part) =>
        part.forEach((row) =>
          body.append(
            make(
              "tr",
              {},
              columns.map((column, i) => cell(row.cells[column.index], column, i === 0)),
            ),
          ),
        ),
      ),
    );
  }
  fill();
  return make(
    "div",
    { class: "table", "data-table": table.id },
    make("h3", { class: table.title === context.under ? "hidden" : null }, table.title),
    table.note && make("p", { class: "note" }, table.note),
    rows.length
      ? [
          make(
            "div",
            { class: "scroll", tabindex: 0, role: "region", "aria-label": table.title },
            make(
              "table",
              { class: pinned ? "pinned" : null },
              make("caption", { class: "hidden" }, table.title),
              make(
                "thead",
                {},
                make(
                  "tr",
                  {},
                  heads.map(({ head }) => head),
                ),
              ),
              body,
            ),
          ),
          more,
        ]
      : make("p", { class: "quiet" }, table.rows.length ? "No row passes the filters." : "It has no rows."),
  );
}
