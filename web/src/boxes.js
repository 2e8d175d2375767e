// SPDX-License-Identifier: MIT
// Box plots of the coverage that trials had reached at the end of each interval.
import { figure, tip } from "./chart.js";
import { compact, plural } from "./format.js";
import { look } from "./theme.js";

const spread = ([min, lower, median, upper, max]) =>
  `${compact(median)} (${compact(lower)}–${compact(upper)}; ${compact(min)}–${compact(max)})`;

/** chart: {title, note, yName, xName, intervals: [{to, boxes: Map label → {box, n}}], labels} */
export function boxFigure(chart) {
  const { intervals, labels } = chart;
  const names = intervals.map(({ to }) => compact(to));
  return figure({
    title: chart.title,
    note: chart.note,
    labels,
    zoom: false,
    describe: () => {
      const last = intervals[intervals.length - 1];
      return `Box plots, ${chart.title}: ${chart.yName} after ${names.join(", ")} ${chart.xName}. After the last, medians are ${labels
        .slice(0, 8)
        .filter((label) => last.boxes.has(label))
        .map((label) => `${label}: ${compact(last.boxes.get(label).box[2])}`)
        .join("; ")}.`;
    },
    table: () => ({
      head: [`after ${chart.xName}`, ...labels],
      body: intervals.map(({ boxes }, i) => [
        names[i],
        ...labels.map((label) => (boxes.has(label) ? spread(boxes.get(label).box) : "–")),
      ]),
    }),
    option: ({ shown, base: { axis, option } }) => ({
      ...option,
      xAxis: {
        ...axis,
        type: "category",
        data: names,
        name: `after ${chart.xName}`,
        nameLocation: "middle",
        nameGap: 24,
        splitLine: { show: false },
        axisTick: { show: false },
      },
      yAxis: {
        ...axis,
        type: "value",
        scale: true,
        name: chart.yName,
        nameLocation: "middle",
        nameRotate: 90,
        nameGap: 38,
        axisLine: { show: false },
        axisTick: { show: false },
        axisLabel: { ...axis.axisLabel, formatter: compact },
      },
      tooltip: {
        ...option.tooltip,
        trigger: "axis",
        axisPointer: { ...option.tooltip.axisPointer, type: "shadow" },
        formatter: (found) => {
          const { boxes, to } = intervals[found[0]?.dataIndex ?? 0];
          const rows = shown.filter((label) => boxes.has(label)).map((label) => [label, spread(boxes.get(label).box)]);
          const count = rows.length ? boxes.get(rows[0][0]).n : 0;
          return tip(`after ${compact(to)} ${chart.xName}, ${plural(count, "trial")}: median (quartiles; range)`, rows);
        },
      },
      series: shown.map((label) => {
        const { ink, dash } = look(label);
        return {
          type: "boxplot",
          name: label,
          boxWidth: [3, 20],
          itemStyle: {
            color: ink + "2e",
            borderColor: ink,
            borderWidth: 1.3,
            borderType: dash === "solid" ? "solid" : dash,
          },
          emphasis: { disabled: true },
          data: intervals.map(({ boxes }) => boxes.get(label)?.box ?? ["-", "-", "-", "-", "-"]),
        };
      }),
    }),
  });
}
