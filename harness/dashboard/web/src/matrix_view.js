// Producers by consumers: whose artifacts ran where. An outline marks the pairs of the policy's
// promises.

import {element, replaceContent} from "./dom.js";
import {CellTable} from "./cell_table.js";
import {failureNotice, legend, PlaceFields, viewHead} from "./controls.js";
import {load, loadEach} from "./data.js";
import {dayOf, distance, promiseOf} from "./dates.js";
import {showPairs} from "./pairs_panel.js";
import {changeOf, noteParameters} from "./route.js";
import {sumByName} from "./tally.js";

export function matrixView(place, parameters, overview) {
  const chosen = {platform: "", mode: "", ...parameters};
  const builds = overview.builds.filter((build) => build.outcomes > 0);
  const producers = [...overview.producers].sort((one, other) => (one.date < other.date ? -1 : 1));
  const dates = new Map([...producers, ...builds].map(({name, date}) => [name, dayOf(date)]));
  const producerDay = new Map(producers.map(({name, date}) => [name, dayOf(date)]));
  const {backward_days: backward, forward_days: forward} = overview.policy;
  const pages = new Map();
  let alive = true;

  const days = (producer, build) => dates.get(build) - producerDay.get(producer);
  const table = new CellTable({
    caption: "Producers by consumers",
    rowHeading: "Producer ↓  consumer →",
    columns: builds,
    describe: (producer, build, tally) =>
      `${producer} on ${build} (${distance(days(producer, build))}): ${tally?.text ?? "not tried"}`,
    mark: (producer, build) => promiseOf(days(producer, build), overview.policy),
    open: (producer, build) => {
      Object.assign(chosen, {producer, build});
      noteParameters("matrix", chosen);
      drawSide(true);
    },
  });
  const change = changeOf("matrix", chosen, () => {
    for (const build of pages.keys()) fill(build);
    drawSide();
  });
  const places = new PlaceFields(builds, chosen, change);
  const side = element("div.side");
  const area = element("div.table-area.scrolls", {tabindex: "-1"}, table.table);
  replaceContent(
    place,
    viewHead("Producers × consumers", places.fields),
    element(
      "p.lead",
      `Outlined: what policy ${overview.policy.name} promises, ${backward} days backward and ` +
        `${forward} days forward. A pair counts once for each artifact.`,
    ),
    element("div.grid-layout", element("div.table-side", area, legend()), side),
  );
  table.setRows(producers.map(({name}) => name));

  function fill(build) {
    const sums = sumByName(pages.get(build), chosen);
    for (const {name} of producers) table.show(name, build, sums.get(name));
  }
  function drawSide(focus = false) {
    const {build, producer} = chosen;
    table.choose(producer, build);
    showPairs(side, build && producer && {build, producer}, chosen, {close, focus});
  }
  function close() {
    table.focusChosen();
    delete chosen.build;
    delete chosen.producer;
    noteParameters("matrix", chosen);
    drawSide();
  }
  drawSide();
  area.scrollLeft = area.scrollWidth;
  loadEach(
    builds.map(({name}) => name).reverse(),
    (build) => load("matrix", {build}),
    (build, page) => {
      pages.set(build, page.cells);
      places.offer(page.cells);
      fill(build);
    },
    () => alive,
    (build, error) => area.before(failureNotice(error)),
  );
  return {escape: () => chosen.build && close(), leave: () => (alive = false)};
}
