// SPDX-License-Identifier: MIT
// The first and the last section: what was run and found, and where it all comes from.
import { make, paged } from "./dom.js";
import { percent, plural, whole } from "./format.js";
import { swatch } from "./theme.js";

const sum = (list, key) => list.reduce((total, item) => total + (item[key] ?? 0), 0);

function byLabel(groups) {
  const labels = new Map();
  for (const group of groups) {
    if (!labels.has(group.label)) labels.set(group.label, []);
    labels.get(group.label).push(group);
  }
  return [...labels].map(([label, own]) => {
    const hunting = own.filter((group) => group.hunts);
    return {
      label,
      groups: own.length,
      trials: sum(own, "trials"),
      done: sum(own, "done"),
      failed: sum(own, "failed"),
      hunted: sum(hunting, "done"),
      found: sum(hunting, "found"),
      unexpected: sum(
        own.filter((group) => !group.hunts),
        "found",
      ),
      undecided: sum(own, "undecided"),
    };
  });
}

function bar(found, hunted) {
  const fill = make("i");
  fill.style.width = hunted ? `${(100 * found) / hunted}%` : "0";
  return make("span", { class: "bar", "aria-hidden": "true" }, fill);
}

function labelTable(rows) {
  const head = ["", "groups", "trials done", "failed", "errors found"];
  return make(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Trials by engine" },
    make(
      "table",
      { class: "by-label pinned" },
      make("caption", { class: "hidden" }, "Trials and errors found, by engine"),
      make(
        "thead",
        {},
        make(
          "tr",
          {},
          head.map((name, i) =>
            make(name ? "th" : "td", { scope: name ? "col" : null, class: i ? "number" : "text" }, name),
          ),
        ),
      ),
      make(
        "tbody",
        {},
        rows.map((row) =>
          make(
            "tr",
            {},
            make("th", { scope: "row", class: "text" }, swatch(row.label), " ", row.label),
            make("td", { class: "number" }, whole(row.groups)),
            make("td", { class: "number" }, `${whole(row.done)} of ${whole(row.trials)}`),
            make("td", { class: "number" }, row.failed ? whole(row.failed) : "–"),
            make(
              "td",
              { class: "number" },
              row.hunted
                ? [
                    bar(row.found, row.hunted),
                    make("span", { class: "beside" }, `${whole(row.found)} of ${whole(row.hunted)}`),
                  ]
                : "–",
            ),
          ),
        ),
      ),
    ),
  );
}

const fact = (name, value, note) =>
  make("div", {}, make("dt", {}, name), make("dd", {}, value, note && make("small", {}, note)));

/** Too many sentences for the first page are folded. */
function leftOutOf(sentences) {
  const list = make(
    "ul",
    { class: "left-out" },
    sentences.map((text) => make("li", {}, text)),
  );
  if (sentences.length <= 2) return [make("p", { class: "note" }, "Left out, to keep this page small:"), list];
  return make(
    "details",
    { class: "note" },
    make("summary", {}, `To keep this page small, ${sentences.length} parts were cut short`),
    list,
  );
}

/** A plan that has trials to go yet; or else, how much of the report the filters show. */
function outOf(trials, plans, all) {
  const planned = sum(plans, "trials");
  if (planned > sum(plans, "done") + sum(plans, "failed")) return `of ${whole(planned)} planned`;
  return trials < all ? `of ${whole(all)} in this report` : "";
}

/** groups: those that are shown; report: all of it */
export function overview(groups, report) {
  const leftOut = report.left_out;
  const rows = byLabel(groups);
  const hunted = sum(rows, "hunted"),
    found = sum(rows, "found"),
    unexpected = sum(rows, "unexpected");
  const failed = sum(rows, "failed"),
    undecided = sum(rows, "undecided");
  const most = 20;
  return [
    make(
      "dl",
      { class: "facts" },
      fact(
        "trials",
        whole(sum(rows, "done")),
        outOf(sum(rows, "done") + failed, report.provenance?.plans ?? [], sum(report.groups, "trials")),
      ),
      fact("groups", whole(groups.length), ""),
      fact(
        "errors found",
        hunted ? whole(found) : "–",
        hunted ? `in ${whole(hunted)} trials with one put in (${percent(found, hunted)})` : "no error was put in",
      ),
      fact("found in correct designs", whole(unexpected), unexpected ? "see the failures" : ""),
      undecided > 0 && fact("undecided", whole(undecided), "no error found, but instances were not judged in time"),
      fact("could not be run", whole(failed), ""),
    ),
    labelTable(rows.slice(0, most)),
    rows.length > most && make("p", { class: "quiet" }, `and ${rows.length - most} more`),
    leftOut.length > 0 && leftOutOf(leftOut),
  ];
}

/** A table of names and values. */
export function runFacts(table) {
  return [
    make(
      "dl",
      { class: "facts" },
      table.rows.map(({ cells }) => fact(cells[0].text, cells[1].text, "")),
    ),
  ];
}

function plainTable(title, head, body) {
  const rows = make("tbody");
  const more = paged(body, 20, "rows", (part) =>
    rows.append(
      ...part.map((row) =>
        make(
          "tr",
          {},
          row.map((value, i) =>
            make(
              i ? "td" : "th",
              { scope: i ? null : "row", class: head[i][1] },
              typeof value === "number" ? whole(value) : (value ?? "–"),
            ),
          ),
        ),
      ),
    ),
  );
  return make(
    "div",
    { class: "table" },
    make("h3", {}, title),
    make(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": title },
      make(
        "table",
        {},
        make("caption", { class: "hidden" }, title),
        make(
          "thead",
          {},
          make(
            "tr",
            {},
            head.map(([name, kind]) => make("th", { scope: "col", class: kind }, name)),
          ),
        ),
        rows,
      ),
    ),
    more,
  );
}

export function provenance(report) {
  const { versions = [], hosts = [], first, last, plans = [], designs = [] } = report.provenance ?? {};
  const days = first && last && first !== last ? `${first} to ${last}` : (first ?? "–");
  return [
    make(
      "dl",
      { class: "facts" },
      fact("page", report.tool ?? "–", ""),
      fact("results by version", versions.join(", ") || "–", ""),
      fact("hosts", hosts.join(", ") || "–", ""),
      fact("days", days, ""),
    ),
    make(
      "div",
      { class: "tables" },
      plans.length > 0 &&
        plainTable(
          "Plans",
          [
            ["plan", "text"],
            ["title", "text"],
            ["scale", "text"],
            ["trials", "number"],
            ["done", "number"],
            ["failed", "number"],
            ["hash", "text code"],
          ],
          plans.map((plan) => [
            plan.name,
            plan.title,
            plan.scale || "full",
            plan.trials,
            plan.done,
            plan.failed,
            plan.hash,
          ]),
        ),
      designs.length > 0 &&
        plainTable(
          "Designs",
          [
            ["design", "text"],
            ["cores", "number"],
            ["hash", "text code"],
          ],
          designs.map((design) => [design.name, design.cores, design.hash]),
        ),
    ),
  ];
}
