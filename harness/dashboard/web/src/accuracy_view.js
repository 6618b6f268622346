// How far results lie from the oracle's, in units in the last place (ulps).

import {element, replaceContent, tableHead} from "./dom.js";
import {courseOf, keyOf, scatterOf} from "./accuracy_plots.js";
import {failureNotice, search, select} from "./controls.js";
import {load} from "./data.js";
import {noteParameters} from "./route.js";

export function accuracyView(place, parameters, overview) {
  const chosen = {text: "", dtype: "", run: "", row: "", ...parameters};
  const body = element("div", {}, element("p", {class: "quiet"}, "Loading…"));
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

function tableOf(rows, open) {
  const most = 300;
  return [
    element(
      "table",
      {class: "list"},
      tableHead([
        "Primitive",
        "Dtype",
        "Platform",
        "Mode",
        "Elements",
        "Largest",
        "Mean",
        "Allowed",
        "Where the largest error is",
      ]),
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
