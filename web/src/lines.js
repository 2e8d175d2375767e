// SPDX-License-Identifier: MIT
// Lines with quartile bands: coverage evolution and learning curves.
import { figure, tip } from "./chart.js";
import { compact, whole } from "./format.js";
import { colour, look } from "./theme.js";

/** Where the values end; beyond the end of the shortest trial there are none. */
function ended(values) {
  let end = values.length;
  while (end > 0 && (values[end - 1] === null || values[end - 1] === undefined)) end--;
  return end;
}

function band(line, from) {
  const { ink } = look(line.label);
  const points = line.x
    .map((x, i) => [x, line.lower?.[i], line.upper?.[i]])
    .filter((p) => p[0] >= from && Number.isFinite(p[1]) && Number.isFinite(p[2]));
  return (
    points.length > 1 && {
      type: "custom",
      name: line.label,
      silent: true,
      z: 1,
      clip: true,
      data: points,
      encode: { x: 0, y: [1, 2] },
      tooltip: { show: false },
      // The whole band is one shape: one polygon per step would show seams.
      renderItem: (params, api) =>
        params.dataIndexInside !== 0
          ? null
          : {
              type: "polygon",
              shape: {
                points: [
                  ...points.map((p) => api.coord([p[0], p[1]])),
                  ...points.map((p) => api.coord([p[0], p[2]])).reverse(),
                ],
              },
              style: { fill: ink, opacity: 0.13 },
            },
    }
  );
}

function median(line, from) {
  const { ink, dash } = look(line.label);
  const end = ended(line.median);
  const data = line.x
    .slice(0, end)
    .map((x, i) => [x, line.median[i]])
    .filter((p) => p[0] >= from);
  return {
    type: "line",
    name: line.label,
    data,
    showSymbol: data.length === 1,
    symbol: "circle",
    symbolSize: 6,
    z: 3,
    lineStyle: { color: ink, width: 1.9, type: dash, cap: "butt" },
    itemStyle: { color: ink },
    emphasis: { disabled: true },
  };
}

/** Lines end where their shortest trial does; their names stand in one column at the edge, apart. */
function names(lines, from) {
  const apart = 13;
  const ends = lines
    .map((line) => ({
      line,
      points: line.x.map((x, i) => [x, line.median[i]]).filter((p) => p[0] >= from && Number.isFinite(p[1])),
    }))
    .filter(({ points }) => points.length);
  return (
    ends.length > 0 && {
      type: "custom",
      silent: true,
      clip: false,
      z: 4,
      data: [ends[0].points[0]],
      tooltip: { show: false },
      renderItem: ({ coordSys: { x: left, y: top, width, height } }, api) => {
        const edge = left + width;
        const tags = ends
          .map(({ line, points }) => {
            const seen = points.map((p) => api.coord(p)).filter(([x]) => x <= edge + 1);
            return seen.length && { line, at: seen[seen.length - 1] };
          })
          .filter((tag) => tag && tag.at[1] >= top - 1 && tag.at[1] <= top + height + 1)
          .sort((a, b) => a.at[1] - b.at[1]);
        tags.forEach((tag, i) => {
          tag.y = Math.max(tag.at[1], i ? tags[i - 1].y + apart : top);
        });
        for (let i = tags.length - 1, most = top + height; i >= 0 && tags[i].y > most; i--, most -= apart)
          tags[i].y = most;
        return {
          type: "group",
          children: tags.flatMap(({ line, at: [x, y], y: to }) => [
            {
              type: "line",
              shape: { x1: Math.max(left, x) + 2, y1: y, x2: edge + 6, y2: to },
              style: { stroke: look(line.label).ink, lineWidth: 1, lineDash: [1, 3], opacity: 0.6 },
            },
            {
              type: "text",
              x: edge + 9,
              y: to,
              style: { text: line.label, fill: look(line.label).ink, fontSize: 11.5, verticalAlign: "middle" },
            },
          ]),
        };
      },
    }
  );
}

function bounds(marks) {
  return (
    marks.length > 0 && {
      type: "line",
      data: [],
      silent: true,
      markLine: {
        silent: true,
        symbol: "none",
        animation: false,
        lineStyle: { color: colour("rule-strong"), type: [3, 3], width: 1 },
        label: {
          color: colour("muted"),
          fontSize: 11,
          position: "insideStartTop",
          distance: [2, 3],
          formatter: (p) => p.name,
        },
        data: marks.map(({ name, value }) => ({ name, yAxis: value })),
      },
    }
  );
}

const quartiles = (line, i) =>
  Number.isFinite(line.lower?.[i]) && Number.isFinite(line.upper?.[i])
    ? ` (${compact(line.lower[i])}–${compact(line.upper[i])})`
    : "";

function nearest(xs, x) {
  let low = 0,
    high = xs.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (xs[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low > 0 && x - xs[low - 1] < xs[low] - x ? low - 1 : low;
}

function numbers(lines, xName) {
  const shared = lines.every(
    (line) => line.x.length === lines[0].x.length && line.x.every((x, i) => x === lines[0].x[i]),
  );
  const cell = (line, i) =>
    line.median[i] === null || line.median[i] === undefined ? "–" : compact(line.median[i]) + quartiles(line, i);
  if (shared)
    return {
      head: [xName, ...lines.map((line) => line.label)],
      body: lines[0].x.map((x, i) => [compact(x), ...lines.map((line) => cell(line, i))]),
    };
  return {
    head: ["line", xName, "median (quartiles)"],
    body: lines.flatMap((line) => line.x.map((x, i) => [line.label, compact(x), cell(line, i)])),
  };
}

function describe({ title, lines, xName, yName }) {
  const ends = lines.slice(0, 8).map((line) => {
    const last = ended(line.median) - 1;
    return last < 0
      ? `${line.label}: no values`
      : `${line.label}: ${compact(line.median[last])}${quartiles(line, last)} at ${compact(line.x[last])}`;
  });
  return `Line chart, ${title}: ${yName} against ${xName}, median and quartiles. At the end, ${ends.join("; ")}${lines.length > 8 ? `; and ${lines.length - 8} more` : ""}.`;
}

/** chart: {title, note, lines: [{label, x, lower, median, upper}], xName, yName, log, marks: [{name, value}], whole} */
export function lineFigure(chart) {
  const { lines, xName, yName, log, marks = [] } = chart;
  const from = log ? Number.MIN_VALUE : -Infinity;
  return figure({
    title: chart.title,
    note: chart.note,
    zoom: true,
    labels: lines.map((line) => line.label),
    describe: () => describe(chart),
    table: () => numbers(lines, xName),
    option: ({ shown, narrow, base: { axis, option } }) => {
      const drawn = lines.filter((line) => shown.includes(line.label));
      const top = drawn.reduce(
        (most, line) => [line.median, line.upper ?? []].flat().reduce((a, b) => (b > a ? b : a), most),
        -Infinity,
      );
      const seen = marks.filter(({ value }) => top >= 0.6 * value);
      const longest = Math.max(0, ...drawn.map((line) => line.label.length));
      option.grid.right = narrow ? 14 : Math.min(150, 8 + longest * 6.4);
      if (option.dataZoom[1]) option.dataZoom[1].right = option.grid.right + 14;
      return {
        ...option,
        xAxis: {
          ...axis,
          type: log ? "log" : "value",
          name: xName,
          nameLocation: "middle",
          nameGap: 24,
          min: log ? "dataMin" : 0,
          max: "dataMax",
          splitLine: { show: false },
          axisLabel: { ...axis.axisLabel, formatter: compact },
        },
        yAxis: {
          ...axis,
          type: "value",
          name: yName,
          nameLocation: "middle",
          nameRotate: 90,
          nameGap: 38,
          scale: true,
          max: seen.length ? Math.max(top, ...seen.map((mark) => mark.value)) : null,
          axisLine: { show: false },
          axisTick: { show: false },
          axisLabel: { ...axis.axisLabel, formatter: compact, showMaxLabel: seen.length ? false : null },
        },
        tooltip: {
          ...option.tooltip,
          trigger: "axis",
          formatter: (found) => {
            const x = found[0]?.axisValue ?? 0;
            const rows = drawn
              .map((line) => [line, nearest(line.x, x)])
              .filter(([line, i]) => Number.isFinite(line.median[i]))
              .sort(([a, i], [b, j]) => b.median[j] - a.median[i])
              .map(([line, i]) => [line.label, (chart.whole ? whole : compact)(line.median[i]) + quartiles(line, i)]);
            return tip(`${compact(x)} ${xName}`, rows);
          },
        },
        series: [
          bounds(seen),
          ...drawn.map((line) => band(line, from)),
          ...drawn.map((line) => median(line, from)),
          !narrow && names(drawn, from),
        ].filter(Boolean),
      };
    },
  });
}
