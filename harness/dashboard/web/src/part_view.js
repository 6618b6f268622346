// The page of a primitive or of a custom-call target: since when, how far, what breaks it.

import {cell, element, listTable, numberCell, section} from "./dom.js";
import {breakTable, lookupView, notHere, otherSection} from "./breaks_view.js";
import {badge} from "./controls.js";
import {lifeWords} from "./search_view.js";
import {UNKNOWN} from "./lookup.js";

const daysText = (days) => (days === null || days === undefined ? "–" : String(days));

function reachTable({days_backward: backward, days_forward: forward}) {
  const row = (name, {all, any}) => [cell(name), numberCell(daysText(all)), numberCell(daysText(any))];
  const heads = ["Direction", "Days up to which all passes", "Most days on which anything does"];
  return element("div.scrolls", listTable(heads, [row("backward", backward), row("forward", forward)]));
}

export const primitiveView = lookupView("Primitive", (lookup, [name = ""]) => {
  const reach = lookup.reach("primitive", name);
  if (!reach) return notHere(`primitive ${name}`);
  return [
    element("h1.pair-title", name || "(unknown primitive)"),
    section("Breaks", breakTable(lookup, lookup.breaks.filter((one) => one.primitives.includes(name)))),
    otherSection(lookup, lookup.othersOf("primitive", name)),
    section("How far it works, in warm processes", reachTable(reach)),
  ];
});

const STATES = {yes: ["pass", "registered"], no: ["fail", "not registered"], [UNKNOWN]: ["broken", "not known"]};

export const targetView = lookupView("Target", (lookup, [name = ""]) => {
  const reach = lookup.reach("target", name);
  const lives = lookup.livesOf(name);
  if (!reach && lives.length === 0) return notHere(`target ${name}`);
  const platforms = lives.map(({platform}) => platform).filter((one) => one !== "any");
  const shown = platforms.length > 0 ? platforms : ["cpu"];
  const rows = [...lookup.releases].reverse().map((release) => [
    cell(release.version),
    numberCell(release.released),
    ...shown.map((platform) => cell(badge(...STATES[lookup.isRegistered(name, platform, release)]))),
  ]);
  const spans = ["listed", "emitted"].flatMap((kind) =>
    lives
      .filter((life) => life[kind])
      .map((life) => {
        const {first, last, began, ended} = life[kind];
        const words = {listed: "guaranteed", emitted: "called by default exports"}[kind];
        return (
          `${life.platform}: ${words} ${began ? "since" : "before"} ${first.release}` +
          (ended ? ` until ${last.release}` : "")
        );
      }),
  );
  return [
    element("h1.pair-title", name),
    element(
      "ul.plain",
      [...lives.map(lifeWords).filter(Boolean), ...spans].map((text) => element("li", text)),
    ),
    section("Breaks of artifacts that call it",
      breakTable(lookup, lookup.breaks.filter((one) => one.targets.includes(name)))),
    otherSection(lookup, lookup.othersOf("target", name)),
    reach && section("How far artifacts work that call it, in warm processes", reachTable(reach)),
    section("By release", element("div.scrolls", listTable(["Release", "Published", ...shown], rows))),
  ];
});
