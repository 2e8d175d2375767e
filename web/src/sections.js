// SPDX-License-Identifier: MIT
// The sections of the page, in order: what each draws, which choices it reacts to, and why there may be
// nothing for it. Sections with nothing in them are told of in one, at the end.
import { boxFigure } from "./boxes.js";
import { choice, make, paged } from "./dom.js";
import { failureList } from "./failures.js";
import { plural } from "./format.js";
import { lineFigure } from "./lines.js";
import { overview, provenance, runFacts } from "./overview.js";
import { meanings, protocolFigure } from "./protocol.js";
import { tableView } from "./table.js";

const figuresAtFirst = 8;
const quiet = (text) => make("p", { class: "quiet" }, text);

/** Labels for the groups of one figure, told apart by the settings in which they differ. */
export function labelsOf(members, groups) {
  const own = members.map((index) => groups[index]);
  const labels = own.map((group) => group.label);
  if (new Set(labels).size === labels.length) return labels;
  const names = [...new Set(own.flatMap((group) => Object.keys(group.axes)))].filter(
    (name) => new Set(own.map((group) => group.axes[name])).size > 1,
  );
  const long = own.map((group) =>
    [
      group.label,
      ...names.map((name) => group.axes[name]).filter((value) => value !== undefined && value !== group.label),
    ].join(", "),
  );
  return long.map((label, i) => (long.indexOf(label) === i ? label : `${label} (${members[i]})`));
}

function figures(list, make_, filtered) {
  if (!list.length) return [quiet(filtered)];
  const grid = make("div", { class: "figures" });
  const more = paged(list, figuresAtFirst, "figures", (part) => grid.append(...part.map(make_)));
  return [grid, more];
}

const kept = (lines, { view, groups }) => lines.filter((line) => groups[line.group] && view.shows(groups[line.group]));

/** The metric that is drawn: the chosen one if the report has it, or its first. */
function metricOf({ view, report }) {
  const all = [...new Set([...report.evolutions, ...report.boxes].map((item) => item.metric))];
  return { all, now: all.includes(view.choices.metric) ? view.choices.metric : all[0] };
}

function metricChoice(context) {
  const { all, now } = metricOf(context);
  return (
    all.length > 1 &&
    choice(
      "metric",
      all.map((name) => [name, name]),
      now,
      (value) => context.view.choose("metric", value),
    )
  );
}

function drawEvolutions(context) {
  const { view, groups, report } = context;
  const { now } = metricOf(context);
  const drawn = report.evolutions
    .filter((one) => one.metric === now)
    .map((one) => {
      const against = one.against[view.choices.against] ? view.choices.against : Object.keys(one.against)[0];
      return { one, against, lines: kept(one.against[against]?.lines ?? [], context) };
    })
    .filter(({ lines }) => lines.length);
  return figures(
    drawn,
    ({ one, against, lines }) => {
      const labels = labelsOf(
        lines.map((line) => line.group),
        groups,
      );
      const x = one.against[against].x;
      const marks = [
        one.reachable && { name: `${one.reachable.toLocaleString("en")} reachable`, value: one.reachable },
        !one.reachable && one.total && { name: `${one.total.toLocaleString("en")} in all`, value: one.total },
      ].filter(Boolean);
      return lineFigure({
        title: one.title,
        note: one.total ? plural(one.total, "point") : "",
        xName: against,
        yName: "points covered",
        whole: true,
        marks,
        log: view.choices.steps === "log",
        lines: lines.map((line, i) => ({ ...line, x, label: labels[i] })),
      });
    },
    "No line passes the filters.",
  );
}

function evolutionTools(context) {
  const { view, report } = context;
  const against = [...new Set(report.evolutions.flatMap((one) => Object.keys(one.against)))];
  return [
    metricChoice(context),
    against.length > 1 &&
      choice(
        "against",
        against.map((name) => [name, name]),
        view.choices.against,
        (value) => view.choose("against", value),
      ),
    choice(
      "scale",
      [
        ["linear", "linear"],
        ["log", "log"],
      ],
      view.choices.steps,
      (value) => view.choose("steps", value),
    ),
  ];
}

function drawBoxes(context) {
  const { groups, report, view } = context;
  const { now } = metricOf(context);
  const drawn = report.boxes
    .filter((one) => one.metric === now)
    .map((one) => {
      const members = [...new Set(one.intervals.flatMap(({ boxes }) => boxes.map((box) => box.group)))].filter(
        (group) => groups[group] && view.shows(groups[group]),
      );
      return { one, members };
    })
    .filter(({ members }) => members.length);
  return figures(
    drawn,
    ({ one, members }) => {
      const labels = labelsOf(members, groups);
      const nameOf = new Map(members.map((group, i) => [group, labels[i]]));
      return boxFigure({
        title: one.title,
        xName: one.unit,
        yName: "points covered",
        labels,
        intervals: one.intervals.map(({ to, boxes }) => ({
          to,
          boxes: new Map(boxes.filter((box) => nameOf.has(box.group)).map((box) => [nameOf.get(box.group), box])),
        })),
      });
    },
    "No box passes the filters.",
  );
}

function drawProtocols({ report, view }) {
  const drawn = report.protocols.filter((one) => view.concerns({ design: one.design, cores: one.cores }));
  if (!drawn.length) return [quiet("No protocol passes the filters.")];
  const list = make("div", { class: "protocols" });
  const more = paged(drawn, 4, "protocol tables", (part) =>
    list.append(...part.map((one) => protocolFigure(one, view.choices.cells))),
  );
  return [list, more];
}

function drawLearning(context) {
  const { groups, report } = context;
  const drawn = report.learning.flatMap((one) => {
    const lines = kept(one.lines, context);
    return [...new Set(lines.map((line) => line.name))].map((name) => ({
      one,
      name,
      lines: lines.filter((line) => line.name === name),
    }));
  });
  return figures(
    drawn,
    ({ one, name, lines }) => {
      const labels = labelsOf(
        lines.map((line) => line.group),
        groups,
      );
      return lineFigure({
        title: `${name}: ${one.title}`,
        xName: one.x,
        yName: name,
        lines: lines.map((line, i) => ({ ...line, label: labels[i] })),
      });
    },
    "No learning curve passes the filters.",
  );
}

function drawFailures({ report, groups, view }) {
  const shown = report.failures.filter((failure) => !groups[failure.group] || view.shows(groups[failure.group]));
  return shown.length ? failureList(shown, groups, report.run) : [quiet("No failure passes the filters.")];
}

const places = [
  ["coverage", "coverage"],
  ["run", "run"],
  ["time-to-coverage", "intervals"],
  ["final-coverage", "intervals"],
  ["time-to-error", "errors"],
  ["comparison", "comparison"],
  ["mutant", "mutants"],
  ["learning", "learning"],
  ["tour", "tours"],
  ["paper", "papers"],
  ["failed", "provenance"],
  ["undecided", "provenance"],
  ["failure", "failures"],
  ["plans", "nowhere"],
  ["provenance", "nowhere"],
]; // the page has these in a form of its own
export const placeOf = (id) => places.find(([stem]) => String(id).startsWith(stem))?.[1] ?? "more";

/** Why a section is empty: said in its place in a report of nothing, else in one section for all. */
function nothingOf(sections) {
  return {
    id: "nothing",
    title: "Not in this report",
    reacts: [],
    draw: () => [
      make(
        "ul",
        { class: "quiet" },
        sections.map(({ title, none }) => make("li", {}, `${title}: ${none}`)),
      ),
    ],
  };
}

/** Of one episode: what went wrong, what was covered, then the rest. Nothing is said of what only
    several trials can have. */
function ofRun(sections) {
  const order = ["failures", "coverage", "protocols", "evolution", "run", "learning", "more", "provenance"];
  return order.map((id) => sections.find((section) => section.id === id)).filter((one) => one && one.has !== false);
}

export function sectionsOf(report) {
  const tablesOf = (id) => report.tables.filter((table) => placeOf(table.id) === id);
  const tables = (id) => (context) => [
    make(
      "div",
      { class: "tables" },
      tablesOf(id).map((table) => tableView(table, context)),
    ),
  ];
  const has = (id) => tablesOf(id).length > 0;
  /** Figures and then tables, of either of which there may be none. */
  const both = (list, draw, id) => (context) => [
    ...(list.length ? draw(context) : []),
    ...(has(id) ? tables(id)(context) : []),
  ];
  const all = [
    {
      id: "run",
      title: "The run",
      reacts: [],
      has: has("run"),
      draw: () => runFacts(tablesOf("run")[0]),
    },
    {
      id: "coverage",
      title: "Coverage and holes",
      reacts: [],
      has: has("coverage"),
      draw: tables("coverage"),
    },
    {
      id: "overview",
      title: "Overview",
      reacts: ["filter"],
      has: report.groups.length > 0,
      none: "The store holds no finished trial yet; run collider campaign, then make this page again.",
      draw: ({ groups, view }) =>
        overview(
          groups.filter((group) => view.shows(group)),
          report,
        ),
    },
    {
      id: "evolution",
      title: "Coverage evolution",
      note: report.run ? null : "Median over seeds; the band is between the quartiles.",
      reacts: ["filter", "metric", "against", "steps"],
      has: report.evolutions.length > 0,
      none: "No trial of this report has kept a coverage curve.",
      tools: evolutionTools,
      draw: drawEvolutions,
    },
    {
      id: "intervals",
      title: "Coverage by interval",
      note: "What trials had covered at the end of each interval: median, quartiles and range over seeds.",
      reacts: ["filter", "metric"],
      has: report.boxes.length > 0 || has("intervals"),
      none: "There are no intervals to compare: box plots need trials with coverage curves.",
      tools: (context) => (report.boxes.length ? [metricChoice(context)] : []),
      draw: both(report.boxes, drawBoxes, "intervals"),
    },
    {
      id: "errors",
      title: "Time to error",
      reacts: ["filter"],
      has: has("errors"),
      none: "No trial of this report hunted an error.",
      draw: tables("errors"),
    },
    {
      id: "comparison",
      title: "Comparisons",
      reacts: ["filter"],
      has: has("comparison"),
      none: "There are no two groups to compare.",
      draw: tables("comparison"),
    },
    {
      id: "mutants",
      title: "Mutants",
      reacts: ["filter"],
      has: has("mutants"),
      none: "No trial of this report ran a mutant.",
      draw: tables("mutants"),
    },
    {
      id: "protocols",
      title: "Protocol tables",
      note: report.run
        ? "Every defined transition of a controller: state down, event across."
        : "Every defined transition of a controller: state down, event across. Over all trials of the design: " +
          "only the design and core filters apply.",
      reacts: ["filter", "cells"],
      has: report.protocols.length > 0,
      none: "No trial of this report has kept the hits of transitions.",
      tools: ({ view }) => [
        choice("colour by", meanings, view.choices.cells, (value) => view.choose("cells", value)),
      ],
      draw: drawProtocols,
    },
    {
      id: "learning",
      title: "Learning",
      reacts: ["filter"],
      has: report.learning.length > 0 || has("learning"),
      none: "No engine of this report kept learning curves.",
      draw: both(report.learning, drawLearning, "learning"),
    },
    {
      id: "failures",
      title: "Failures",
      reacts: ["filter"],
      has: report.failures.length > 0 || has("failures"),
      none: "No failure was kept: no trial found an error, or none was recorded.",
      draw: (context) => [...(has("failures") ? tables("failures")(context) : []), ...drawFailures(context)],
    },
    has("tours") && { id: "tours", title: "Tours", reacts: ["filter"], draw: tables("tours") },
    has("papers") && { id: "papers", title: "Published figures", reacts: ["filter"], draw: tables("papers") },
    has("more") && { id: "more", title: "More tables", reacts: ["filter"], draw: tables("more") },
    {
      id: "provenance",
      title: "Provenance",
      reacts: [],
      draw: (context) => [...provenance(report), ...(has("provenance") ? tables("provenance")(context) : [])],
    },
  ].filter(Boolean);
  if (report.run) return ofRun(all);
  const study = all.filter(({ id }) => id !== "run" && id !== "coverage");
  const empty = study.filter((section) => section.has === false);
  if (!report.groups.length)
    return study.map((section) =>
      section.has === false ? { ...section, tools: null, draw: () => [quiet(section.none)] } : section,
    );
  return [...study.filter((section) => section.has !== false), empty.length > 0 && nothingOf(empty)].filter(Boolean);
}
