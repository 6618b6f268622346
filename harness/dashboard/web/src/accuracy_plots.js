// The plots of the accuracy view: all primitives of one run, and one of them over runs.

import {count, element, replaceContent} from "./dom.js";
import {load, loadEach} from "./data.js";
import {dayOf, secondsOfDay} from "./dates.js";
import {axis, hoverWords, plot} from "./plot.js";

// Zero has its place on a logarithmic scale: 0, 1, 3, 7, … stand in equal steps.
const height = (ulps) => (ulps === null ? null : Math.log2(1 + ulps));
const ulpsOf = (value) => Math.round(2 ** value - 1);
const words = (ulps) => (ulps === null ? "far apart" : count(ulps, "ulp"));

// At most seven lines, at 0, 1, 3, 7, … or with wider steps.
function ulpAxis(colours) {
  return axis(colours, {
    size: 62,
    splits: (self, index, low, high) => {
      const step = Math.max(1, Math.ceil(high / 6));
      const ticks = [];
      for (let tick = 0; tick <= high; tick += step) ticks.push(tick);
      return ticks;
    },
    values: (self, ticks) =>
      ticks.map((tick) => (tick <= 10 ? ulpsOf(tick).toLocaleString("en") : `2^${tick}`)),
  });
}

export const keyOf = (row) => [row.primitive, row.dtype, row.platform, row.mode].join(" ");

export function scatterOf(rows, page) {
  const exceeding = rows.filter(
    ({largest_ulps, allowed_ulps}) =>
      allowed_ulps !== null && (largest_ulps === null || largest_ulps > allowed_ulps),
  ).length;
  return plot({
    title: `Largest errors, run of ${page.run.slice(0, 10)} (line: what is allowed)`,
    describe: `${rows.length} rows; ${exceeding} beyond what is allowed`,
    height: 260,
    make: (colours, uPlot) => ({
      data: [
        rows.map((row, index) => index),
        rows.map(({largest_ulps}) => height(largest_ulps)),
        rows.map(({allowed_ulps}) => height(allowed_ulps)),
      ],
      options: {
        plugins: [
          hoverWords((index) => {
            const row = rows[index];
            return (
              `${keyOf(row)}: ${words(row.largest_ulps)}` +
              (row.allowed_ulps === null ? "" : `, ${row.allowed_ulps} allowed`)
            );
          }),
        ],
        padding: [8, 24, 0, 0],
        cursor: {y: false, points: {size: 8}, drag: {x: false, y: false}},
        scales: {
          x: {time: false, range: [-1, rows.length]},
          y: {range: (self, low, high) => [-0.4, Math.max(3, high + 0.5)]},
        },
        axes: [
          axis(colours, {
            grid: {show: false},
            splits: (self) => primitiveStarts(rows, self.width / 26),
            values: (self, ticks) => ticks.map((tick) => rows[tick]?.primitive ?? ""),
            rotate: -50,
            size: 86,
          }),
          ulpAxis(colours),
        ],
        series: [
          {},
          {
            paths: () => null,
            stroke: colours.accent,
            points: {show: true, size: 6, fill: colours.accent, width: 0},
          },
          {
            stroke: colours.declared,
            width: 1.5,
            paths: uPlot.paths.stepped({align: 1}),
            points: {show: false},
          },
        ],
      },
    }),
  });
}

// At most `most` of the places where another primitive begins.
function primitiveStarts(rows, most) {
  const starts = rows.flatMap((row, index) =>
    index === 0 || row.primitive !== rows[index - 1].primitive ? [index] : [],
  );
  const step = Math.ceil(starts.length / most);
  return starts.filter((start, index) => index % step === 0);
}

export function courseOf(place, row, runs, alive) {
  const points = new Map();
  const newest = runs.slice(0, 24);
  replaceContent(place, element("p", {class: "quiet"}, "Loading the course over runs…"));
  loadEach(
    newest.map(({id}) => id),
    (run) => load("accuracy", {run}),
    (run, page) => {
      const same = page.rows.find((one) => keyOf(one) === keyOf(row));
      if (same) points.set(run, same);
    },
    alive,
    () => {},
  ).then(() => {
    if (!alive()) return;
    const order = [...points.keys()].sort();
    replaceContent(
      place,
      order.length < 2
        ? element("p", {class: "quiet"}, "Only one run measured it.")
        : plot({
            title: `${keyOf(row)} over runs: largest, and mean (dashed)`,
            describe: order
              .map((run) => `${run.slice(0, 10)}: ${words(points.get(run).largest_ulps)}`)
              .join(", "),
            height: 180,
            make: (colours) => ({
              data: [
                order.map((run) => secondsOfDay(dayOf(run.slice(0, 10)))),
                order.map((run) => height(points.get(run).largest_ulps)),
                order.map((run) => height(points.get(run).mean_ulps)),
              ],
              options: {
                plugins: [
                  hoverWords((index) => {
                    const point = points.get(order[index]);
                    const mean = point.mean_ulps.toPrecision(3);
                    const day = order[index].slice(0, 10);
                    return `${day}: largest ${words(point.largest_ulps)}, mean ${mean}`;
                  }),
                ],
                cursor: {y: false, drag: {x: false, y: false}},
                scales: {
                  x: {time: true},
                  y: {range: (self, low, high) => [-0.2, Math.max(2, high + 0.5)]},
                },
                axes: [axis(colours, {grid: {show: false}}), ulpAxis(colours)],
                series: [
                  {},
                  {stroke: colours.accent, width: 2, points: {show: true, size: 6}},
                  {stroke: colours.text, width: 1, dash: [4, 4], points: {show: false}},
                ],
              },
            }),
          }),
    );
  });
}
