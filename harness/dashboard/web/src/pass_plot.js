// How many pairs failed on each build, over time.

import {element} from "./dom.js";
import {dayOf} from "./dates.js";
import {dayAxis, plot, pointsOf} from "./plot.js";
import {sumAll} from "./tally.js";

export function passPlot(columns, pages, filter) {
  const known = columns.filter(({name}) => pages.has(name));
  const sums = known.map(({name}) => sumAll(pages.get(name), filter));
  if (known.length < 2)
    return element("p", {class: "quiet hint"}, "Choose a cell to see its pairs.");
  const share = sums.map((sum) => (sum.all === 0 ? null : (100 * sum.fail) / sum.all));
  const days = known.map(({date}) => dayOf(date));
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
        x: dayAxis(days),
        y: {low: 0, high: Math.max(1, worst * 1.1), label: (tick) => `${Number(tick.toFixed(2))} %`},
        words: (index) => `${known[index].name}: ${share[index]?.toFixed(1) ?? "?"} %`,
        series: [
          {
            data: pointsOf(days, share),
            borderColor: colours.fail,
            borderWidth: 2,
            pointBackgroundColor: colours.surface,
          },
        ],
      }),
    }),
    element("p", {class: "quiet hint"}, "Choose a cell to see its pairs."),
  );
}
