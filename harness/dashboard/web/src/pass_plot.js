// How many pairs failed on each build, over time.

import {element} from "./dom.js";
import {dayOf, secondsOfDay} from "./dates.js";
import {axis, hoverWords, plot} from "./plot.js";
import {sumAll} from "./tally.js";

export function passPlot(columns, pages, filter) {
  const known = columns.filter(({name}) => pages.has(name));
  const sums = known.map(({name}) => sumAll(pages.get(name), filter));
  if (known.length < 2)
    return element("p", {class: "quiet hint"}, "Choose a cell to see its pairs.");
  const share = sums.map((sum) => (sum.all === 0 ? null : (100 * sum.fail) / sum.all));
  const worst = Math.max(...share.filter((one) => one !== null));
  return element(
    "div",
    {class: "side-note"},
    plot({
      title: "Pairs that failed undeclared, by the day of the build",
      describe: `From ${known[0].date} to ${known.at(-1).date}: at most ${worst.toFixed(1)} %, last ${
        share.at(-1)?.toFixed(1) ?? "unknown"
      } %`,
      height: 220,
      make: (colours) => ({
        data: [known.map(({date}) => secondsOfDay(dayOf(date))), share],
        options: {
          cursor: {y: false, points: {size: 7}},
          plugins: [
            hoverWords((index) => `${known[index].name}: ${share[index]?.toFixed(1) ?? "?"} %`),
          ],
          scales: {x: {time: true}, y: {range: (self, low, high) => [0, Math.max(1, high * 1.1)]}},
          axes: [
            axis(colours, {grid: {show: false}}),
            axis(colours, {size: 46, values: (self, ticks) => ticks.map((tick) => `${tick} %`)}),
          ],
          series: [
            {},
            {stroke: colours.fail, width: 2, points: {show: true, size: 6, fill: colours.surface}},
          ],
        },
      }),
    }),
    element("p", {class: "quiet hint"}, "Choose a cell to see its pairs."),
  );
}
