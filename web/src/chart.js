// SPDX-License-Identifier: MIT
// A figure: caption, legend of buttons, chart, and the same numbers as a table. The chart is made when
// it comes near the window, and made anew when the colours change; the legend is ours because a
// keyboard and a screen reader must reach it.
import { BoxplotChart, CustomChart, LineChart } from "echarts/charts";
import {
  AriaComponent,
  DataZoomComponent,
  GridComponent,
  MarkLineComponent,
  TooltipComponent,
} from "echarts/components";
import * as echarts from "echarts/core";
import { LabelLayout } from "echarts/features";
import { SVGRenderer } from "echarts/renderers";
import { clear, freshId, make, paged } from "./dom.js";
import { colour, onTheme, swatch } from "./theme.js";

echarts.use([
  LineChart,
  BoxplotChart,
  CustomChart,
  GridComponent,
  TooltipComponent,
  DataZoomComponent,
  MarkLineComponent,
  AriaComponent,
  LabelLayout,
  SVGRenderer,
]);

export const drawnAtFirst = 12; // more lines than this in one figure tell nothing
const narrowBelow = 480;
const live = new Set();

const near = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) if (entry.isIntersecting) entry.target.figure.start();
  },
  { rootMargin: "400px" },
);
const sized = new ResizeObserver((entries) => {
  for (const entry of entries) entry.target.figure.resize();
});

onTheme(() => live.forEach((figure) => figure.refresh()));
// Paper has another width than the window: charts are scaled to it as pictures.
let isPrinting = false;
addEventListener("beforeprint", () => {
  isPrinting = true;
  for (const host of document.querySelectorAll(".chart")) {
    host.figure.start();
    const picture = host.querySelector("svg");
    picture?.setAttribute("viewBox", `0 0 ${host.clientWidth} ${host.clientHeight}`);
  }
});
addEventListener("afterprint", () => {
  isPrinting = false;
  document.querySelectorAll(".chart svg").forEach((picture) => picture.removeAttribute("viewBox"));
});

/** Lets go of the charts whose elements have left the page. */
export function sweep() {
  for (const figure of live) if (!figure.host.isConnected) figure.stop();
}

class Figure {
  constructor(source) {
    this.source = source;
    this.hidden = new Set(source.labels.slice(drawnAtFirst));
    this.chart = null;
    this.window = [0, 100];
    this.host = make("div", {
      class: "chart",
      role: "img",
      tabindex: 0,
      "aria-label": source.describe(),
      onkeydown: (e) => this.key(e),
    });
    this.host.figure = this;
    near.observe(this.host);
  }

  start() {
    near.unobserve(this.host);
    if (this.chart || !this.host.isConnected) return;
    this.chart = echarts.init(this.host, null, { renderer: "svg" });
    this.chart.on("datazoom", () => this.zoomed());
    live.add(this);
    this.refresh();
    sized.observe(this.host);
  }

  stop() {
    sized.unobserve(this.host);
    this.chart?.dispose();
    this.chart = null;
    live.delete(this);
  }

  refresh() {
    if (!this.chart) return;
    const narrow = this.host.clientWidth < narrowBelow;
    const shown = this.source.labels.filter((label) => !this.hidden.has(label));
    this.chart.setOption(this.source.option({ shown, narrow, base: base(this.source.zoom, this.window) }), {
      notMerge: true,
    });
    this.narrow = narrow;
  }

  resize() {
    if (isPrinting) return;
    this.chart?.resize();
    if (this.chart && this.narrow !== this.host.clientWidth < narrowBelow) this.refresh();
  }

  zoomed() {
    const { start, end } = this.chart.getOption().dataZoom[0];
    this.window = [start, end];
  }

  /** Zooms by a factor about the middle, or moves by a part of the width. */
  zoom(factor, shift = 0) {
    this.start();
    const [start, end] = this.window;
    const width = Math.min(100, Math.max(1, (end - start) * factor));
    const middle = (start + end) / 2 + shift * width;
    const from = Math.min(100 - width, Math.max(0, middle - width / 2));
    this.window = [from, from + width];
    this.chart?.dispatchAction({ type: "dataZoom", start: from, end: from + width });
  }

  key(event) {
    if (!this.source.zoom || event.ctrlKey || event.metaKey || event.altKey) return;
    const moves = { "+": [0.5], "=": [0.5], "-": [2], 0: [100], ArrowLeft: [1, -0.25], ArrowRight: [1, 0.25] };
    if (!(event.key in moves)) return;
    event.preventDefault();
    this.zoom(...moves[event.key]);
  }
}

function base(zoom, [start, end]) {
  const muted = colour("muted");
  const axis = {
    axisLine: { show: true, lineStyle: { color: colour("rule-strong") } },
    axisTick: { show: true, lineStyle: { color: colour("rule-strong") } },
    axisLabel: { color: muted, fontSize: 11, hideOverlap: true },
    nameTextStyle: { color: muted, fontSize: 11.5 },
    splitLine: { lineStyle: { color: colour("rule"), width: 1 } },
  };
  const slider = {
    type: "slider",
    start,
    end,
    height: 9,
    bottom: 5,
    left: 58,
    right: 16,
    filterMode: "none",
    showDetail: false,
    brushSelect: false,
    borderColor: colour("rule"),
    backgroundColor: "transparent",
    fillerColor: colour("zoom"),
    handleSize: "170%",
    handleStyle: { color: colour("paper"), borderColor: colour("rule-strong") },
    moveHandleSize: 0,
    showDataShadow: false,
    emphasis: { handleStyle: { color: colour("paper"), borderColor: colour("accent") } },
  };
  const inside = {
    type: "inside",
    start,
    end,
    filterMode: "none",
    zoomOnMouseWheel: "ctrl",
    moveOnMouseWheel: false,
    preventDefaultMouseMove: false,
  };
  return {
    axis,
    option: {
      animation: false,
      aria: { enabled: false }, // the host element is described, in words of ours
      textStyle: { fontFamily: colour("sans"), color: colour("ink") },
      grid: { left: 6, right: 14, top: 14, bottom: zoom ? 22 : 6, outerBoundsMode: "same", outerBoundsContain: "all" },
      dataZoom: zoom ? [inside, slider] : [],
      tooltip: {
        confine: true,
        transitionDuration: 0,
        padding: 0,
        borderWidth: 0,
        backgroundColor: "transparent",
        extraCssText: "box-shadow:none",
        axisPointer: {
          lineStyle: { color: colour("rule-strong"), type: "solid" },
          shadowStyle: { color: colour("zoom"), opacity: 0.5 },
        },
      },
    },
  };
}

/** A tooltip's content; rows: [[label, text], …] */
export function tip(head, rows) {
  const most = 14;
  return make(
    "div",
    { class: "tip" },
    make("div", { class: "tip-head" }, head),
    make(
      "table",
      {},
      make(
        "tbody",
        {},
        rows
          .slice(0, most)
          .map(([label, text]) =>
            make("tr", {}, make("td", {}, swatch(label)), make("th", { scope: "row" }, label), make("td", {}, text)),
          ),
      ),
    ),
    rows.length > most && make("div", { class: "quiet" }, `and ${rows.length - most} more`),
  );
}

function legend(figure, labels) {
  const note =
    labels.length > drawnAtFirst &&
    make("span", { class: "quiet" }, `${drawnAtFirst} of ${labels.length} are drawn; press a name to draw it.`);
  const most = 60;
  return make(
    "div",
    { class: "legend", role: "group", "aria-label": "Series" },
    labels.slice(0, most).map((label) => {
      const button = make(
        "button",
        {
          type: "button",
          "aria-pressed": String(!figure.hidden.has(label)),
          title: "Show or hide; with Shift, show this one alone",
          onclick: (event) => toggle(label, event.shiftKey),
        },
        swatch(label),
        make("span", {}, label),
      );
      button.label = label;
      return button;
    }),
    note,
  );
  function toggle(label, alone) {
    if (alone) labels.forEach((other) => figure.hidden.add(other));
    if (!figure.hidden.delete(label)) figure.hidden.add(label);
    for (const button of figure.element.querySelectorAll(".legend button"))
      button.setAttribute("aria-pressed", String(!figure.hidden.has(button.label)));
    figure.refresh();
  }
}

function asTable({ head, body }, caption) {
  const rows = make("tbody");
  const table = make(
    "table",
    { class: "numbers" },
    make("caption", { class: "hidden" }, caption),
    make(
      "thead",
      {},
      make(
        "tr",
        {},
        head.map((name) => make("th", { scope: "col" }, name)),
      ),
    ),
    rows,
  );
  const more = paged(body, 30, "rows", (part) =>
    part.forEach(([first, ...rest]) =>
      rows.append(
        make(
          "tr",
          {},
          make("th", { scope: "row" }, first),
          rest.map((text) => make("td", {}, text)),
        ),
      ),
    ),
  );
  return [
    make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `${caption}, as a table` }, table),
    more,
  ];
}

/** source: {title, note, labels, zoom, describe() → text, option({shown, narrow, base}), table() → {head, body}} */
export function figure(source) {
  const made = new Figure(source);
  const id = freshId("numbers");
  const numbers = make("div", { id, class: "as-table", hidden: true });
  const show = make(
    "button",
    {
      type: "button",
      "aria-expanded": "false",
      "aria-controls": id,
      onclick: () => {
        numbers.hidden = !numbers.hidden;
        show.setAttribute("aria-expanded", String(!numbers.hidden));
        show.textContent = numbers.hidden ? "Show as table" : "Hide table";
        clear(numbers);
        if (!numbers.hidden) numbers.append(...asTable(source.table(), source.title));
      },
    },
    "Show as table",
  );
  const zoom =
    source.zoom &&
    [
      ["Zoom in", "+", 0.5],
      ["Zoom out", "−", 2],
      ["Whole range", "↔", 100],
    ].map(([name, text, factor]) =>
      make(
        "button",
        {
          type: "button",
          class: "square",
          title: name,
          "aria-label": `${name}: ${source.title}`,
          onclick: () => made.zoom(factor),
        },
        text,
      ),
    );
  made.element = make(
    "figure",
    {},
    make(
      "figcaption",
      {},
      make(
        "span",
        {},
        make("span", { class: "figure-title" }, source.title),
        source.note && make("span", { class: "quiet" }, source.note),
      ),
      make("span", { class: "tools" }, zoom, show),
    ),
  );
  made.element.append(legend(made, source.labels), made.host, numbers);
  return made.element;
}
