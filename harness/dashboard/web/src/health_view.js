// The state of the archive: its contents and gaps, and the results of its last runs.

import {cell, element, listTable, numberCell, quiet, replaceContent, section} from "./dom.js";
import {clipped, command, failedView, verdictBadge} from "./controls.js";
import {load} from "./data.js";

const number = (value) => value.toLocaleString("en");

function bytes(value) {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export function healthView(place) {
  replaceContent(place, element("h1", "Health"), quiet("Loading…"));
  load("health")
    .then((health) => replaceContent(place, draw(health)))
    .catch((error) => replaceContent(place, failedView("Health", error)));
  return {};
}

function draw(health) {
  const {contents, artifacts, outcomes, builds, runs} = health;
  const card = (value, name, more) => {
    const figure = element("span.figure", value);
    return element("div.card", figure, element("span", name), element("span.quiet", more));
  };
  const stored = `${bytes(contents.bytes)}, stored in ${bytes(contents.stored_bytes)}`;
  const finding = ({level, text, command: advice}) => {
    const mark = element("span.mark", {"aria-hidden": "true"}, level === "problem" ? "!" : "i");
    const words = element("div", element("p", text), advice && command(advice));
    return element("li", {data: {level}}, mark, words);
  };
  const rows = health.last_runs.map((run) => [
    numberCell((run.started || run.id).slice(0, 16).replace("T", " ")),
    cell(
      [run.kind || "?", run.label, run.reporter && `reported by ${run.reporter}`]
        .filter(Boolean)
        .join(", "),
    ),
    cell(verdictBadge(run)),
    numberCell(number(run.outcomes)),
    cell(clipped(run.command_line)),
  ]);
  const runTable = listTable(["Started (UTC)", "Kind", "Verdict", "Outcomes", "Command"], rows);
  return [
    element("h1", "Health"),
    element(
      "div.cards",
      card(number(artifacts.count), "artifacts", `of ${number(artifacts.producers)} producers`),
      card(number(contents.count), "contents", stored),
      card(number(outcomes.count), "outcomes", `${number(outcomes.failed)} did not pass`),
      card(number(builds.count), "builds", `${number(builds.startable)} can be started`),
      card(number(runs.count), "runs", `${number(runs.unfinished)} without an end`),
      card(bytes(health.index_bytes), "index", `format ${health.format}`),
    ),
    section(
      "Findings",
      health.findings.length === 0
        ? element("p", "Nothing is amiss in the index. ")
        : element("ul.findings", health.findings.map(finding)),
      quiet("Contents are not read here. This hashes and parses all of them:"),
      command(health.fsck_command),
    ),
    section("Last runs", element("div.scrolls", runTable)),
  ];
}
