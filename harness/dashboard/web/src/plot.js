// uPlot, loaded when the first plot is drawn, in the page's colours.

import {element, replaceContent} from "./dom.js";
import {loadScript} from "./data.js";
import {colour, onThemeChange} from "./theme.js";

let library;
function plotLibrary() {
  library ??= loadScript("dashboard/uplot.js").then(() => window.uPlot);
  return library;
}

// A figure that draws itself once it is on the page, and again as its width or the colours
// change. `make(colours)` gives uPlot's options (without a size) and data; `describe` says what
// the plot shows, for those who do not see it.
export function plot({title, describe, height, make}) {
  const frame = element("div", {class: "plot", role: "img", "aria-label": describe});
  const figure = element("figure", {}, element("figcaption", {}, title), frame);
  let drawn = null,
    stop = null;

  const draw = async () => {
    const uPlot = await plotLibrary();
    if (!figure.isConnected || frame.clientWidth === 0) return;
    drawn?.destroy();
    replaceContent(frame);
    const colours = {
      text: colour("text-quiet"),
      grid: colour("line"),
      pass: colour("pass-strong"),
      fail: colour("fail"),
      declared: colour("declared"),
      accent: colour("accent"),
      surface: colour("surface"),
    };
    const {options, data} = make(colours, uPlot);
    drawn = new uPlot(
      {width: frame.clientWidth, height, legend: {show: false}, ...options},
      data,
      frame,
    );
  };
  const resize = new ResizeObserver(() => {
    if (drawn && figure.isConnected && Math.abs(drawn.width - frame.clientWidth) > 1)
      drawn.setSize({width: frame.clientWidth, height});
  });
  requestAnimationFrame(() => {
    draw();
    resize.observe(frame);
    stop = onThemeChange(() => (figure.isConnected ? draw() : stop()));
  });
  return figure;
}

// An axis in the page's colours and font.
export function axis(colours, more = {}) {
  return {
    stroke: colours.text,
    font: "11px system-ui, sans-serif",
    grid: {stroke: colours.grid, width: 1},
    ticks: {stroke: colours.grid, width: 1, size: 4},
    ...more,
  };
}

// Shows words beside the pointer, for the point nearest to it.
export function hoverWords(words) {
  let label;
  return {
    hooks: {
      init: (self) => {
        label = element("div", {class: "plot-label", hidden: true});
        self.over.append(label);
      },
      setCursor: (self) => {
        const {idx, left, top} = self.cursor;
        const text = idx === null || idx === undefined || left < 0 ? "" : words(idx, self);
        label.hidden = !text;
        if (!text) return;
        label.textContent = text;
        const width = label.offsetWidth;
        label.style.left = `${Math.max(0, Math.min(left + 10, self.over.clientWidth - width))}px`;
        label.style.top = `${Math.max(0, top - label.offsetHeight - 8)}px`;
      },
    },
  };
}
