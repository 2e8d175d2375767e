// SPDX-License-Identifier: MIT
// Failures: what went wrong in words and as a picture, and the shrunk test to take away. Pictures are
// shown as images, in which no script can run.
import { make, paged } from "./dom.js";
import { compact, duration, plural, whole } from "./format.js";

async function copy(text, pre) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection().selectAllChildren(pre); // the older way needs a selection
    return document.execCommand("copy");
  }
}

function copyButton(name, text, place) {
  const button = make(
    "button",
    {
      type: "button",
      "aria-label": `Copy: ${name}`,
      onclick: async () => {
        button.textContent = (await copy(text, place)) ? "Copied" : "Selected: press Ctrl+C";
        setTimeout(() => {
          button.textContent = "Copy";
        }, 2000);
      },
    },
    "Copy",
  );
  return button;
}

function listing(name, text) {
  if (!text) return null;
  const pre = make("pre", { tabindex: 0, "aria-label": name }, text);
  return make(
    "div",
    { class: "listing" },
    make("div", { class: "listing-head" }, make("span", {}, name), copyButton(name, text, pre)),
    pre,
  );
}

const shrinkOf = (command) => command.replace(/^collider replay /, "collider shrink ");

/** A command on a line of its own, to take away. */
function line(name, text) {
  const code = make("code", {}, text);
  return make("p", { class: "command" }, make("span", { class: "quiet" }, name), code, copyButton(name, text, code));
}

/** What tells a failure of one run from the others: how many are like it, and what is wrong. */
function headOfBug(failure) {
  return [
    make("span", { class: "verdict" }, failure.verdict || "failures"),
    ` ${plural(failure.count ?? 1, "failure")}: ${failure.fingerprint ?? failure.reason ?? ""}`,
  ];
}

function failureView(failure, groups, isFirst, isRun) {
  const group = groups[failure.group];
  const where = group
    ? [
        group.label,
        group.scenario ??
          Object.values(group.axes)
            .filter((value) => value !== group.label)
            .join(", "),
      ].join(" · ")
    : "";
  const size = [
    failure.threads && plural(failure.threads, "thread"),
    failure.operations && plural(failure.operations, "operation"),
    failure.locations && plural(failure.locations, "location"),
  ]
    .filter(Boolean)
    .join(", ");
  const facts = [
    failure.test > 0 && `${isRun ? "first in test" : "test"} ${whole(failure.test)}`,
    failure.instance > 0 && `instance ${whole(failure.instance)}`,
    failure.cycles > 0 && `after ${compact(failure.cycles)} cycles`,
    failure.seconds > 0 && duration(failure.seconds),
    size && `shrunk to ${size}`,
  ]
    .filter(Boolean)
    .join(" · ");
  const [short, ...steps] = (failure.story ?? "").split(/\n\s*\n/); // in short first, then in full
  const lead = short.replace(/([^.\s])\n/g, "$1 "); // lines that were broken for a terminal
  const picture =
    failure.picture &&
    make("img", {
      alt: `The cycle of this failure: ${failure.reason ?? ""} ${lead}`,
      src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(failure.picture)}`,
    });
  return make(
    "article",
    { class: "failure" },
    isRun
      ? make("h3", {}, headOfBug(failure))
      : make(
          "h3",
          {},
          make("span", { class: "verdict" }, failure.verdict ?? "failure"),
          " ",
          where,
          failure.seed !== null &&
            failure.seed !== undefined &&
            make("span", { class: "quiet" }, ` seed ${failure.seed}`),
        ),
    make("p", { class: "quiet" }, facts),
    failure.reason && failure.reason !== failure.fingerprint && make("p", {}, failure.reason),
    !isRun && failure.fingerprint && make("p", { class: "fingerprint" }, failure.fingerprint),
    failure.command && line("see it again", failure.command),
    isRun && failure.command && !failure.operations && line("make it small", shrinkOf(failure.command)),
    failure.mend && line("mended by", failure.mend),
    lead && make("p", { class: "story" }, lead),
    picture &&
      make(
        "details",
        { open: isFirst || isRun },
        make("summary", {}, "The cycle, and what the controllers did"),
        make("div", { class: "picture", tabindex: 0, role: "region", "aria-label": "Picture of the failure" }, picture),
      ),
    steps.length > 0 &&
      make(
        "details",
        {},
        make("summary", {}, "The story, step by step"),
        make("div", { class: "listings" }, listing("story", failure.story)),
      ),
    (failure.litmus || failure.program) &&
      make(
        "details",
        {},
        make("summary", {}, "The shrunk test"),
        make("div", { class: "listings" }, listing("litmus test", failure.litmus), listing("program", failure.program)),
      ),
  );
}

/** isRun: they are of one episode, each with those that are like it. */
export function failureList(failures, groups, isRun) {
  const list = make("div", { class: "failures" });
  const more = paged(failures, 10, "failures", (part) =>
    part.forEach((failure) => list.append(failureView(failure, groups, list.childElementCount === 0, isRun))),
  );
  return [list, more];
}
