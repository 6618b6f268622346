// The breaks of what is promised: all of them, and the page of one.

import {cell, element, listTable, numberCell, quiet, replaceContent, section} from "./dom.js";
import {command, facts, failedView} from "./controls.js";
import {
  breakLink, breakTitle, issueLink, linksTo, loadLookup, otherLink, otherTitle, releaseLink, versionsText,
} from "./lookup.js";
import {pageLink} from "./route.js";

// A view of the history that needs nothing but its data: draw(lookup, path) gives its content.
export const lookupView = (title, draw) => (place, parameters, overview, path) => {
  replaceContent(place, element("h1", title), quiet("Loading…"));
  loadLookup()
    .then((lookup) => replaceContent(place, draw(lookup, path, overview)))
    .catch((error) => replaceContent(place, failedView(title, error)));
  return {};
};

export const notHere = (what) => [
  element("h1", `The history has no ${what}`),
  element("p", element("a", {href: "#/search"}, "Search it")),
];

export function breakTable(lookup, breaks) {
  if (breaks.length === 0) return element("p", "None is known.");
  const rows = breaks.map((one) => [
    cell(breakLink(one)),
    cell(releaseLink(lookup.since(one)), ` of ${lookup.release(lookup.since(one)).released}`),
    cell(versionsText(lookup, one.producers)),
    cell(versionsText(lookup, one.consumers)),
    numberCell(one.pairs.toLocaleString("en")),
    cell(element("span.message", one.message)),
    cell(one.issue && issueLink(one.issue)),
  ]);
  const heads = ["Break", "Since", "Exported by", "Fails on", "Pairs", "Message", "Issue"];
  return element("div.scrolls", listTable(heads, rows));
}

// A section, if there are any.
export function otherSection(lookup, failures) {
  if (failures.length === 0) return null;
  const rows = failures.map((one) => [
    cell(otherLink(one)),
    cell(lookup.sinceOf(one)),
    cell(element("span.message", one.message || one.dtypes.join(", "))),
  ]);
  return section(
    "On other products",
    element("div.scrolls", listTable(["Failure", "Since", "Message, or dtypes"], rows)),
  );
}

export const breaksView = lookupView("Breaks", (lookup) => [
  element("h1", "Breaks"),
  element(
    "p.lead",
    `An artifact that its own release runs fails on a release that the promises cover. Measured ` +
      `${lookup.history.today}: ${lookup.history.executions.toLocaleString("en")} executions of ` +
      `${lookup.history.artifacts.toLocaleString("en")} artifacts. `,
    element("a", {href: "feed.xml"}, "New ones as a feed"),
  ),
  breakTable(lookup, lookup.breaks),
  otherSection(lookup, lookup.others.failures.filter(({message}) => message)),
  section(
    "Left out: what fails on the release that exported it",
    element(
      "div.scrolls",
      listTable(
        ["Artifact", "Release", "Outcome", "Message"],
        lookup.history.fails_on_its_own_release.map((one) => [
          cell(one.name), cell(one.producer), cell(one.outcome),
          cell(element("span.message", one.message)),
        ]),
      ),
    ),
  ),
]);

export const breakView = lookupView("Break", (lookup, [id]) => {
  const found = lookup.breaks.find((one) => one.id === id);
  if (!found) return notHere(`break ${id ?? ""}`);
  const {smallest, promises} = found;
  const since = lookup.since(found);
  const days =
    found.least_days === found.most_days
      ? String(found.least_days)
      : `${found.least_days} to ${found.most_days}`;
  const build = `jax-${smallest.consumer}${found.condition === "fresh" ? "-fresh" : ""}`;
  return [
    element("div.back", element("a", {href: "#/breaks"}, "← Breaks")),
    element("h1.pair-title", breakTitle(found)),
    element("p.lead", "Since ", releaseLink(since), ` of ${lookup.release(since).released}.`),
    element("pre.text-block.message-block", found.message),
    facts([
      ["Exported by", linksTo("release", lookup.ordered(found.producers))],
      ["Fails on", linksTo("release", lookup.ordered(found.consumers))],
      ["Pairs", Object.entries(promises).map(([name, number]) => `${number} ${name}`).join(", ")],
      ["Days between", days],
      ["Primitives", linksTo("primitive", found.primitives)],
      ["Targets", found.targets.length > 0 && linksTo("target", found.targets)],
      ["Process", found.condition === "fresh" ? "one that has lowered nothing itself" : "warm"],
      ["Issue", found.issue && issueLink(found.issue)],
      [
        "Smallest artifact",
        `${smallest.name}, ${smallest.bytes.toLocaleString("en")} bytes, ${smallest.producer} on ` +
          smallest.consumer,
      ],
      ["Its id", element("code", smallest.artifact)],
      ["Address", element("a", {href: `#/break/${found.id}`}, `#/break/${found.id}`)],
    ].filter(([, value]) => value)),
    section(
      "Seen again by",
      command(`vintage replay --archive A --id ${smallest.artifact.slice(0, 12)} --build ${build} --mode compiled`),
    ),
  ];
});

export const failureView = lookupView("Failure", (lookup, [id]) => {
  const {failures, days} = lookup.others;
  const found = failures.find((one) => one.id === id);
  if (!found) return notHere(`failure ${id ?? ""}`);
  const {smallest, promises} = found;
  const builds = (list) => list.map((name) => `${name} (${days[name]})`).join(", ");
  const known = found.primitives.filter((name) => lookup.primitives.includes(name));
  return [
    element("div.back", element("a", {href: "#/breaks"}, "← Breaks")),
    element("h1.pair-title", otherTitle(found)),
    element("p.lead", `${lookup.sinceOf(found)}.`),
    found.message && element("pre.text-block.message-block", found.message),
    facts([
      ["Outcome", found.outcome && `${found.outcome} in stage ${found.stage}`],
      ["Exported by", builds(found.producers)],
      ["Fails on", builds(found.consumers)],
      ["Pairs of builds", Object.entries(promises).map(([name, number]) => `${number} ${name}`).join(", ")],
      ["Primitives", known.length > 0 && linksTo("primitive", known)],
      ["Dtypes", found.dtypes.join(", ")],
      ["Artifacts", found.artifacts.join(", ")],
      ["Smallest artifact", smallest &&
        `${smallest.name}, ${smallest.bytes.toLocaleString("en")} bytes, ${smallest.producer} on ${smallest.consumer}`],
      ["Address", element("a", {href: pageLink("failure", id)}, pageLink("failure", id))],
    ].filter(([, value]) => value)),
  ];
});
