// Primitives by builds over time.

import {button, element, replaceContent} from "./dom.js";
import {buildTable} from "./build_table.js";
import {emptyView, matches, search, toggle, viewHead} from "./controls.js";
import {dayOf} from "./dates.js";
import {dayAxis, plot, pointsOf} from "./plot.js";
import {link} from "./route.js";
import {sumAll} from "./tally.js";

export function gridView(place, parameters, overview) {
  const all = overview.builds.filter((build) => build.outcomes > 0);
  if (all.length === 0) {
    const advice = ["vintage replay --archive A", " runs the archived artifacts."];
    replaceContent(place, emptyView("Primitives × builds", "Nothing was run yet. ", ...advice));
    return {};
  }
  const chosen = {text: "", platform: "", mode: "", failures: "", until: "", ...parameters};
  // Those up to the day of the build `until`.
  const until = all.find(({name}) => name === chosen.until);
  const builds = until ? all.filter(({date}) => date <= until.date) : all;
  const showAll = () => (location.hash = link("grid", {...chosen, until: ""}));

  const summary = element("p.summary", {"aria-live": "polite"});
  const table = buildTable({
    view: "grid",
    page: "column",
    part: "primitive",
    caption: "Primitives by builds",
    rowHeading: "Primitive",
    builds,
    chosen,
    rowsOf,
    beside: () => passPlot(builds.filter(isKnown), table.pages, chosen),
    drawn: drawSummary,
    describe: (row, build, tally) =>
      `${row || "(no primitive)"} on ${build}: ${tally?.text ?? "not tried"}`,
    mark: () => "",
  });
  const {change, pages, sumsOf} = table;
  const isKnown = ({name}) => pages.has(name);
  const newer = until && button("", "Newer builds ›", showAll);
  replaceContent(
    place,
    viewHead(
      "Primitives × builds",
      search("Primitive", chosen.text, change("text")),
      table.fields,
      toggle("only with failures", chosen.failures === "1", change("failures")),
    ),
    table.layout(element("div.above-table", summary, newer)),
  );

  function rowsOf() {
    const failing = new Set();
    if (chosen.failures)
      for (const build of pages.keys())
        for (const [primitive, tally] of sumsOf(build))
          if (tally.fail + tally.unexpected > 0) failing.add(primitive);
    return overview.primitives.filter(
      (name) => matches(name, chosen.text) && (!chosen.failures || failing.has(name)),
    );
  }

  function drawSummary() {
    const newest = builds.findLast(isKnown);
    if (!newest) return replaceContent(summary, "Loading…");
    const tally = sumAll(pages.get(newest.name), chosen);
    replaceContent(summary, element("strong", newest.name), ` of ${newest.date}: ${tally.text}`);
  }

  table.start();
  return table.handlers;
}

// It shows the product of the newest build: several have no line in common.
function passPlot(builds, pages, filter) {
  const known = builds.filter(({product}) => product === builds.at(-1).product);
  const sums = known.map(({name}) => sumAll(pages.get(name), filter));
  if (known.length < 2) return element("p.quiet.hint", "Choose a cell to see its pairs.");
  const share = sums.map((sum) => (sum.all === 0 ? null : (100 * sum.fail) / sum.all));
  const days = known.map(({date}) => dayOf(date));
  const worst = Math.max(...share.filter((one) => one !== null));
  const newest = share.at(-1)?.toFixed(1) ?? "unknown";
  const percent = (tick) => `${Number(tick.toFixed(2))} %`;
  return element(
    "div.side-note",
    plot({
      title: `Pairs that failed undeclared, by the day of the build of ${known[0].product}`,
      describe:
        `From ${known[0].date} to ${known.at(-1).date}: ` +
        `at most ${worst.toFixed(1)} %, last ${newest} %`,
      height: 220,
      make: (colours) => ({
        x: dayAxis(days),
        y: {low: 0, high: Math.max(1, worst * 1.1), label: percent},
        words: (index) => `${known[index].name}: ${share[index]?.toFixed(1) ?? "?"} %`,
        series: [{data: pointsOf(days, share), borderColor: colours.fail}],
      }),
    }),
    element("p.quiet.hint", "Choose a cell to see its pairs."),
  );
}
