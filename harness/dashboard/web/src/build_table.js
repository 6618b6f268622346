// A table of cells over builds, and the panel of pairs beside it. Builds load newest first. Columns
// stand by product, then by date, so that a build of another product parts no neighbours; those of
// a product whose cells look the same are one column, drawn as the newest of them.

import {element, quiet, replaceContent} from "./dom.js";
import {alikeWords, CellTable} from "./cell_table.js";
import {failureNotice, legend, PlaceFields, select} from "./controls.js";
import {load, loadEach} from "./data.js";
import {showPairs} from "./pairs_panel.js";
import {changeOf, noteParameters} from "./route.js";
import {sumByName} from "./tally.js";

// `page` is the kind of the builds' data, `part` the parameter that names a row. rowsOf() are the
// rows to show, beside() is what the panel shows while no cell is chosen; drawn() is called after
// each picture. `words` and `mark` are CellTable's.
export function buildTable({view, page, part, builds, chosen, rowsOf, beside, drawn, mark, ...words}) {
  const products = byProduct(builds);
  const pages = new Map(); // By build: the rows of its data.
  const sums = new Map(); // By build: a tally for each name.
  const looks = new Map(); // By build: how its column looks.
  let alive = true,
    loading = true,
    awaitsPicture = false,
    pause = 0, // In milliseconds.
    rows = [],
    rowsDrawn = "",
    columns = [],
    panelOf = "",
    alikeOf = "";

  const sumsOf = (build) => {
    if (!sums.has(build)) sums.set(build, sumByName(pages.get(build), chosen));
    return sums.get(build);
  };
  const lookOf = (build) => {
    const look = (row) => `${sumsOf(build).get(row)?.look ?? ""} ${mark(row, build)}`;
    if (!looks.has(build)) looks.set(build, rows.map(look).join());
    return looks.get(build);
  };
  const tallyOf = (row, build) => sumsOf(build).get(row);
  const table = new CellTable({...words, mark, tallyOf, open});
  const change = changeOf(view, chosen, () => {
    sums.clear();
    rowsDrawn = "";
    draw();
  });
  const places = new PlaceFields(builds, chosen, change);
  const area = element("div.table-area.scrolls", {tabindex: "-1"}, table.table);
  const alike = element("div.alike");
  const side = element("div.side");

  function columnsOf(product, own) {
    const waiting = own.findLastIndex(({name}) => !pages.has(name)) + 1;
    const list = waiting > 0 ? [{product, name: `${product} …`, builds: [], waiting}] : [];
    let look = null;
    for (const build of own.slice(waiting)) {
      if (lookOf(build.name) !== look) list.push({product, builds: []});
      look = lookOf(build.name);
      const {name, date} = build;
      Object.assign(list.at(-1), {name, date}).builds.push(build);
    }
    return list;
  }

  function draw() {
    rows = rowsOf();
    const key = JSON.stringify(rows);
    const anew = key !== rowsDrawn;
    rowsDrawn = key;
    if (anew) looks.clear();
    // The rightmost column in sight stays where it is.
    const edge = area.scrollLeft + area.clientWidth;
    const last = table.heads.findLastIndex((head) => head.offsetLeft < edge);
    const kept = columns[last]?.name,
      place = table.heads[last]?.offsetLeft - area.scrollLeft;
    columns = [...products].flatMap(([product, own]) => columnsOf(product, own));
    table.draw(rows, columns, anew);
    const now = table.heads[columns.findIndex(({name}) => name === kept)];
    area.scrollLeft = now ? now.offsetLeft - place : area.scrollWidth;
    area.classList.toggle("empty", rows.length === 0);
    drawSide();
    drawn();
    if (pages.size === 0 || document.documentElement.dataset.firstPicture) return;
    performance.mark("first-picture");
    document.documentElement.dataset.firstPicture = "yes";
  }
  // One picture for all pages that arrive meanwhile; a large table is drawn less often.
  function drawSoon() {
    if (awaitsPicture) return;
    awaitsPicture = true;
    const picture = () => {
      awaitsPicture = false;
      if (!alive) return;
      const began = performance.now();
      draw();
      pause = 4 * (performance.now() - began);
    };
    setTimeout(() => requestAnimationFrame(picture), pause);
  }

  function drawSide(focus = false) {
    const {build, platform, mode, [part]: row} = chosen;
    const isOpen = build !== undefined && row !== undefined;
    const column = columns.find((each) => each.builds.some(({name}) => name === build));
    table.choose(row, column?.name);
    const alikeKey = JSON.stringify([row, build, column?.name, column?.builds.length]);
    if (alikeKey !== alikeOf) drawAlike(row, build, column?.builds ?? []);
    alikeOf = alikeKey;
    const key = JSON.stringify([isOpen ? [build, row] : loading, platform, mode]);
    if (key === panelOf) return;
    panelOf = key;
    showPairs(side, isOpen && {build, [part]: row}, chosen, {alike, close, focus});
    if (!isOpen) replaceContent(side, beside());
  }
  function drawAlike(row, build, group) {
    const choices = group.map(({name, date}) => [name, `${name} of ${date}`]).reverse();
    replaceContent(
      alike,
      group.length > 1 && [
        quiet(alikeWords(group)),
        select("Build", choices, build, (other) => open(row, other)),
      ],
    );
  }
  function open(row, build) {
    Object.assign(chosen, {[part]: row, build});
    noteParameters(view, chosen);
    drawSide(true);
  }
  function close() {
    table.focusChosen();
    delete chosen.build;
    delete chosen[part];
    noteParameters(view, chosen);
    drawSide();
  }

  async function start() {
    draw();
    await loadEach(
      builds.map(({name}) => name).reverse(),
      (build) => load(page, {build}),
      (build, {cells}) => {
        pages.set(build, cells);
        places.offer(cells);
        drawSoon();
      },
      () => alive && loading,
      (build, error) => {
        loading = false; // One notice, not one for each of a thousand builds.
        area.before(failureNotice(error));
      },
    );
    loading = false;
    drawSoon();
  }

  return {
    change,
    fields: places.fields,
    layout: (above) =>
      element("div.grid-layout", element("div.table-side", above, area, legend()), side),
    pages,
    sumsOf,
    start,
    handlers: {
      escape: () => chosen.build !== undefined && close(),
      leave: () => (alive = false),
    },
  };
}

// The product of the newest build stands last, where the table opens.
function byProduct(builds) {
  const products = new Map();
  for (const build of builds) {
    const own = products.get(build.product) ?? [];
    own.push(build);
    products.delete(build.product);
    products.set(build.product, own);
  }
  return products;
}
