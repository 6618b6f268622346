// Producers by consumers: whose artifacts ran where. What the policy promises is outlined.

import {element, replaceContent} from "./dom.js";
import {CellTable} from "./cell_table.js";
import {failureNotice, legend, PlaceFields, viewHead} from "./controls.js";
import {load, loadEach} from "./data.js";
import {dayOf, distance} from "./dates.js";
import {pairsPanel} from "./pairs_panel.js";
import {noteParameters} from "./route.js";
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
    mark: (producer, build) => {
      const away = days(producer, build);
      return away >= 0 && away <= backward
        ? "backward"
        : away < 0 && -away <= forward
          ? "forward"
          : "";
    },
    open: (producer, build) => {
      Object.assign(chosen, {producer, build});
      noteParameters("matrix", chosen);
      drawSide(true);
    },
  });
  const change = (name) => (value) => {
    chosen[name] = value;
    noteParameters("matrix", chosen);
    for (const build of pages.keys()) fill(build);
    drawSide();
  };
  const places = new PlaceFields(builds, chosen, change);
  const side = element("div", {class: "side"});
  const area = element("div", {class: "table-area scrolls", tabindex: "-1"}, table.table);
  replaceContent(
    place,
    viewHead("Producers × consumers", places.fields),
    element(
      "p",
      {class: "lead"},
      `Outlined: what policy ${overview.policy.name} promises, ${backward} days backward and ` +
        `${forward} days forward. ` +
        "A pair counts once for each artifact.",
    ),
    element(
      "div",
      {class: "grid-layout"},
      element("div", {class: "table-side"}, area, legend()),
      side,
    ),
  );
  table.setRows(producers.map(({name}) => name));

  function fill(build) {
    const sums = sumByName(pages.get(build), chosen);
    for (const {name} of producers) table.show(name, build, sums.get(name));
  }
  function drawSide(focus = false) {
    const open = Boolean(chosen.build && chosen.producer);
    table.choose(chosen.producer, chosen.build);
    side.classList.toggle("open", open);
    if (!open) return replaceContent(side);
    const panel = pairsPanel(
      {build: chosen.build, producer: chosen.producer},
      {platform: chosen.platform, mode: chosen.mode},
      close,
    );
    replaceContent(side, panel);
    if (focus) panel.querySelector("h2").focus({preventScroll: window.innerWidth > 900});
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
