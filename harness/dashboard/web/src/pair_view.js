// One pair: an artifact on a build, with its message, the module's text, and the commands that
// reproduce it.

import {element, replaceContent, tableHead} from "./dom.js";
import {command, facts, failureNotice, outcomeBadge} from "./controls.js";
import {load} from "./data.js";
import {dayOf, distance} from "./dates.js";
import {link} from "./route.js";
import {isSuccess} from "./tally.js";

export function pairView(place, parameters) {
  const {artifact, golden, build, platform, mode} = parameters;
  const back = element(
    "p",
    {class: "back"},
    element(
      "a",
      {
        href: "#/grid",
        onclick: (event) => {
          if (history.length > 1) {
            event.preventDefault();
            history.back();
          }
        },
      },
      "‹ Back",
    ),
  );
  const body = element("div", {}, element("p", {class: "quiet"}, "Loading…"));
  replaceContent(place, back, body);
  load("pair", {artifact, golden, build, platform, mode})
    .then((pair) => replaceContent(body, drawPair(pair, parameters)))
    .catch((error) => replaceContent(body, element("h1", {}, "A pair"), failureNotice(error)));
  return {escape: () => history.back()};
}

function drawPair(pair, parameters) {
  const {record, history: outcomes, elsewhere, commands} = pair;
  const latest = outcomes[0];
  const consumer = elsewhere.find((one) => one.build === parameters.build);
  const days = consumer ? dayOf(consumer.date) - dayOf(record.build_date) : null;
  return [
    element("h1", {class: "pair-title"}, record.name),
    element(
      "p",
      {class: "lead"},
      outcomeBadge(latest?.cell, latest?.outcome ?? "not tried"),
      latest && !isSuccess(latest.outcome) && ` at ${latest.stage}`,
      latest?.class && latest.class !== "unknown" && ` · ${latest.class}`,
      " on ",
      element("strong", {}, parameters.build),
      days !== null && ` (${distance(days)} after its producer)`,
    ),
    element(
      "div",
      {class: "pair-layout"},
      element(
        "div",
        {},
        latest?.message &&
          element(
            "section",
            {},
            element("h2", {}, "Message"),
            element("pre", {class: "text-block message-block", tabindex: "0"}, latest.message),
          ),
        element(
          "section",
          {},
          element("h2", {}, "Reproduce"),
          commands.map(({what, text}) =>
            element(
              "div",
              {class: "command-row"},
              element("span", {class: "quiet"}, what),
              command(text),
            ),
          ),
        ),
        moduleSection(parameters),
      ),
      element(
        "div",
        {},
        element(
          "section",
          {},
          element("h2", {}, "Artifact"),
          facts([
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
          ]),
        ),
        elsewhereSection(pair, parameters),
        outcomes.length > 1 && historySection(outcomes),
      ),
    ),
  ];
}

function moduleSection({artifact}) {
  const text = element("pre", {class: "text-block module-block", tabindex: "0"});
  const state = element("p", {class: "quiet"}, "Loading…");
  load("text", {artifact})
    .then((page) => {
      state.textContent = page.cut
        ? `the first ${page.text.length.toLocaleString("en")} characters`
        : "";
      if (page.problem) replaceContent(state, page.problem);
      text.textContent = page.text;
      text.hidden = !page.text;
    })
    .catch((error) => {
      text.hidden = true;
      replaceContent(state, failureNotice(error));
    });
  return element("section", {}, element("h2", {}, "Module"), state, text);
}

function elsewhereSection({elsewhere, record}, parameters) {
  return element(
    "section",
    {},
    element("h2", {}, "On every build"),
    element(
      "table",
      {class: "list"},
      tableHead(["Build", "Days", "Outcome"]),
      element(
        "tbody",
        {},
        elsewhere.map((one) =>
          element(
            "tr",
            {
              class:
                one.build === parameters.build &&
                one.platform === parameters.platform &&
                one.mode === parameters.mode
                  ? "current"
                  : "",
            },
            element(
              "td",
              {},
              element(
                "a",
                {
                  href: link("pair", {
                    ...parameters,
                    build: one.build,
                    platform: one.platform,
                    mode: one.mode,
                  }),
                },
                one.build,
              ),
              element("span", {class: "quiet"}, ` ${one.platform} ${one.mode}`),
            ),
            element("td", {class: "number"}, distance(dayOf(one.date) - dayOf(record.build_date))),
            element("td", {}, outcomeBadge(one.cell, one.outcome)),
          ),
        ),
      ),
    ),
  );
}

function historySection(outcomes) {
  return element(
    "section",
    {},
    element("h2", {}, "Earlier runs"),
    element(
      "ul",
      {class: "plain"},
      outcomes.map((one) =>
        element(
          "li",
          {},
          outcomeBadge(one.cell, one.outcome),
          " ",
          element(
            "span",
            {class: "quiet"},
            `${one.run.slice(0, 19)} · ${one.seconds.toFixed(3)} s`,
          ),
        ),
      ),
    ),
  );
}
