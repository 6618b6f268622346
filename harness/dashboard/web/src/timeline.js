// Rows of spans and marks along a calendar, as SVG. It fills the width of its container; labels are
// in a column beside it, or above each row if it is narrow.

import {svg} from "./dom.js";
import {calendarTicks} from "./dates.js";
import {legendOf} from "./controls.js";

const ROW = 26,
  NARROW_ROW = 42,
  AXIS = 24;

// rows: [{label, detail, spans: [{from, to, kind}], marks: [{day, kind, title}], chosen, open}]
export function timeline({rows, first, last, today, width, label, labelWidth = 190}) {
  const narrow = width < 620;
  const left = narrow ? 4 : labelWidth;
  const right = 10;
  const rowHeight = narrow ? NARROW_ROW : ROW;
  const height = AXIS + rows.length * rowHeight + 4;
  const x = (day) => left + ((width - left - right) * (day - first)) / Math.max(1, last - first);
  const viewBox = `0 0 ${width} ${height}`;
  const root = svg("svg.timeline", {width, height, viewBox, role: "group", "aria-label": label});
  const lineAt = (classes, day) =>
    root.append(svg("line", {class: classes, x1: x(day), x2: x(day), y1: AXIS - 6, y2: height}));
  for (const {day, label: text, year} of calendarTicks(first, last, (width - left) / 60)) {
    const era = year ? " year" : "";
    lineAt("tick" + era, day);
    // Omits a label that would leave the picture.
    if (x(day) + 30 < width)
      root.append(svg("text", {class: "tick-label" + era, x: x(day) + 3, y: AXIS - 10}, text));
  }
  if (today >= first && today <= last) lineAt("today", today);
  rows.forEach((row, index) => {
    const top = AXIS + index * rowHeight;
    const middle = top + (narrow ? 28 : rowHeight / 2);
    const words = `${row.label}: ${row.detail}`;
    const press = (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      row.open();
    };
    const attributes = {
      class: "row" + (row.chosen ? " chosen" : ""),
      tabindex: row.open ? "0" : undefined,
      role: row.open ? "button" : "img",
      "aria-label": words,
      onclick: row.open,
      onkeydown: row.open && press,
    };
    const back = svg("rect.row-back", {x: 0, y: top, width, height: rowHeight});
    const letters = narrow ? width / 7.2 : (left - 12) / 6.8;
    const place = {x: 6, y: narrow ? top + 14 : middle + 4};
    const name = svg("text.row-label", place, cut(row.label, letters));
    const bars = row.spans.map(({from, to, kind, title}) => {
      const start = Math.max(first, from);
      const end = Math.min(last, to);
      return end >= start && bar({kind, title}, x(start), x(end), middle);
    });
    const marks = row.marks.map((mark) => shape(mark, x(mark.day), middle));
    root.append(svg("g", attributes, svg("title", words), back, name, bars, marks));
  });
  return root;
}

// Of marks and spans with their meaning: [["window", "promised until today"], …].
export const timelineLegend = (label, kinds) =>
  legendOf(
    label,
    kinds.map(([kind, meaning]) => [timelineKey(kind), meaning]),
  );
function timelineKey(kind) {
  const mark = shape({kind}, 6, 8);
  const width = mark ? 12 : 20;
  return svg("svg", {width, height: 16}, mark ?? bar({kind}, 0, width, 8));
}

const HEIGHTS = {window: 14, open: 14, ahead: 14, registered: 5, listed: 5, emitted: 5};
function bar({kind, title}, from, to, middle) {
  const height = HEIGHTS[kind];
  const width = Math.max(2, to - from);
  const place = {x: from, y: middle - height / 2, width, height, rx: 2};
  return svg("rect", {class: `span ${kind}`, ...place}, title && svg("title", title));
}

// Shapes differ as well as colours: a disc passed, a ring was only compiled, a square failed in
// part (its size is the share), a cross failed completely. No shape for a kind of span.
function shape({kind, title, share = 1}, x, y) {
  const side = 5 + 4 * share;
  const [tag, place] =
    {
      pass: ["circle", {cx: x, cy: y, r: 4}],
      compiled: ["circle", {cx: x, cy: y, r: 3.5}],
      untried: ["circle", {cx: x, cy: y, r: 3.5}],
      part: ["rect", {x: x - side / 2, y: y - side / 2, width: side, height: side}],
      fail: ["path", {d: `M${x - 4} ${y - 4}l8 8m0-8l-8 8`}],
      producer: ["path", {d: `M${x} ${y - 8}v16`}],
    }[kind] ?? [];
  return tag && svg(`${tag}.mark.${kind}`, place, title && svg("title", title));
}

function cut(text, letters) {
  return text.length <= letters ? text : text.slice(0, Math.max(3, Math.floor(letters) - 1)) + "…";
}
