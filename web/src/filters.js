// SPDX-License-Identifier: MIT
// The filters: for each axis of the plans a list of its values to tick. Long lists can be searched.
import { append, clear, make } from "./dom.js";

const searchFrom = 12;
const nameOf = (value) => (value === "" ? "(not set)" : value);

function axisFilter(axis, view) {
  const boxes = axis.values.map((value) => make("input", { type: "checkbox", value, onchange: commit }));
  const items = boxes.map((box, i) => make("li", {}, make("label", {}, box, " ", nameOf(axis.values[i]))));
  const state = make("span", { class: "quiet" });
  function commit() {
    view.set(
      axis.name,
      boxes.filter((box) => box.checked).map((box) => box.value),
    );
  }
  function tick(on) {
    boxes.forEach((box, i) => {
      if (!items[i].hidden) box.checked = on;
    });
    commit();
  }
  const search =
    axis.values.length > searchFrom &&
    make("input", {
      type: "search",
      placeholder: `search ${axis.values.length} values`,
      "aria-label": `Search the values of ${axis.name}`,
      oninput: (event) =>
        items.forEach((item, i) => {
          item.hidden = !nameOf(axis.values[i]).toLowerCase().includes(event.target.value.toLowerCase());
        }),
    });
  function refresh() {
    boxes.forEach((box) => {
      box.checked = view.allows(axis.name, box.value);
    });
    const count = boxes.filter((box) => box.checked).length;
    state.textContent = count === boxes.length ? `all ${count}` : `${count} of ${boxes.length}`;
    element.classList.toggle("active", count !== boxes.length);
  }
  const element = make(
    "details",
    { class: "axis", open: axis.values.length <= searchFrom },
    make("summary", {}, make("span", { class: "axis-name" }, axis.name), " ", state),
    make(
      "div",
      { class: "axis-tools" },
      make("button", { type: "button", onclick: () => tick(true), "aria-label": `All values of ${axis.name}` }, "all"),
      make("button", { type: "button", onclick: () => tick(false), "aria-label": `No value of ${axis.name}` }, "none"),
      search,
    ),
    make("ul", {}, items),
  );
  refresh();
  return { element, refresh };
}

export function filters(view) {
  const parts = view.axes.map((axis) => axisFilter(axis, view));
  const body = make(
    "div",
    { class: "filters" },
    parts.length
      ? parts.map((part) => part.element)
      : make("p", { class: "quiet" }, "All groups have the same settings: there is nothing to filter by."),
  );
  return { element: body, refresh: () => parts.forEach((part) => part.refresh()) };
}

/** One line that says what is shown, read out when it changes. */
export function summary(view, groups) {
  const element = make("p", { class: "shown", role: "status" });
  function refresh() {
    const count = groups.filter((group) => view.shows(group)).length;
    clear(element);
    element.classList.toggle("active", view.chosen.size > 0);
    if (!view.chosen.size) return;
    append(element, [
      `Showing ${count.toLocaleString("en")} of ${groups.length.toLocaleString("en")} groups: `,
      [...view.chosen].map(([name, values]) =>
        make(
          "span",
          { class: "chip" },
          `${name}: ${values.size > 4 ? `${values.size} values` : [...values].map(nameOf).join(", ") || "none"}`,
        ),
      ),
      make("button", { type: "button", onclick: () => view.reset() }, "Show all"),
    ]);
  }
  refresh();
  return { element, refresh };
}
