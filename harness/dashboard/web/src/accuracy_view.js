// The distance of results from the oracle's, in units in the last place (ulps).

import {button, cell, count, element, listTable, numberCell, quiet, replaceContent} from "./dom.js";
import {
  emptyView,
  failedView,
  failureNotice,
  matches,
  search,
  select,
  selectOrAll,
  viewHead,
} from "./controls.js";
import {load, loadEach} from "./data.js";
import {dayOf} from "./dates.js";
import {dayAxis, plot, pointsOf} from "./plot.js";
import {changeOf} from "./route.js";

export function accuracyView(place, parameters, overview) {
  const chosen = {text: "", dtype: "", run: "", row: "", ...parameters};
  const body = element("div", quiet("Loading…"));
  replaceContent(place, body);
  let alive = true;
  const reported = overview.runs;

  const start = async () => {
    const wanted = chosen.run; // Another may be chosen before this one is here.
    // The newest run that measured anything.
    for (const run of wanted ? [{id: wanted}] : reported.slice(0, 8)) {
      const page = await load("accuracy", {run: run.id});
      if (!alive || chosen.run !== wanted) return;
      if (page.rows.length > 0 || wanted) return draw(page);
    }
    const none = "No run of this archive measured it. ";
    replaceContent(body, emptyView("Accuracy", none, "vintage nightly --archive A", " does."));
  };
  start().catch((error) => replaceContent(body, failedView("Accuracy", error)));

  function draw(page) {
    const dtypes = [...new Set(page.rows.map(({dtype}) => dtype))].sort();
    const scatter = element("div"),
      course = element("div"),
      list = element("div.scrolls");
    const change = changeOf("accuracy", chosen, drawRows);
    const choose = changeOf("accuracy", chosen, drawCourse)("row");
    const runs = reported.map(({id, kind}) => [id, `${id.slice(0, 10)} ${kind}`]);
    const restart = () => start().catch((error) => replaceContent(body, failureNotice(error)));
    replaceContent(
      body,
      viewHead(
        "Accuracy in ulps",
        search("Primitive", chosen.text, change("text")),
        selectOrAll("Dtype", dtypes, chosen.dtype, change("dtype")),
        select("Run", runs, page.run, changeOf("accuracy", chosen, restart)("run")),
      ),
      scatter,
      course,
      list,
    );

    function drawRows() {
      const rows = page.rows.filter(
        ({primitive, dtype}) =>
          matches(primitive, chosen.text) && (!chosen.dtype || dtype === chosen.dtype),
      );
      replaceContent(scatter, rows.length > 0 && scatterOf(rows, page));
      replaceContent(
        list,
        tableOf(rows, (row) => choose(keyOf(row))),
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

const placeWords = ({differing, name, place, input, actual, expected}) =>
  differing === 0
    ? ""
    : `${name} ${place}: ${input ? `of ${input}: ` : ""}${actual} instead of ${expected}`;

const figure = (number, otherwise) =>
  numberCell(number === null ? otherwise : number.toLocaleString("en"));

function tableOf(rows, open) {
  const most = 300;
  const opener = (row) =>
    button(".as-link", row.primitive, () => open(row), {title: "Its trend over runs"});
  const columns = [
    ["Primitive", (row) => cell(opener(row))],
    ["Dtype", ({dtype}) => cell(dtype)],
    ["Platform", ({platform}) => cell(platform)],
    ["Mode", ({mode}) => cell(mode)],
    ["Elements", ({elements}) => figure(elements)],
    ["Largest", (row) => figure(row.largest_ulps, "far apart")],
    ["Mean", (row) => numberCell(row.mean_ulps.toPrecision(3))],
    ["Allowed", (row) => figure(row.allowed_ulps, "")],
    ["Place of the largest error", (row) => element("td.where", placeWords(row))],
  ];
  return [
    listTable(
      columns.map(([head]) => head),
      rows.slice(0, most).map((row) => columns.map(([, cellOf]) => cellOf(row))),
    ),
    rows.length > most && quiet(`The first ${most} of ${rows.length} rows; filter for the others.`),
  ];
}

// A logarithmic scale with zero: 0, 1, 3, 7, … are at equal distances.
const height = (ulps) => (ulps === null ? null : Math.log2(1 + ulps));
const ulpsOf = (value) => Math.round(2 ** value - 1);
const words = (ulps) => (ulps === null ? "far apart" : count(ulps, "ulp"));

// At most seven lines, at 0, 1, 3, 7, … or with wider steps.
function ulpAxis(series, low, least) {
  const high = Math.max(least, Math.max(...series.flat()) + 0.5);
  const step = Math.max(1, Math.ceil(high / 6));
  const ticks = [];
  for (let tick = 0; tick <= high; tick += step) ticks.push(tick);
  return {
    low,
    high,
    ticks: () => ticks,
    label: (tick) => (tick <= 10 ? ulpsOf(tick).toLocaleString("en") : `2^${tick}`),
  };
}

const keyOf = (row) => [row.primitive, row.dtype, row.platform, row.mode].join(" ");

function scatterOf(rows, page) {
  const exceeding = rows.filter(
    ({largest_ulps, allowed_ulps}) =>
      allowed_ulps !== null && (largest_ulps === null || largest_ulps > allowed_ulps),
  ).length;
  const places = [...rows.keys()];
  const largest = rows.map(({largest_ulps}) => height(largest_ulps));
  const allowed = rows.map(({allowed_ulps}) => height(allowed_ulps));
  return plot({
    title: `Largest errors, run of ${page.run.slice(0, 10)} (line: the tolerance)`,
    describe: `${rows.length} rows; ${exceeding} beyond the tolerance`,
    height: 260,
    make: (colours) => ({
      x: {
        low: -1,
        high: rows.length,
        ticks: (scale) => primitiveStarts(rows, scale.chart.width / 26),
        label: (tick) => rows[tick]?.primitive ?? "",
        rotation: 50,
      },
      y: ulpAxis([largest, allowed], -0.4, 3),
      words: (index) => {
        const row = rows[index];
        const bound = row.allowed_ulps === null ? "" : `, ${row.allowed_ulps} allowed`;
        return [`${keyOf(row)}:`, words(row.largest_ulps) + bound];
      },
      series: [
        {
          data: pointsOf(places, largest),
          showLine: false,
          pointBorderWidth: 0,
          pointBackgroundColor: colours.accent,
        },
        {
          data: pointsOf(places, allowed),
          borderColor: colours.declared,
          borderWidth: 1.5,
          stepped: true,
          pointRadius: 0,
        },
      ],
    }),
  });
}

// At most `most` of the positions where another primitive begins.
function primitiveStarts(rows, most) {
  const starts = rows.flatMap((row, index) =>
    index === 0 || row.primitive !== rows[index - 1].primitive ? [index] : [],
  );
  const step = Math.ceil(starts.length / most);
  return starts.filter((start, index) => index % step === 0);
}

async function courseOf(place, row, runs, alive) {
  const points = new Map();
  replaceContent(place, quiet("Loading the trend over runs…"));
  await loadEach(
    runs.slice(0, 24).map(({id}) => id),
    (run) => load("accuracy", {run}),
    (run, page) => {
      const same = page.rows.find((one) => keyOf(one) === keyOf(row));
      if (same) points.set(run, same);
    },
    alive,
    () => {},
  );
  if (!alive()) return;
  const order = [...points.keys()].sort();
  if (order.length < 2) return replaceContent(place, quiet("Only one run measured it."));
  const dates = order.map((run) => run.slice(0, 10));
  const days = dates.map(dayOf);
  const measured = order.map((run) => points.get(run));
  const largest = measured.map(({largest_ulps}) => height(largest_ulps));
  const means = measured.map(({mean_ulps}) => height(mean_ulps));
  const course = plot({
    title: `${keyOf(row)} over runs: largest, and mean (dashed)`,
    describe: dates
      .map((date, index) => `${date}: ${words(measured[index].largest_ulps)}`)
      .join(", "),
    height: 180,
    make: (colours) => ({
      x: dayAxis(days),
      y: ulpAxis([largest, means], -0.2, 2),
      words: (index) => {
        const {largest_ulps, mean_ulps} = measured[index];
        const mean = mean_ulps.toPrecision(3);
        return `${dates[index]}: largest ${words(largest_ulps)}, mean ${mean}`;
      },
      series: [
        {data: pointsOf(days, largest), borderColor: colours.accent},
        {
          data: pointsOf(days, means),
          borderColor: colours.text,
          borderWidth: 1,
          borderDash: [4, 4],
          pointRadius: 0,
        },
      ],
    }),
  });
  replaceContent(place, course);
}
