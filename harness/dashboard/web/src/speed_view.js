// Costs of builds beside each other: the ranked changes of two, and an artifact over all of them.

import {button, cell, count, element, listTable, numberCell, quiet, replaceContent} from "./dom.js";
import {badge, clipped, emptyView, failedView, matches, search, select, viewHead} from "./controls.js";
import {load, loadEach} from "./data.js";
import {noteParameters} from "./route.js";
import {amount, coursesOf, intervalWords, ratio, times} from "./speed_plots.js";

const TITLE = "Speed and memory beside the release before";
const QUANTITIES = ["run", "compile", "memory"];
const MOST = 300;

export function speedView(place, parameters) {
  const chosen = {pair: "", text: "", quantity: "", list: "", name: "", ...parameters};
  const body = element("div", quiet("Loading…"));
  replaceContent(place, body);
  let alive = true,
    pairs = [],
    page = null;
  const summary = element("p.summary", {"aria-live": "polite"}),
    courses = element("div.courses"),
    list = element("div.scrolls");

  const start = async () => {
    ({pairs} = await load("speed"));
    if (!alive) return;
    if (pairs.length > 0) return drawPair();
    const none = "No two builds of this archive were measured beside each other. ";
    replaceContent(body, emptyView(TITLE, none, "vintage window --archive A --speed", " does."));
  };
  const fail = (error) => alive && replaceContent(body, failedView(TITLE, error));
  start().catch(fail);

  const note = (name, draw) => (value) => {
    chosen[name] = value;
    noteParameters("speed", chosen);
    draw();
  };

  async function drawPair() {
    const wanted = pairs.find((one) => nameOf(one) === chosen.pair) ?? pairs.at(-1);
    const {build, beside} = wanted;
    const loaded = await load("speed-pair", {build, beside});
    if (!alive) return;
    page = loaded;
    const newestFirst = [...pairs].reverse().map((one) => [nameOf(one), nameOf(one)]);
    const quantities = [["", "all"], ...QUANTITIES.map((one) => [one, one])];
    const lists = [
      ["", "changes"],
      ["all", "all artifacts"],
    ];
    const restart = () => drawPair().catch(fail);
    replaceContent(
      body,
      viewHead(
        TITLE,
        select("Builds", newestFirst, nameOf(wanted), note("pair", restart)),
        search("Function", chosen.text, note("text", drawList)),
        select("Quantity", quantities, chosen.quantity, note("quantity", drawList)),
        select("List", lists, chosen.list, note("list", drawList)),
      ),
      summary,
      courses,
      list,
    );
    const {more, less, rows} = page;
    summary.textContent =
      `${count(rows.length, "artifact")} on ${build} of ${page.date} beside ${beside} of ` +
      `${page.beside_date}: ${more.length} slower or larger, ${less.length} faster or smaller; ` +
      `${count(page.no_difference, "quantity", "quantities")} without a difference, ` +
      `${page.not_resolved} not resolved`;
    drawList();
    drawCourses();
  }

  const opener = (name, words) =>
    button(".as-link", words, () => note("name", drawCourses)(name), {title: "Over all builds"});

  function drawList() {
    const isWanted = (quantity, name) =>
      (!chosen.quantity || quantity === chosen.quantity) && matches(name, chosen.text);
    replaceContent(list, chosen.list === "all" ? allOf(page, isWanted) : changesOf(page, isWanted));
  }

  function allOf({rows}, isWanted) {
    const found = rows.flatMap((row) =>
      QUANTITIES.filter((quantity) => row[quantity] && isWanted(quantity, row.name)).map(
        (quantity) => ({row, quantity, measured: row[quantity]}),
      ),
    );
    const distance = ({measured}) => -Math.abs(Math.log(ratio(measured)));
    found.sort((one, other) => distance(one) - distance(other));
    const broken = rows.filter(({problem, name}) => problem && matches(name, chosen.text));
    return [
      table(
        ["Artifact", "Quantity", ...VALUES],
        found.map(({row, quantity, measured}) => [
          cell(opener(row.name, row.name)),
          cell(quantity),
          ...valueCells(quantity, measured, ratio(measured)),
        ]),
      ),
      broken.length > 0 &&
        listTable(
          ["Not measured", "Why"],
          broken.map(({name, problem}) => [cell(name), cell(clipped(problem))]),
        ),
    ];
  }

  function changesOf({more, less}, isWanted) {
    const found = [...more, ...less].filter((one) => isWanted(one.quantity, one.function));
    const change = ({exponents}) =>
      exponents ? exponents.map((one) => one.toFixed(1)).join(" → ") : "";
    const state = (one) => (more.includes(one) ? "fail" : "pass");
    return table(
      ["", "Function", "Quantity", ...VALUES, "Exponent", "Artifacts", "Measure it again"],
      found.map((one) => [
        cell(badge(state(one), one.class)),
        cell(opener(one.smallest, one.function)),
        cell(one.quantity),
        ...valueCells(one.quantity, one.measured, one.measured[3]),
        numberCell(change(one)),
        numberCell(one.artifacts),
        cell(clipped(one.command)),
      ]),
    );
  }

  function drawCourses() {
    replaceContent(courses);
    if (!chosen.name) return;
    const pages = new Map();
    replaceContent(courses, quiet("Loading all builds…"));
    loadEach(
      pairs,
      ({build, beside}) => load("speed-pair", {build, beside}),
      (pair, loaded) => pages.set(pair, loaded),
      () => alive,
      (pair, error) => pages.set(pair, {...pair, rows: [], error}),
    ).then(() => {
      if (!alive) return;
      const {name} = chosen;
      const measured = pairs.flatMap((pair) =>
        pages
          .get(pair)
          .rows.filter((row) => row.name === name)
          .map((row) => ({...pair, ...row})),
      );
      const sizes = page.rows.map((row) => row.name).filter((one) => sameFunction(one, name));
      replaceContent(
        courses,
        element("h2", name),
        sizes.length > 1 &&
          select("Size", sizes.map((one) => [one, one]), name, note("name", drawCourses)),
        measured.length > 0
          ? QUANTITIES.map((quantity) => coursesOf(quantity, measured))
          : quiet("It was not measured on any two builds."),
      );
    });
  }
  return {leave: () => (alive = false)};
}

// "loop_f32_n255/cpu" and "loop_f32_n4095/cpu"
const functionOf = (name) => name.replace(/_n\d+(?=\/|$)/, "_n*");
const sameFunction = (one, other) => functionOf(one) === functionOf(other);
const nameOf = ({build, beside}) => `${build} beside ${beside}`;

const VALUES = ["Times", "Interval", "Before", "After"];
const valueCells = (quantity, measured, shown) => [
  numberCell(times(shown)),
  numberCell(intervalWords(measured)),
  numberCell(amount(quantity, measured[0])),
  numberCell(amount(quantity, measured[1])),
];

function table(heads, rows) {
  if (rows.length === 0) return quiet("Nothing of that kind.");
  return [
    listTable(heads, rows.slice(0, MOST)),
    rows.length > MOST && quiet(`The first ${MOST} of ${rows.length} rows; filter for the others.`),
  ];
}
