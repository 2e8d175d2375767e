// SPDX-License-Identifier: MIT
// Puts the page together from the data that `collider report` wrote into it.
import { sweep } from "./chart.js";
import { append, clear, make } from "./dom.js";
import { filters, summary } from "./filters.js";
import { Live } from "./live.js";
import { sectionsOf } from "./sections.js";
import { rememberLabels, startTheme, themeSwitch } from "./theme.js";
import { View } from "./view.js";

const lists = ["axes", "groups", "evolutions", "boxes", "tables", "protocols", "learning", "failures", "left_out"];

function complete(report) {
  if (report.format !== 1) throw new Error(`This page reads data of format 1; the report has format ${report.format}.`);
  for (const name of lists) if (!Array.isArray(report[name])) report[name] = [];
  return report;
}

const readReport = () => JSON.parse(document.getElementById("report-data").textContent);

/** Goes to a section without touching the address, which holds the filters. */
function jump(id) {
  return (event) => {
    event.preventDefault();
    const heading = document.getElementById(id);
    heading.scrollIntoView();
    heading.focus({ preventScroll: true });
  };
}

function sectionView(section, context) {
  const heading = make("h2", { id: section.id, tabindex: -1 }, section.title);
  const tools = make("div", { class: "section-tools" });
  const body = make("div", { class: "section-body" });
  const draw = () => append(clear(body), section.draw({ ...context, under: section.title }));
  const drawTools = () => section.tools && append(clear(tools), section.tools(context));
  drawTools();
  draw();
  return {
    ...section,
    draw,
    drawTools,
    element: make(
      "section",
      { "aria-labelledby": section.id },
      make("div", { class: "section-head" }, heading, tools),
      section.note && make("p", { class: "note" }, section.note),
      body,
    ),
  };
}

function sidebar(sections, filter, signal) {
  const wide = matchMedia("(min-width: 70rem)");
  const contents = make(
    "details",
    { class: "panel" },
    make("summary", {}, "Contents"),
    make(
      "nav",
      { "aria-label": "Contents" },
      make(
        "ol",
        {},
        sections.map(({ id, title }) => make("li", {}, make("a", { href: `#${id}`, onclick: jump(id) }, title))),
      ),
    ),
  );
  const panel = filter && make("details", { class: "panel" }, make("summary", {}, "Filters"), filter.element);
  const fit = () => {
    contents.open = wide.matches;
    if (panel) panel.open = wide.matches;
  };
  fit();
  wide.addEventListener("change", fit, { signal });
  return make("aside", { "aria-label": "Contents and filters" }, contents, panel);
}

let live = null; // what asks for news, in a page that was served
let drawn = null; // ends the listening of what was shown before

/** Puts the report into the page, in the place of the one before. */
function show(report) {
  const { groups } = complete(report);
  const at = scrollY;
  drawn?.abort();
  drawn = new AbortController();
  const { signal } = drawn;
  rememberLabels(groups.map((group) => group.label));
  const view = new View(report.axes, groups);
  view.read(location.hash);
  const context = { report, groups, view };
  const sections = sectionsOf(report).map((section) => sectionView(section, context));
  const filter = filters(view),
    shown = summary(view, groups);

  function redraw(what) {
    filter.refresh();
    shown.refresh();
    for (const section of sections) if (what === "all" || section.reacts.includes(what)) section.draw();
    // A choice that several sections offer looks the same in all of them.
    if (what === "metric")
      sections.forEach((section) => section.element.contains(document.activeElement) || section.drawTools());
    sweep();
  }
  view.onChange((what) => {
    history.replaceState(null, "", `#${view.write()}`);
    redraw(what);
  });
  addEventListener(
    "hashchange",
    () => {
      if (location.hash && !location.hash.includes("=")) return; // the place of a heading
      view.read(location.hash);
      sections.forEach((section) => section.drawTools());
      redraw("all");
    },
    { signal },
  );

  const page = document.getElementById("page");
  append(clear(page), [
    make(
      "header",
      {},
      make(
        "div",
        {},
        make("h1", {}, report.title || "Report"),
        make(
          "p",
          { class: "quiet" },
          `${report.tool ?? "collider"} · ${
            report.provenance?.plans
              ?.map((plan) => plan.name)
              .slice(0, 6)
              .join(", ") || "no plan"
          }`,
        ),
      ),
      themeSwitch(),
    ),
    make(
      "div",
      { class: "columns" },
      sidebar(sections, report.run ? null : filter, signal),
      make(
        "main",
        { id: "main", tabindex: -1 },
        live?.element,
        shown.element,
        sections.map((section) => section.element),
      ),
    ),
  ]);
  sweep();
  scrollTo(0, at);
}

function start() {
  const report = readReport();
  startTheme();
  if (report.live) live = new Live(complete(report), show);
  show(report);
  document.querySelector(".skip").addEventListener("click", jump("main"));
  document.documentElement.dataset.ready = "yes";
}

try {
  start();
} catch (error) {
  append(clear(document.getElementById("page")), [
    make("p", { role: "alert" }, `This report cannot be shown: ${error.message}`),
  ]);
  throw error;
}
