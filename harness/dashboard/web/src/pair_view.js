// One pair: an artifact on a build, with its message, the module's text, and the commands that
// reproduce it.

import {cell, element, listTable, numberCell, quiet, replaceContent, section, showText} from "./dom.js";
import {command, facts, failedView, failureNotice, outcomeBadge} from "./controls.js";
import {load} from "./data.js";
import {dayOf, distance} from "./dates.js";
import {link} from "./route.js";
import {isFailure} from "./tally.js";

export function pairView(place, parameters) {
  const {artifact, golden, build, platform, mode} = parameters;
  const onclick = (event) => {
    if (history.length <= 1) return;
    event.preventDefault();
    history.back();
  };
  const back = element("p.back", element("a", {href: "#/grid", onclick}, "‹ Back"));
  const body = element("div", quiet("Loading…"));
  replaceContent(place, back, body);
  load("pair", {artifact, golden, build, platform, mode})
    .then((pair) => replaceContent(body, drawPair(pair, parameters)))
    .catch((error) => replaceContent(body, failedView("A pair", error)));
  return {escape: () => history.back()};
}

function drawPair(pair, parameters) {
  const {record, history: outcomes, elsewhere, commands} = pair;
  const latest = outcomes[0];
  const consumer = elsewhere.find((one) => one.build === parameters.build);
  const days = consumer ? dayOf(consumer.date) - dayOf(record.build_date) : null;
  const message = element("pre.text-block.message-block", {tabindex: "0"}, latest?.message);
  const reproduce = commands.map(({what, text}) =>
    element("div.command-row", element("span.quiet", what), command(text)),
  );
  const artifact = facts([
    ["primitive", record.primitive],
    ["dtypes", record.dtypes.join(", ")],
    ["variant", record.variant],
    ["platforms", record.platforms.join(", ")],
    ["producer", record.producer],
    ["built", record.build_date],
    ["calling convention", record.calling_convention_version || ""],
    ["StableHLO", record.stablehlo_version],
    ["format", record.format],
    ["custom calls", record.custom_call_targets.join(", ")],
    ["bytes", record.bytes.toLocaleString("en")],
    ["id", record.id],
  ]);
  return [
    element("h1.pair-title", record.name),
    element(
      "p.lead",
      outcomeBadge(latest?.cell, latest?.outcome ?? "not tried"),
      latest && isFailure(latest.outcome) && ` at ${latest.stage}`,
      latest?.class && latest.class !== "unknown" && ` · ${latest.class}`,
      " on ",
      element("strong", parameters.build),
      days !== null && ` (${distance(days)} after its producer)`,
    ),
    element(
      "div.pair-layout",
      element(
        "div",
        latest?.message && section("Message", message),
        section("Reproduce", reproduce),
        moduleSection(parameters),
      ),
      element(
        "div",
        section("Artifact", artifact),
        elsewhereSection(pair, parameters),
        outcomes.length > 1 && historySection(outcomes),
      ),
    ),
  ];
}

function moduleSection({artifact}) {
  const text = element("pre.text-block.module-block", {tabindex: "0"});
  const state = quiet("Loading…");
  load("text", {artifact})
    .then((page) => {
      const shown = page.text.length.toLocaleString("en");
      state.textContent = page.cut ? `the first ${shown} characters` : "";
      if (page.problem) replaceContent(state, page.problem);
      showText(text, page.text);
      text.hidden = !page.text;
    })
    .catch((error) => {
      text.hidden = true;
      replaceContent(state, failureNotice(error));
    });
  return section("Module", state, text);
}

function elsewhereSection({elsewhere, record}, parameters) {
  const rowOf = (one) => {
    const {build, platform, mode} = one;
    const isThis =
      build === parameters.build && platform === parameters.platform && mode === parameters.mode;
    const href = link("pair", {...parameters, build, platform, mode});
    return element(
      "tr",
      {class: isThis ? "current" : ""},
      cell(element("a", {href}, build), element("span.quiet", ` ${platform} ${mode}`)),
      numberCell(distance(dayOf(one.date) - dayOf(record.build_date))),
      cell(outcomeBadge(one.cell, one.outcome)),
    );
  };
  return section("On every build", listTable(["Build", "Days", "Outcome"], elsewhere.map(rowOf)));
}

function historySection(outcomes) {
  const itemOf = ({cell: ended, outcome, run, seconds}) => {
    const when = element("span.quiet", `${run.slice(0, 19)} · ${seconds.toFixed(3)} s`);
    return element("li", outcomeBadge(ended, outcome), " ", when);
  };
  return section("Earlier runs", element("ul.plain", outcomes.map(itemOf)));
}
