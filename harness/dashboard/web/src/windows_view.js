// The window of each producer along the calendar: the promised days, and the builds that really ran
// its artifacts.

import {cell, element, listTable, numberCell, replaceContent} from "./dom.js";
import {failureNotice, PlaceFields, viewHead} from "./controls.js";
import {load, loadEach} from "./data.js";
import {dayOf, distance, promiseOf} from "./dates.js";
import {changeOf, link, noteParameters} from "./route.js";
import {sumByName} from "./tally.js";
import {timeline, timelineLegend} from "./timeline.js";

export function windowsView(place, parameters, overview) {
  const chosen = {platform: "", mode: "", ...parameters};
  const consumers = overview.builds.map((build) => ({...build, day: dayOf(build.date)}));
  const producers = [...overview.producers]
    .map((one) => ({...one, day: dayOf(one.date)}))
    .sort((one, other) => other.day - one.day);
  const today = dayOf(overview.today);
  const backward = overview.policy.backward_days,
    forward = overview.policy.forward_days;
  const pages = new Map();
  let alive = true,
    queued = false,
    sums = new Map();

  const figure = element("div.timeline-area");
  const detail = element("div.timeline-detail");
  const problems = element("div");
  const change = changeOf("windows", chosen, () => redraw());
  const places = new PlaceFields(overview.builds, chosen, change);
  replaceContent(
    place,
    viewHead("Windows", places.fields),
    element(
      "p.lead",
      `Policy ${overview.policy.name}: artifacts work on consumers built up to ${backward} days ` +
        `after their producer, and up to ${forward} days before it. Choose a producer for its ` +
        "consumers.",
    ),
    problems,
    figure,
    timelineLegend("Legend of the timeline", LEGEND),
    detail,
  );

  const isPromised = (days) => promiseOf(days, overview.policy) !== "";

  // The tallies of each producer's artifacts on the builds: [{build, tally}], by date.
  function tried(producer) {
    const tallyOn = ({name}) => sums.get(name)?.get(producer.name);
    return consumers.map((build) => ({build, tally: tallyOn(build)}));
  }

  function covered(producer) {
    const within = tried(producer).filter(({build}) => isPromised(build.day - producer.day));
    const ran = within.filter(({tally}) => tally && tally.all > 0);
    const failed = ran.filter(({tally}) => tally.fail > 0);
    const reach = Math.max(-1, ...ran.map(({build}) => build.day - producer.day));
    const words = [`${ran.length} of ${within.length} builds in its window ran it`];
    if (reach >= 0) words.push(`shown to day ${reach} of ${backward}`);
    if (ran.length === 0) words.push("nothing ran yet");
    else words.push(failed.length === 0 ? "none failed" : `${failed.length} with failures`);
    return words.join(", ");
  }

  function draw() {
    sums = new Map([...pages].map(([build, rows]) => [build, sumByName(rows, chosen)]));
    const dayRange = [...producers.map(({day}) => day), ...consumers.map(({day}) => day)];
    if (dayRange.length === 0)
      return replaceContent(figure, element("p.notice", "No producer is archived yet."));
    const first = Math.min(...dayRange) - forward - 5;
    const last =
      Math.max(Math.max(...dayRange), Math.min(today, Math.max(...dayRange) + backward)) + 5;
    const rows = producers.map((producer) => ({
      label: producer.name,
      detail: covered(producer),
      chosen: producer.name === chosen.producer,
      spans: [
        {from: producer.day - forward, to: producer.day, kind: "ahead"},
        {from: producer.day, to: Math.min(today, producer.day + backward), kind: "window"},
        {from: Math.max(today, producer.day), to: producer.day + backward, kind: "open"},
      ],
      marks: [
        {day: producer.day, kind: "producer", title: `built ${producer.date}`},
        ...tried(producer).flatMap(({build, tally}) => {
          const days = build.day - producer.day;
          const state = tally?.state ?? "untried";
          if (state === "untried" && !isPromised(days)) return [];
          const kind = KIND_OF_STATE[state] ?? state;
          const share = tally ? tally.fail / tally.all : 0;
          const title = `${build.name} (${distance(days)}): ${tally?.text ?? "not tried"}`;
          return {day: build.day, kind, share, title};
        }),
      ],
      open: () => {
        chosen.producer = chosen.producer === producer.name ? "" : producer.name;
        noteParameters("windows", chosen);
        draw();
        drawDetail();
        figure.querySelector(".row.chosen")?.focus();
      },
    }));
    const width = figure.clientWidth;
    const label = "Producers and their windows";
    replaceContent(figure, timeline({rows, first, last, today, width, label}));
  }

  function drawDetail() {
    const producer = producers.find(({name}) => name === chosen.producer);
    if (!producer) return replaceContent(detail);
    const rows = tried(producer).flatMap(({build, tally}) => {
      const days = build.day - producer.day;
      if (!tally && Math.abs(days) > backward) return [];
      const href = link("matrix", {build: build.name, producer: producer.name});
      const row = [
        cell(tally ? element("a", {href}, build.name) : build.name),
        cell(build.date),
        numberCell(distance(days)),
        cell(promiseOf(days, overview.policy)),
        cell(tally?.text ?? "not tried"),
      ];
      return [row];
    });
    const table = listTable(["Consumer", "Built", "Days", "Promised", "Result"], rows);
    replaceContent(detail, element("h2", producer.name), element("p", covered(producer)), table);
  }

  const redraw = () => {
    if (queued) return;
    queued = true;
    requestAnimationFrame(() => {
      queued = false;
      if (!alive) return;
      draw();
      drawDetail();
    });
  };
  draw();
  const ran = consumers.filter(({outcomes}) => outcomes > 0).reverse();
  loadEach(
    ran.map(({name}) => name),
    (build) => load("matrix", {build}),
    (build, page) => {
      pages.set(build, page.cells);
      places.offer(page.cells);
      redraw();
    },
    () => alive,
    (build, error) => replaceContent(problems, failureNotice(error)),
  );
  const resize = new ResizeObserver(redraw);
  resize.observe(figure);
  return {
    escape: () => {
      if (!chosen.producer) return;
      chosen.producer = "";
      noteParameters("windows", chosen);
      redraw();
    },
    leave: () => {
      alive = false;
      resize.disconnect();
    },
  };
}

const KIND_OF_STATE = {
  unexpected: "part",
  broken: "pass",
  declared: "pass",
  differs: "pass",
  undecided: "pass",
};
const LEGEND = [
  ["window", "promised until today"],
  ["open", "promised, in the future"],
  ["ahead", "promised to earlier consumers"],
  ["pass", "ran, none failed"],
  ["compiled", "compiled, none failed"],
  ["part", "ran, some failed"],
  ["fail", "failed, none passed"],
  ["untried", "registered, not tried"],
];
