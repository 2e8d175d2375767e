// SPDX-License-Identifier: MIT
// Measures the contrast of all text that can be seen, as WCAG 2 defines it. Runs inside the page, so it
// is one function that needs nothing around it.

/** Texts below 4.5:1 (3:1 for large ones), and series (their names have their colours) below 4.5:1; and how many there are. */
export function contrasts() {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const parse = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const over = ([r, g, b, a], [x, y, z]) => [r, g, b].map((c, i) => (c * a + [x, y, z][i] * (255 - a)) / 255);
  const light = (colour) =>
    colour
      .slice(0, 3)
      .map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
      .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const cache = new Map();
  const colour = (text) => cache.get(text) ?? cache.set(text, parse(text)).get(text);
  const ground = (element) => {
    const layers = [];
    for (let one = element; one; one = one.parentElement) {
      const layer = colour(getComputedStyle(one).backgroundColor);
      if (layer[3]) layers.push(layer);
      if (layer[3] === 255) break;
    }
    return layers.reduceRight((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const poor = [];
  let count = 0;
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (
      !own ||
      !element.checkVisibility() ||
      ["SCRIPT", "STYLE", "NOSCRIPT", "OPTION", "TITLE"].includes(element.tagName) ||
      element.closest(".hidden")
    )
      continue;
    const style = getComputedStyle(element);
    const vector = element instanceof SVGElement;
    const paper = ground(vector ? element.ownerSVGElement.parentElement : element);
    const found = ratio(over(colour(vector ? style.fill : style.color), paper), paper);
    const size = parseFloat(style.fontSize),
      large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    count++;
    if (found < (large ? 3 : 4.5))
      poor.push(
        `${element.tagName}.${element.getAttribute("class") ?? ""} "${element.textContent.trim().slice(0, 20)}" ${found.toFixed(2)}`,
      );
  }
  const root = getComputedStyle(document.documentElement);
  for (let i = 0; i < 8; i++) {
    const found = ratio(colour(root.getPropertyValue(`--series-${i}`)), colour(root.getPropertyValue("--paper")));
    if (found < 4.5) poor.push(`series ${i} ${found.toFixed(2)}`);
  }
  return { poor: poor.slice(0, 20), count };
}
