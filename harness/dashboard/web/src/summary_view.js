// The answer of the newest run: does it hold, what fails and since when, what changed since the run
// before.

import {cell, count, element, listTable, numberCell, quiet, replaceContent, section} from "./dom.js";
import {command, emptyView, failedView, outcomeBadge, verdictBadge} from "./controls.js";
import {load} from "./data.js";
import {link} from "./route.js";

const time = (text) => text.slice(0, 16).replace("T", " ");

export function summaryView(place) {
  replaceContent(place, element("h1", "Summary"), quiet("Loading…"));
  load("summary")
    .then((summary) => replaceContent(place, draw(summary)))
    .catch((error) => replaceContent(place, failedView("Summary", error)));
  return {};
}

const titleOf = (run) =>
  `${run.kind}${run.label && ` ‘${run.label}’`} of ${time(run.started || run.id)} UTC`;

function draw({run, reasons, promises, failures, changes, later_failure: later}) {
  if (!run)
    return emptyView("Summary", "No run has answered yet. ", "vintage nightly --archive A", " is one.");
  return [
    element("div.view-head", element("h1", "Summary"), verdictBadge(run)),
    element("p.lead", `${titleOf(run)}, ${count(run.outcomes, "outcome")}. ${reasons[0] ?? ""}`),
    later && element("p", `A later run does not hold: ${titleOf(later)}. `, verdictBadge(later)),
    later && command(`vintage diff --run ${later.id} --archive A`),
    reasons.length > 1 && element("ul", reasons.slice(1).map((reason) => element("li", reason))),
    promises.length > 0 && section("Promises", promiseTable(promises)),
    section("What fails, and since when", failureTable(failures)),
    section("What changed", changeTable(changes)),
    section("This run again", command(run.command_line)),
  ];
}

// "12,040 pass, 3 fail"
const cellsText = (cells) =>
  Object.entries(cells)
    .map(([name, number]) => `${number.toLocaleString("en")} ${name}`)
    .join(", ");

function promiseTable(promises) {
  const rows = promises.map(({promise, verdict, cells}) => [
    cell(element("a", {href: link("windows")}, promise)),
    cell(verdictBadge({verdict})),
    cell(cellsText(cells)),
  ]);
  return element("div.scrolls", listTable(["Promise", "Verdict", "Pairs"], rows));
}

const pairLink = (name, pair, build) => {
  const {artifact, golden, platform, mode} = pair;
  return element("a", {href: link("pair", {artifact, golden, build, platform, mode})}, name);
};

function failureTable(failures) {
  if (failures.length === 0) return element("p", "Nothing of this run fails undeclared.");
  const rows = failures.map((one) => [
    cell(element("a", {href: link("grid", {build: one.build, primitive: one.primitive})},
      one.primitive || "(no primitive)")),
    cell(one.build),
    numberCell(one.failures.toLocaleString("en")),
    cell(one.is_new ? "this run" : time(one.since)),
    cell(outcomeBadge(one.cell, one.class ?? one.outcome), " ", pairLink(one.name, one, one.build)),
    cell(one.message),
  ]);
  const heads = ["Primitive", "Build", "Failures", "Since (UTC)", "Example", "Message"];
  return element("div.scrolls", listTable(heads, rows));
}

function changeTable(changes) {
  if (!changes) return element("p", "There is no earlier run of this kind to compare with.");
  const {before, in_both: both, broken, mended} = changes;
  const words =
    `Against the run of ${time(before.started || before.id)} UTC: of ${count(both, "pair")} in both, ` +
    `${broken.toLocaleString("en")} broke, ${mended.toLocaleString("en")} mended; ` +
    `${changes.only_before.toLocaleString("en")} only then, ` +
    `${changes.only_after.toLocaleString("en")} only now.`;
  const rows = changes.changes.map((one) => [
    cell(one.change),
    cell(pairLink(one.name, one, one.after.build)),
    cell(one.after.build),
    cell(one.before.outcome),
    cell(one.after.outcome),
    cell(one.after.detail || one.before.detail),
  ]);
  const heads = ["Change", "Artifact", "Build", "Before", "After", "Message"];
  return [
    element("p", words),
    rows.length > 0 && element("div.scrolls", listTable(heads, rows)),
  ];
}
