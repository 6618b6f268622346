// Chart.js, loaded when the first plot is drawn, in the page's colours.

import {element, replaceContent} from "./dom.js";
import {loadScript} from "./data.js";
import {calendarTicks, textOfDay} from "./dates.js";
import {colour, onThemeChange} from "./theme.js";

let library;
function plotLibrary() {
  library ??= loadScript("dashboard/chart.js").then(() => window.Chart);
  return library;
}

// A figure that draws itself once it is on the page, and again when the colours change.
// `make(colours)` returns the series, their axes `x` and `y`, and `words`, the text of a tooltip
// for the point of an index; `describe` returns a description of the plot for screen readers.
export function plot({title, describe, height, make}) {
  const frame = element("div.plot", {role: "img", "aria-label": describe});
  const figure = element("figure", element("figcaption", title), frame);
  frame.style.height = `${height}px`;

  const draw = async () => {
    const Chart = await plotLibrary();
    if (!figure.isConnected) return;
    const canvas = element("canvas");
    replaceContent(frame, canvas);
    // The library keeps each chart until it is destroyed.
    for (const drawn of Object.values(Chart.instances))
      if (!drawn.canvas.isConnected) drawn.destroy();
    const colours = {words: colour("text"), text: colour("text-quiet"), grid: colour("line")};
    for (const name of ["fail", "declared", "accent", "surface"]) colours[name] = colour(name);
    const {series, x, y, words} = make(colours);
    const usual = {clip: false, borderWidth: 2, pointBackgroundColor: colours.surface};
    new Chart(canvas, {
      type: "line",
      data: {datasets: series.map((one) => ({...usual, ...one}))},
      options: {
        animation: false,
        maintainAspectRatio: false,
        interaction: {mode: "index", axis: "x", intersect: false},
        elements: {point: {radius: 3, borderWidth: 1}},
        scales: {x: axis(colours, {lines: false, ...x}), y: axis(colours, y)},
        plugins: {legend: {display: false}, tooltip: tooltip(colours, words)},
      },
    });
  };
  requestAnimationFrame(() => {
    draw();
    const stop = onThemeChange(() => (figure.isConnected ? draw() : stop()));
  });
  return figure;
}

// The points of a series; one without a y is a gap.
export const pointsOf = (xs, ys) => xs.map((x, index) => ({x, y: ys[index]}));

// Months or years, if some are between the first day and the last.
export function dayAxis(days) {
  const ticks = calendarTicks(days[0], days.at(-1), 6);
  if (ticks.length < 3) return {label: textOfDay, whole: true};
  const labels = new Map(ticks.map(({day, label}) => [day, label]));
  return {ticks: () => [...labels.keys()], label: (day) => labels.get(day)};
}

// `low` and `high` are its ends; `ticks(scale)` are its ticks if the library's are unsuitable.
function axis(colours, {low, high, ticks, label, lines = true, whole = false, rotation = 0}) {
  return {
    type: "linear",
    min: low,
    max: high,
    bounds: "data",
    grid: {color: colours.grid, drawOnChartArea: lines, drawBorder: false, tickLength: 4},
    ticks: {
      color: colours.text,
      font: {size: 11, family: "system-ui, sans-serif"},
      autoSkip: !ticks,
      maxTicksLimit: 8,
      includeBounds: false,
      precision: whole ? 0 : undefined,
      minRotation: rotation,
      maxRotation: rotation,
      callback: label,
    },
    afterBuildTicks: (scale) => {
      if (ticks) scale.ticks = ticks(scale).map((value) => ({value}));
    },
  };
}

function tooltip(colours, words) {
  return {
    backgroundColor: colours.words,
    titleColor: colours.surface,
    titleFont: {size: 12, weight: "normal", family: "system-ui, sans-serif"},
    titleMarginBottom: 0,
    padding: {x: 7, y: 4},
    cornerRadius: 4,
    caretSize: 0,
    displayColors: false,
    callbacks: {title: ([point]) => words(point.dataIndex), label: () => null},
  };
}
