// How far results lie from the oracle's, in units in the last place (ulps).

import {cell, element, listTable, numberCell, quiet, replaceContent} from "./dom.js";
import {courseOf, keyOf, scatterOf} from "./accuracy_plots.js";
import {failureNotice, search, select, selectOrAll, viewHead} from "./controls.js";
import {load} from "./data.js";
import {noteParameters} from "./route.js";

export function accuracyView(place, parameters, overview) {
  const chosen = {text: "", dtype: "", run: "", row: "", ...parameters};
  const body = element("div", {}, quiet("Loading…"));
  replaceContent(place, body);
  let alive = true;
  const reported = overview.runs.filter((run) => run.measured !== false);

  const start = async () => {
    const wanted = chosen.run; // Another may be chosen before this one is here.
    // The newest run that measured anything.
    for (const run of wanted ? [{id: wanted}] : reported.slice(0, 8)) {
      const page = await load("accuracy", {run: run.id});
      if (!alive || chosen.run !== wanted) return;
      if (page.rows.length > 0 || wanted) return draw(page);
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
      viewHead(
        "Accuracy in ulps",
        search("Primitive", chosen.text, change("text")),
        selectOrAll("Dtype", dtypes, chosen.dtype, change("dtype")),
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

const HEADS = [
  "Primitive",
  "Dtype",
  "Platform",
  "Mode",
  "Elements",
  "Largest",
  "Mean",
  "Allowed",
  "Where the largest error is",
];
const figure = (number, otherwise) =>
  numberCell(number === null ? otherwise : number.toLocaleString("en"));

function tableOf(rows, open) {
  const most = 300;
  const opener = (row) =>
    element(
      "button",
      {
        type: "button",
        class: "as-link",
        title: "Its course over runs",
        onclick: () => open(row),
      },
      row.primitive,
    );
  return [
    listTable(
      HEADS,
      rows
        .slice(0, most)
        .map((row) => [
          cell(opener(row)),
          cell(row.dtype),
          cell(row.platform),
          cell(row.mode),
          figure(row.elements),
          figure(row.largest_ulps, "far apart"),
          numberCell(row.mean_ulps.toPrecision(3)),
          figure(row.allowed_ulps, ""),
          element("td", {class: "where"}, row.differing === 0 ? "" : placeWords(row)),
        ]),
    ),
    rows.length > most && quiet(`The first ${most} of ${rows.length} rows; filter for the others.`),
  ];
}
