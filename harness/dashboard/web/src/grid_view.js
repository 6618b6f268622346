// Primitives by builds over time.

import {button, element, replaceContent} from "./dom.js";
import {CellTable} from "./cell_table.js";
import {
  emptyView,
  failureNotice,
  legend,
  matches,
  PlaceFields,
  search,
  toggle,
  viewHead,
} from "./controls.js";
import {load, loadEach} from "./data.js";
import {dayOf} from "./dates.js";
import {showPairs} from "./pairs_panel.js";
import {dayAxis, plot, pointsOf} from "./plot.js";
import {changeOf, noteParameters} from "./route.js";
import {sumAll, sumByName} from "./tally.js";

const NAME_WIDTH = 174,
  NARROW_NAME_WIDTH = 130,
  CELL_WIDTH = 26; // As style/cells.css has them.

export function gridView(place, parameters, overview) {
  const builds = overview.builds.filter((build) => build.outcomes > 0);
  if (builds.length === 0) {
    const advice = ["vintage replay --archive A", " runs the archived artifacts."];
    replaceContent(place, emptyView("Primitives × builds", "Nothing was run yet. ", ...advice));
    return {};
  }
  const chosen = {text: "", platform: "", mode: "", failures: "", until: "", ...parameters};
  const pages = new Map(); // By build: the rows of its column.
  let alive = true,
    table = null,
    columns = [];

  const area = element("div.table-area");
  const side = element("div.side");
  const pager = element("div.pager");
  const summary = element("p.summary", {"aria-live": "polite"});
  const change = changeOf("grid", chosen, () => {
    drawRows();
    drawSide();
  });
  const places = new PlaceFields(builds, chosen, change);
  const above = element("div.above-table", summary, pager);
  replaceContent(
    place,
    viewHead(
      "Primitives × builds",
      search("Primitive", chosen.text, change("text")),
      places.fields,
      toggle("only with failures", chosen.failures === "1", change("failures")),
    ),
    element("div.grid-layout", element("div.table-side", above, area, legend()), side),
  );

  const note = () => noteParameters("grid", chosen);

  // As many builds as fit, the newest last; `until` is the last one shown.
  function chooseColumns() {
    const room = area.clientWidth - (innerWidth > 900 ? NAME_WIDTH : NARROW_NAME_WIDTH) - 4;
    const fit = Math.max(3, Math.min(60, Math.floor(room / CELL_WIDTH)));
    let end = builds.findIndex((build) => build.name === chosen.until) + 1;
    if (end === 0) end = builds.length;
    end = Math.max(end, Math.min(fit, builds.length));
    columns = builds.slice(Math.max(0, end - fit), end);
    const first = end - columns.length;
    const turn = (label, goal, enabled) => {
      const go = () => {
        chosen.until = goal === builds.length ? "" : builds[goal - 1].name;
        note();
        draw();
      };
      return button("", label, go, {disabled: !enabled});
    };
    replaceContent(
      pager,
      columns.length < builds.length && [
        turn("‹ Older", Math.max(fit, end - fit), first > 0),
        element("span.quiet", `builds ${first + 1}–${end} of ${builds.length}`),
        turn("Newer ›", Math.min(builds.length, end + fit), end < builds.length),
      ],
    );
  }

  function draw() {
    chooseColumns();
    table = new CellTable({
      caption: "Primitives by builds",
      rowHeading: "Primitive",
      columns,
      describe: (row, build, tally) =>
        `${row || "(no primitive)"} on ${build}: ${tally?.text ?? "not tried"}`,
      open: (primitive, build) => {
        Object.assign(chosen, {build, primitive});
        note();
        drawSide(true);
      },
    });
    replaceContent(area, table.table);
    drawRows();
    drawSide();
    const shown = table;
    const missing = columns.filter(({name}) => !pages.has(name)).reverse();
    loadEach(
      missing.map(({name}) => name),
      (build) => load("column", {build}),
      (build, page) => {
        pages.set(build, page.cells);
        places.offer(page.cells);
        if (chosen.failures || chosen.text) drawRows();
        else fillColumn(build);
        drawSummary();
        if (!document.documentElement.dataset.firstPicture) {
          performance.mark("first-picture");
          document.documentElement.dataset.firstPicture = "yes";
        }
      },
      () => alive && shown === table,
      (build, error) => area.append(failureNotice(error)),
    ).then(() => alive && shown === table && drawSide());
  }

  function drawRows() {
    const failing = new Set();
    if (chosen.failures)
      for (const {name} of columns)
        for (const [primitive, tally] of sumByName(pages.get(name) ?? [], chosen))
          if (tally.fail + tally.unexpected > 0) failing.add(primitive);
    const rows = overview.primitives.filter(
      (name) => matches(name, chosen.text) && (!chosen.failures || failing.has(name)),
    );
    table.setRows(rows);
    for (const {name} of columns) if (pages.has(name)) fillColumn(name);
    area.classList.toggle("empty", rows.length === 0);
    drawSummary();
  }

  function fillColumn(build) {
    const sums = sumByName(pages.get(build), chosen);
    for (const primitive of table.rows) table.show(primitive, build, sums.get(primitive));
  }

  function drawSummary() {
    const newest = [...columns].reverse().find(({name}) => pages.has(name));
    if (!newest) return replaceContent(summary, "Loading…");
    const all = sumAll(pages.get(newest.name), chosen);
    replaceContent(summary, element("strong", newest.name), ` of ${newest.date}: ${all.text}`);
  }

  let panelOf = "";
  function drawSide(focus = false) {
    table.choose(chosen.primitive, chosen.build);
    const open = chosen.build !== undefined && chosen.primitive !== undefined;
    const key = open
      ? JSON.stringify([chosen.build, chosen.primitive, chosen.platform, chosen.mode])
      : "plot" + pages.size + chosen.platform + chosen.mode;
    if (key === panelOf) return;
    panelOf = key;
    const {build, primitive} = chosen;
    showPairs(side, open && {build, primitive}, chosen, {close, focus});
    if (!open) replaceContent(side, passPlot(columns, pages, chosen));
  }

  function close() {
    table.focusChosen();
    delete chosen.build;
    delete chosen.primitive;
    note();
    drawSide();
  }

  draw();
  let width = place.clientWidth;
  const resize = new ResizeObserver(() => {
    if (Math.abs(place.clientWidth - width) < CELL_WIDTH) return;
    width = place.clientWidth;
    panelOf = "";
    draw();
  });
  resize.observe(place);
  return {
    escape: () => chosen.build !== undefined && close(),
    leave: () => {
      alive = false;
      resize.disconnect();
    },
  };
}

function passPlot(columns, pages, filter) {
  const known = columns.filter(({name}) => pages.has(name));
  const sums = known.map(({name}) => sumAll(pages.get(name), filter));
  if (known.length < 2) return element("p.quiet.hint", "Choose a cell to see its pairs.");
  const share = sums.map((sum) => (sum.all === 0 ? null : (100 * sum.fail) / sum.all));
  const days = known.map(({date}) => dayOf(date));
  const worst = Math.max(...share.filter((one) => one !== null));
  const newest = share.at(-1)?.toFixed(1) ?? "unknown";
  const percent = (tick) => `${Number(tick.toFixed(2))} %`;
  return element(
    "div.side-note",
    plot({
      title: "Pairs that failed undeclared, by the day of the build",
      describe:
        `From ${known[0].date} to ${known.at(-1).date}: ` +
        `at most ${worst.toFixed(1)} %, last ${newest} %`,
      height: 220,
      make: (colours) => ({
        x: dayAxis(days),
        y: {low: 0, high: Math.max(1, worst * 1.1), label: percent},
        words: (index) => `${known[index].name}: ${share[index]?.toFixed(1) ?? "?"} %`,
        series: [{data: pointsOf(days, share), borderColor: colours.fail}],
      }),
    }),
    element("p.quiet.hint", "Choose a cell to see its pairs."),
  );
}
