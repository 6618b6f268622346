// Rows of spans and marks along a calendar, as SVG. It is as wide as its place; labels stand in
// a column beside it, or above each row where it is narrow.

import {svg} from "./dom.js";
import {calendarTicks} from "./dates.js";

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
  const root = svg("svg.timeline", {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: "group",
    "aria-label": label,
  });
  for (const {day, label: text, year} of calendarTicks(first, last, (width - left) / 60)) {
    root.append(
      svg("line", {
        class: year ? "tick year" : "tick",
        x1: x(day),
        x2: x(day),
        y1: AXIS - 6,
        y2: height,
      }),
    );
    // A label that would leave the picture is left out.
    if (x(day) + 30 < width)
      root.append(
        svg(
          "text",
          {class: year ? "tick-label year" : "tick-label", x: x(day) + 3, y: AXIS - 10},
          text,
        ),
      );
  }
  if (today >= first && today <= last)
    root.append(svg("line.today", {x1: x(today), x2: x(today), y1: AXIS - 6, y2: height}));
  rows.forEach((row, index) => {
    const top = AXIS + index * rowHeight;
    const middle = top + (narrow ? 28 : rowHeight / 2);
    root.append(
      svg(
        "g",
        {
          class: "row" + (row.chosen ? " chosen" : ""),
          tabindex: row.open ? "0" : undefined,
          role: row.open ? "button" : "img",
          "aria-label": `${row.label}: ${row.detail}`,
          onclick: row.open,
          onkeydown:
            row.open &&
            ((event) => {
              if (event.key === "Enter" || event.key === " ") {
                event.preventDefault();
                row.open();
              }
            }),
        },
        svg("title", `${row.label}: ${row.detail}`),
        svg("rect.row-back", {x: 0, y: top, width, height: rowHeight}),
        svg(
          "text.row-label",
          {x: 6, y: narrow ? top + 14 : middle + 4},
          cut(row.label, narrow ? width / 7.2 : (left - 12) / 6.8),
        ),
        row.spans.map(({from, to, kind, title}) => {
          const start = Math.max(first, from),
            end = Math.min(last, to);
          return end < start
            ? null
            : svg(
                "rect",
                {
                  class: `span ${kind}`,
                  x: x(start),
                  width: Math.max(2, x(end) - x(start)),
                  y: middle - heightOf(kind) / 2,
                  height: heightOf(kind),
                  rx: 2,
                },
                title && svg("title", title),
              );
        }),
        row.marks.map((mark) => shape(mark, x(mark.day), middle)),
      ),
    );
  });
  return root;
}

const heightOf = (kind) => ({window: 14, open: 14, ahead: 14})[kind] ?? 5;

// Shapes differ beside colours: a disc passed, a ring was only compiled, a square failed in part (its size is the share),
// a cross in whole.
function shape({kind, title, share = 1}, x, y) {
  const name = svg("title", title);
  switch (kind) {
    case "pass":
      return svg("circle.mark.pass", {cx: x, cy: y, r: 4}, name);
    case "compiled":
      return svg("circle.mark.compiled", {cx: x, cy: y, r: 3.5}, name);
    case "part": {
      const side = 5 + 4 * share;
      return svg(
        "rect.mark.part",
        {x: x - side / 2, y: y - side / 2, width: side, height: side},
        name,
      );
    }
    case "fail":
      return svg("path.mark.fail", {d: `M${x - 4} ${y - 4}l8 8m0-8l-8 8`}, name);
    case "producer":
      return svg("path.mark.producer", {d: `M${x} ${y - 8}v16`}, name);
    default:
      return svg("circle.mark.untried", {cx: x, cy: y, r: 3.5}, name);
  }
}

function cut(text, letters) {
  return text.length <= letters ? text : text.slice(0, Math.max(3, Math.floor(letters) - 1)) + "…";
}
