// SPDX-License-Identifier: MIT
// Makes elements. Text from a report comes from file names, protocols and plans of anyone, so it enters
// the page through text nodes and attributes alone, never as markup.

/** make("p", { class: "note", onclick: f }, "text", child, …); null and false children are skipped. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

export function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

export function clear(element) {
  element.replaceChildren();
  return element;
}

const svgSpace = "http://www.w3.org/2000/svg";

export function makeSvg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(svgSpace, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

let count = 0;
export const freshId = (stem) => `${stem}-${++count}`;

/** A row of buttons of which one is pressed. values: [[value, text], …] */
export function choice(label, values, chosen, choose) {
  const buttons = values.map(([value, text]) =>
    make(
      "button",
      { type: "button", "aria-pressed": String(value === chosen), "data-value": value, onclick: () => press(value) },
      text,
    ),
  );
  function press(value) {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.value === String(value)));
    choose(value);
  }
  const group = make(
    "div",
    { class: "choice", role: "group", "aria-label": label },
    make("span", { class: "choice-label" }, label),
    buttons,
  );
  return group;
}

/** Shows a long list a page at a time; draw(items) fills the list, and once more when more is asked for. */
export function paged(items, size, noun, draw) {
  let shown = 0;
  const more = make("div", { class: "more" });
  function next(amount) {
    const part = items.slice(shown, shown + amount);
    shown += part.length;
    draw(part);
    clear(more);
    if (shown >= items.length) return;
    const left = items.length - shown;
    append(more, [
      make("button", { type: "button", onclick: () => next(size) }, `Show ${Math.min(size, left)} more`),
      left > size &&
        left <= 500 &&
        make("button", { type: "button", onclick: () => next(left) }, `Show all ${items.length}`),
      make("span", { class: "quiet" }, `${shown} of ${items.length.toLocaleString("en")} ${noun}`),
    ]);
  }
  next(size);
  return more;
}
