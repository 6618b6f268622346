// How far results lie from the oracle's, in units in the last place (ulps).

import {count, element, replaceContent} from "./dom.js";
import {failureNotice, search, select} from "./controls.js";
import {load, loadEach} from "./data.js";
import {dayOf, secondsOfDay} from "./dates.js";
import {axis, hoverWords, plot} from "./plot.js";
import {noteParameters} from "./route.js";

// Zero has its place on a logarithmic scale: 0, 1, 2, 4, … stand in equal steps.
const height = (ulps) => (ulps === null ? null : Math.log2(1 + ulps));
const ulpsOf = (value) => Math.round(2 ** value - 1);
const words = (ulps) => (ulps === null ? "far apart" : count(ulps, "ulp"));
const TICKS = [
  0,
  1,
  3,
  7,
  15,
  63,
  255,
  1023,
  65535,
  2 ** 24 - 1,
  2 ** 32 - 1,
  2 ** 53 - 1,
  2 ** 63,
];

function ulpAxis(colours) {
  return axis(colours, {
    size: 62,
    splits: (self, index, low, high) =>
      TICKS.map(height).filter((tick) => tick >= low && tick <= high),
    values: (self, ticks) =>
      ticks.map((tick) => {
        const ulps = ulpsOf(tick);
        return ulps < 100_000 ? ulps.toLocaleString("en") : `2^${Math.round(tick)}`;
      }),
  });
}

export function accuracyView(place, parameters, overview) {
  const chosen = {text: "", dtype: "", run: "", row: "", ...parameters};
  const body = element("div", {}, element("p", {class: "quiet"}, "Loading…"));
  replaceContent(place, body);
  let alive = true;
  const reported = overview.runs.filter((run) => run.measured !== false);

  const start = async () => {
    // The newest run that measured anything.
    for (const run of chosen.run ? [{id: chosen.run}] : reported.slice(0, 8)) {
      const page = await load("accuracy", {run: run.id});
      if (!alive) return;
      if (page.rows.length > 0 || chosen.run) return draw(page);
    }
    replaceContent(
      body,
      element("h1", {}, "Accuracy"),
      element(
        "p",
        {class: "notice"},
        "No run of this archive measured it. ",
        element("code", {}, "vintage nightly --archive A"),
        " does.",
      ),
    );
  };
  start().catch((error) =>
    replaceContent(body, element("h1", {}, "Accuracy"), failureNotice(error)),
  );

  function draw(page) {
    const dtypes = [...new Set(page.rows.map(({dtype}) => dtype))].sort();
    const scatter = element("div"),
      course = element("div"),
      list = element("div", {class: "scrolls"});
    const change = (name) => (value) => {
      chosen[name] = value;
      noteParameters("accuracy", chosen);
      drawRows();
    };
    replaceContent(
      body,
      element(
        "div",
        {class: "view-head"},
        element("h1", {}, "Accuracy in ulps"),
        element(
          "div",
          {class: "controls"},
          search("Primitive", chosen.text, change("text")),
          select(
            "Dtype",
            [["", "all"], ...dtypes.map((one) => [one, one])],
            chosen.dtype,
            change("dtype"),
          ),
          select(
            "Run",
            reported.map(({id, kind}) => [id, `${id.slice(0, 10)} ${kind}`]),
            page.run,
            (run) => {
              chosen.run = run;
              noteParameters("accuracy", chosen);
              start().catch((error) => replaceContent(body, failureNotice(error)));
            },
          ),
        ),
      ),
      scatter,
      course,
      list,
    );

    function drawRows() {
      const wanted = chosen.text.trim().toLowerCase();
      const rows = page.rows.filter(
        (row) =>
          row.primitive.toLowerCase().includes(wanted) &&
          (!chosen.dtype || row.dtype === chosen.dtype),
      );
      replaceContent(scatter, rows.length > 0 && scatterOf(rows, page));
      replaceContent(
        list,
        tableOf(rows, (row) => {
          chosen.row = keyOf(row);
          noteParameters("accuracy", chosen);
          drawCourse();
        }),
      );
    }
    function drawCourse() {
      const row = page.rows.find((one) => keyOf(one) === chosen.row);
      replaceContent(course);
      if (row) courseOf(course, row, reported, () => alive);
    }
    drawRows();
    drawCourse();
  }
  return {leave: () => (alive = false)};
}

const placeWords = ({name, place, input, actual, expected}) =>
  `${name} ${place}: ${input ? `of ${input}: ` : ""}${actual} instead of ${expected}`;
const keyOf = (row) => [row.primitive, row.dtype, row.platform, row.mode].join(" ");

function scatterOf(rows, page) {
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

function courseOf(place, row, runs, alive) {
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
            title: `${keyOf(row)} over runs`,
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

function tableOf(rows, open) {
  const most = 300;
  return [
    element(
      "table",
      {class: "list"},
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          [
            "Primitive",
            "Dtype",
            "Platform",
            "Mode",
            "Elements",
            "Largest",
            "Mean",
            "Allowed",
            "Where the largest error is",
          ].map((text) => element("th", {scope: "col"}, text)),
        ),
      ),
      element(
        "tbody",
        {},
        rows.slice(0, most).map((row) =>
          element(
            "tr",
            {},
            element(
              "td",
              {},
              element(
                "button",
                {
                  type: "button",
                  class: "as-link",
                  title: "Its course over runs",
                  onclick: () => open(row),
                },
                row.primitive,
              ),
            ),
            element("td", {}, row.dtype),
            element("td", {}, row.platform),
            element("td", {}, row.mode),
            element("td", {class: "number"}, row.elements.toLocaleString("en")),
            element(
              "td",
              {class: "number"},
              row.largest_ulps === null ? "far apart" : row.largest_ulps.toLocaleString("en"),
            ),
            element("td", {class: "number"}, row.mean_ulps.toPrecision(3)),
            element(
              "td",
              {class: "number"},
              row.allowed_ulps === null ? "" : row.allowed_ulps.toLocaleString("en"),
            ),
            element("td", {class: "where"}, row.differing === 0 ? "" : placeWords(row)),
          ),
        ),
      ),
    ),
    rows.length > most &&
      element(
        "p",
        {class: "quiet"},
        `The first ${most} of ${rows.length} rows; filter for the others.`,
      ),
  ];
}
