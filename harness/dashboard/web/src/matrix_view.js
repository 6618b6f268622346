// Producers by consumers: whose artifacts ran where. An outline marks the pairs of the policy's
// promises.

import {element, replaceContent} from "./dom.js";
import {buildTable} from "./build_table.js";
import {viewHead} from "./controls.js";
import {dayOf, distance, promiseOf} from "./dates.js";

export function matrixView(place, parameters, overview) {
  const chosen = {platform: "", mode: "", ...parameters};
  const builds = overview.builds.filter((build) => build.outcomes > 0);
  const producers = [...overview.producers].sort((one, other) => (one.date < other.date ? -1 : 1));
  const names = producers.map(({name}) => name);
  const dates = new Map([...producers, ...builds].map(({name, date}) => [name, dayOf(date)]));
  const producerDay = new Map(producers.map(({name, date}) => [name, dayOf(date)]));
  const {backward_days: backward, forward_days: forward} = overview.policy;

  const days = (producer, build) => dates.get(build) - producerDay.get(producer);
  const table = buildTable({
    view: "matrix",
    page: "matrix",
    part: "producer",
    caption: "Producers by consumers",
    rowHeading: "Producer ↓  consumer →",
    builds,
    chosen,
    rowsOf: () => names,
    beside: () => null,
    drawn: () => {},
    describe: (producer, build, tally) =>
      `${producer} on ${build} (${distance(days(producer, build))}): ${tally?.text ?? "not tried"}`,
    mark: (producer, build) => promiseOf(days(producer, build), overview.policy),
  });
  const lead = element(
    "p.lead",
    `Outlined: what policy ${overview.policy.name} promises, ${backward} days backward and ` +
      `${forward} days forward. A pair counts once for each artifact.`,
  );
  replaceContent(place, viewHead("Producers × consumers", table.fields), lead, table.layout());
  table.start();
  return table.handlers;
}
