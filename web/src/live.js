// SPDX-License-Identifier: MIT
// A page that `collider serve` sent asks it for news: which trials are running, how far they have got,
// and whether there are new results. These replace the old ones at once, unless the reader has opened
// something: then a button does it. A page from disk has none of this.
import { append, clear, make } from "./dom.js";
import { compact, duration, plural } from "./format.js";

const pause = 1000; // milliseconds between questions
const head = ["trial", "running for", "tests", "cycles", "structural", "functional", "where"];

/** The same address with another path; the token stays. */
const addressOf = (path) => new URL(path, location.href.split(/[?#]/)[0]).href + location.search;

/** Asks; null if nothing has changed since the tag. */
async function ask(path, tag) {
  const answer = await fetch(addressOf(path), { cache: "no-store", headers: tag ? { "If-None-Match": tag } : {} });
  if (answer.status === 304) return null;
  if (!answer.ok) throw new Error((await answer.text()).trim() || `status ${answer.status}`);
  return { tag: answer.headers.get("ETag"), value: await answer.json() };
}

function coverage([covered, total]) {
  if (!total) return make("td", { class: "quiet" }, "–");
  return make(
    "td",
    {},
    make("progress", { max: total, value: covered, "aria-label": `${covered} of ${total} points` }),
    ` ${((100 * covered) / total).toFixed(1)} %`,
  );
}

function row(trial, now) {
  return make(
    "tr",
    { "data-key": trial.key },
    make("th", { scope: "row" }, trial.text ?? trial.key),
    make(
      "td",
      {},
      duration(Math.max(0, now - trial.since)),
      !trial.alive && make("span", { class: "verdict" }, " its campaign is gone"),
    ),
    make("td", { class: "number" }, compact(trial.tests)),
    make("td", { class: "number" }, compact(trial.cycles)),
    coverage(trial.structural),
    coverage(trial.functional),
    make("td", {}, `${trial.host}, process ${trial.pid}, ${trial.store}`),
  );
}

function runningTable(running, now) {
  return make(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Running trials" },
    make(
      "table",
      { "data-table": "running" },
      make("thead", {}, make("tr", {}, head.map((name) => make("th", { scope: "col" }, name)))),
      make("tbody", {}, running.map((trial) => row(trial, now))),
    ),
  );
}

/** What all plans of the report come to. */
function totals(report) {
  const sum = (name) => (report.provenance?.plans ?? []).reduce((all, plan) => all + (plan[name] ?? 0), 0);
  const [done, failed, trials] = ["done", "failed", "trials"].map(sum);
  return (
    `${done.toLocaleString("en")} of ${trials.toLocaleString("en")} trials done` +
    (failed ? `, ${failed.toLocaleString("en")} failed` : "") +
    `, ${plural(report.failures.length, "failure")}`
  );
}

/** Has the reader opened something that new results would close? */
const isReading = () =>
  [...document.querySelectorAll("main details[open]")].some((one) => one.dataset.opened) ||
  getSelection()?.toString().length > 0;

export class Live {
  constructor(report, show) {
    this.report = report;
    this.show = show;
    this.tag = report.live; // of the data that are shown
    this.known = null; // of the last answer about what runs
    this.last = { running: [], trouble: "", data: this.tag };
    this.status = make("p", { role: "status", class: "live-status" });
    this.news = make("button", { type: "button", hidden: true, onclick: () => this.update() }, "Show new results");
    this.body = make("div", {});
    this.element = make(
      "section",
      { class: "live", "aria-labelledby": "running" },
      make("h2", { id: "running", tabindex: -1 }, "Running"),
      this.status,
      this.news,
      this.body,
    );
    addEventListener("click", ({ target }) => {
      const details = target.closest?.("main summary")?.parentElement;
      if (details) details.dataset.opened = "yes";
    });
    this.draw();
    this.next();
  }

  draw(problem) {
    const { running, trouble } = this.last;
    const lines = [totals(this.report), `${running.length} running`, problem ?? trouble].filter(Boolean);
    if (this.status.textContent !== lines.join("; ")) this.status.textContent = lines.join("; ");
    append(clear(this.body), running.length ? [runningTable(running, Date.now() / 1000)] : []);
  }

  async update() {
    const answer = await ask("data", null);
    this.tag = answer.tag;
    this.news.hidden = true;
    this.report = answer.value;
    this.show(this.report);
    this.draw();
  }

  async look() {
    const answer = await ask("live", this.known);
    if (answer) {
      this.known = answer.tag;
      this.last = answer.value;
    }
    this.draw();
    if (this.last.data === this.tag) return;
    if (isReading()) this.news.hidden = false;
    else await this.update();
  }

  next() {
    setTimeout(async () => {
      try {
        await this.look();
      } catch (error) {
        this.known = null;
        this.draw(`collider serve does not answer (${error.message}): what follows is what there was`);
      }
      this.next();
    }, pause);
  }
}
