// Releases: how much of what older ones exported passes on each, one release, and one pair.

import {cell, count, element, listTable, numberCell, quiet, section} from "./dom.js";
import {breakTable, lookupView, notHere} from "./breaks_view.js";
import {CellTable} from "./cell_table.js";
import {facts, legend} from "./controls.js";
import {dayOf, distance, promiseOf} from "./dates.js";
import {pairLink, percent, releaseLink, share, tallyRow} from "./lookup.js";
import {dayAxis, plot, pointsOf} from "./plot.js";
import {pageLink} from "./route.js";
import {Tally} from "./tally.js";

// The shares of `lines` on each release, by the day on which it was published.
function trend(title, releases, lines) {
  const days = releases.map(({released}) => dayOf(released));
  const shares = lines.map(({of}) => releases.map(of));
  const words = releases.map(({version}, index) =>
    [version, ...lines.map(({name}, line) => `${name} ${percent(shares[line][index])}`)].join(" · "),
  );
  const all = shares.flat().filter((one) => one !== null);
  const low = Math.min(...all);
  return plot({
    title,
    describe: `${title}. ${words.join("; ")}`,
    height: 220,
    make: (colours) => ({
      x: dayAxis([days[0], days.at(-1)]),
      y: {low: Math.floor(10 * low) / 10, high: 1, label: (tick) => `${Math.round(100 * tick)} %`},
      words: (index) => words[index],
      series: lines.map(({tint, dashes}, index) => ({
        data: pointsOf(days, shares[index]),
        borderColor: colours[tint],
        borderDash: dashes,
        spanGaps: true,
      })),
    }),
  });
}

export const releasesView = lookupView("Releases", (lookup, [producer, consumer], overview) => {
  if (producer !== undefined && consumer !== undefined)
    return pairPage(lookup, producer, consumer, overview);
  const {policy} = overview;
  const promised = ({producer: from, consumer: on}) =>
    from !== on && promiseOf(lookup.day(on) - lookup.day(from), policy) !== "";
  const on = (release, condition, fits = () => true) =>
    lookup.pairs((one) => one.consumer === release.version && one.condition === condition && fits(one));
  const lines = [
    {name: "promised, warm", tint: "accent", of: (one) => share(on(one, "warm", promised))},
    {name: "promised, fresh", tint: "fail", dashes: [6, 4], of: (one) => share(on(one, "fresh", promised))},
    {name: "all, warm", tint: "text", dashes: [2, 3], of: (one) => share(on(one, "warm"))},
  ];
  const rows = [...lookup.releases].reverse().map((one) => [
    cell(releaseLink(one.version)),
    numberCell(one.released),
    numberCell(String(one.calling_convention)),
    numberCell(String(one.serialization)),
    cell(one.stablehlo),
    ...lines.map(({of}) => numberCell(percent(of(one)))),
    numberCell(String(lookup.breaks.filter(({consumers}) => consumers.includes(one.version)).length)),
  ]);
  const heads = ["Release", "Published", "Calling convention", "Serialization", "StableHLO"];
  heads.push(...lines.map(({name}) => `Pass (${name})`), "Breaks");
  return [
    element("h1", "Releases"),
    element(
      "p.lead",
      "How many artifacts of other releases pass on each release. Promised: exported up to " +
        `${policy.backward_days} days before it, or up to ${policy.forward_days} days after. Fresh: ` +
        "in a process that has lowered nothing itself.",
    ),
    trend("Share that passes, by release: blue promised; orange, dashed: promised, in a fresh process; grey, dotted: all",
      lookup.releases, lines),
    section("Producers × consumers, warm", pairTable(lookup, policy)),
    section("All of them", element("div.scrolls", listTable(heads, rows))),
  ];
});

function pairTable(lookup, policy) {
  const versions = lookup.releases.map(({version}) => version);
  const days = (producer, consumer) => lookup.day(consumer) - lookup.day(producer);
  const warm = new Map(
    lookup
      .pairs(({condition}) => condition === "warm")
      .map((pair) => [`${pair.producer} ${pair.consumer}`, tallyOf([pair])]),
  );
  const table = new CellTable({
    caption: "Pairs of releases",
    rowHeading: "Exported by ↓  on →",
    tallyOf: (producer, consumer) => warm.get(`${producer} ${consumer}`),
    describe: (producer, consumer, tally) =>
      `${producer} on ${consumer} (${distance(days(producer, consumer))}): ${tally?.text ?? "not tried"}`,
    mark: (producer, consumer) => promiseOf(days(producer, consumer), policy),
    open: (producer, consumer) => (window.location.hash = pageLink("releases", producer, consumer)),
  });
  const columns = lookup.releases.map(({version: name, released: date}) => {
    return {name, date, product: "jax", builds: [{name, date}]};
  });
  table.draw(versions, columns, true);
  return [element("div.table-area.scrolls", {tabindex: "-1"}, table.table), legend()];
}

function tallyOf(pairs) {
  const tally = new Tally();
  tally.addRow(tallyRow(pairs));
  return tally;
}

const failText = ({fail, refused}) =>
  [...Object.entries(fail), ...(refused > 0 ? [["refused", refused]] : [])]
    .map(([kind, number]) => `${number.toLocaleString("en")} ${kind}`)
    .join(", ");

function pairRows(pairs, other, lookup, link) {
  return pairs.map((pair) => [
    cell(link(pair)),
    cell(distance(lookup.day(pair.consumer) - lookup.day(pair.producer))),
    cell(pair.condition),
    numberCell(percent(share([pair]))),
    cell(failText(pair)),
  ]);
}

export const releaseView = lookupView("Release", (lookup, [version], {policy}) => {
  const release = lookup.release(version);
  if (!release) return notHere(`release ${version ?? ""}`);
  const table = (title, side, other) => {
    const pairs = lookup
      .pairs((pair) => pair[side] === version)
      .sort((one, two) => lookup.day(two[other]) - lookup.day(one[other]));
    const rows = pairRows(pairs, other, lookup, (pair) =>
      pairLink(pair.producer, pair.consumer, pair[other]));
    const heads = ["Release", "Days", "Process", "Pass", "Fails"];
    return section(title, element("div.scrolls", listTable(heads, rows)));
  };
  const seen = (side) => lookup.breaks.filter((one) => one[side].includes(version));
  return [
    element("div.back", element("a", {href: "#/releases"}, "← Releases")),
    element("h1.pair-title", `JAX ${version}`),
    facts([
      ["Published", release.released],
      ["Promised to read", `exports of up to ${policy.backward_days} days before`],
      ["Calling convention", `up to ${release.calling_convention}`],
      ["Serialization", `up to ${release.serialization}`],
      ["StableHLO", `up to ${release.stablehlo}`],
      ["Exported here", count(release.artifacts, "artifact")],
      ["Badge", element("a", {href: badgeAddress(version)}, badgeAddress(version))],
    ]),
    section(`Known breaks on ${version}`, breakTable(lookup, seen("consumers"))),
    section(`Known breaks of artifacts of ${version}`, breakTable(lookup, seen("producers"))),
    table(`Artifacts on ${version}, by the release that exported them`, "consumer", "producer"),
    table(`Artifacts of ${version}, by the release that runs them`, "producer", "consumer"),
  ];
});
const badgeAddress = (version) => `badge/jax-${version}.svg`;

function pairPage(lookup, producer, consumer, {policy}) {
  for (const version of [producer, consumer])
    if (!lookup.release(version)) return notHere(`release ${version}`);
  const pairs = lookup.pairs((one) => one.producer === producer && one.consumer === consumer);
  const days = lookup.day(consumer) - lookup.day(producer);
  const promise = promiseOf(days, policy);
  const breaks = lookup.breaks.filter(
    (one) => one.producers.includes(producer) && one.consumers.includes(consumer),
  );
  const rows = pairRows(pairs, "", lookup, (pair) => tallyOf([pair]).text);
  return [
    element("div.back", element("a", {href: "#/releases"}, "← Releases")),
    element("h1.pair-title", `Artifacts of ${producer} on ${consumer}`),
    facts([
      ["Exported by", [releaseLink(producer), ` of ${lookup.release(producer).released}`]],
      ["Run by", [releaseLink(consumer), ` of ${lookup.release(consumer).released}`]],
      ["Promise", promise ? `${promise}, ${distance(days)}` : `none: ${distance(days)}`],
    ]),
    pairs.length > 0
      ? element("div.scrolls", listTable(["Outcomes", "Days", "Process", "Pass", "Fails"], rows))
      : quiet("Nothing of this pair ran."),
    section("Known breaks between them", breakTable(lookup, breaks)),
    element("p", pairLink(consumer, producer, "The other way round")),
  ];
}

