// An artifact's times and memory over builds. A line joins two builds that were measured in turns;
// the wedge at its end is the interval of their ratio. Two lines that meet at a build were measured
// at different times, and need not agree there.

import {dayOf} from "./dates.js";
import {dayAxis, plot, pointsOf} from "./plot.js";

const TIMES = [
  [1, "s"],
  [1e-3, "ms"],
  [1e-6, "µs"],
];
const BYTES = [
  [2 ** 30, "GiB"],
  [2 ** 20, "MiB"],
  [2 ** 10, "KiB"],
];

const digits = (value) =>
  value >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)));

export function amount(quantity, value) {
  const units = quantity === "memory" ? BYTES : TIMES;
  const [size, unit] = units.find(([least]) => value >= least) ?? units.at(-1);
  return `${digits(value / size)} ${unit}`;
}
export const times = (value) => digits(value);

// [before, after, low, ratio, high, rounds]
export const ratio = (measured) => measured[3];
export function intervalWords([, , low, , high, rounds]) {
  return rounds === 0 ? "exactly" : `${digits(low)} to ${digits(high)}, ${rounds} rounds`;
}

// Of logarithms; its lines are at numbers of two digits.
function logAxis(quantity, values) {
  const low = Math.min(...values) - 0.05,
    high = Math.max(...values) + 0.05;
  const ticks = new Set();
  for (let part = 0; part <= 4; part += 1)
    ticks.add(Number((10 ** (low + (part * (high - low)) / 4)).toPrecision(2)));
  const places = [...ticks].map(Math.log10).filter((one) => one >= low && one <= high);
  return {low, high, ticks: () => places, label: (tick) => amount(quantity, 10 ** tick)};
}

// `measured` are rows of pairs of builds, by the later build's date.
export function coursesOf(quantity, measured) {
  const known = measured.filter((one) => one[quantity]);
  if (known.length === 0) return null;
  const words = known.map((one) => {
    const [before, after] = one[quantity];
    const change = `${amount(quantity, before)} → ${amount(quantity, after)}`;
    const interval = intervalWords(one[quantity]);
    return `${one.beside} → ${one.build}: ${change}, ${times(ratio(one[quantity]))} times (${interval})`;
  });
  // Two points for each pair, and a gap behind them.
  const ofEach = (two) => known.flatMap((one) => [...two(one), null]);
  const days = known.flatMap(({beside_date: from, date: to}) => [dayOf(from), dayOf(to), dayOf(to)]);
  const line = (end) =>
    ofEach((one) => [one[quantity][0], end(one[quantity])].map((value) => Math.log10(value)));
  const values = line(([, after]) => after);
  const low = line(([before, , least]) => before * least);
  const high = line(([before, , , , most]) => before * most);
  return plot({
    title: `${quantity}: each build beside the one before it, with the interval of the ratio`,
    describe: `${quantity}. ${words.join("; ")}`,
    height: 200,
    make: (colours) => {
      const bound = {borderColor: colours.grid, borderWidth: 1, pointRadius: 0};
      const shade = colours.accent.replace("rgb(", "rgba(").replace(")", ", 0.2)");
      return {
        x: {ticks: () => [days[0], days.at(-1)], ...dayAxis([days[0], days.at(-1)])},
        y: logAxis(
          quantity,
          [...values, ...low, ...high].filter((one) => one !== null),
        ),
        words: (index) => words[Math.floor(index / 3)],
        // The first is drawn above the others.
        series: [
          {data: pointsOf(days, values), borderColor: colours.accent},
          {data: pointsOf(days, low), ...bound},
          {data: pointsOf(days, high), ...bound, fill: "-1", backgroundColor: shade},
        ],
      };
    },
  });
}
