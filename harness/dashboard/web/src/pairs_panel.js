// The pairs behind one cell: a page of them at a time, failures first.

import {announce, button, count, element, quiet, replaceContent} from "./dom.js";
import {failureNotice, outcomeBadge} from "./controls.js";
import {load, source} from "./data.js";
import {link} from "./route.js";
import {isFailure} from "./tally.js";

// Shows the pairs of `what` in `side`, or nothing: {build, primitive} or {build, producer}. Only
// the platform and the mode of `chosen` count. `alike` stands below the heading.
export function showPairs(side, what, {platform, mode}, {alike, close, focus}) {
  side.classList.toggle("open", Boolean(what));
  replaceContent(side, what ? pairsPanel(what, {platform, mode}, alike, close) : null);
  if (what && focus) side.querySelector("h2").focus({preventScroll: window.innerWidth > 900});
}

function pairsPanel(what, filter, alike, close) {
  const list = element("ol.pairs");
  const state = quiet("Loading…");
  const more = button(".wide", "More", () => loadPage(), {hidden: true});
  const subject = what.producer ?? (what.primitive || "(no primitive)");
  const panel = element(
    "aside.panel",
    {"aria-label": `${subject} on ${what.build}`},
    element(
      "header",
      element("h2", {tabindex: "-1"}, subject, element("span.on", " on "), what.build),
      button(".close", "×", close, {title: "Close (Esc)", "aria-label": "Close"}),
    ),
    alike,
    state,
    list,
    more,
  );

  let after = 0,
    shown = 0;
  const loadPage = async () => {
    more.disabled = true;
    try {
      const page = await load("pairs", {...what, ...filter, after: after || ""});
      const fitting = page.pairs.filter(
        (pair) =>
          (!filter.platform || pair.platform === filter.platform) &&
          (!filter.mode || pair.mode === filter.mode),
      );
      list.append(...fitting.map((pair) => pairItem(pair, what.build)));
      shown += fitting.length;
      state.textContent =
        page.total > page.pairs.length || after
          ? `${shown} of ${count(page.total, "pair")}, those that failed first`
          : count(shown, "pair");
      announce(`${subject} on ${what.build}: ${state.textContent}`);
      after = page.next ?? 0;
      more.hidden = !after;
      more.disabled = false;
    } catch (error) {
      more.hidden = true;
      if (shown === 0) replaceContent(state);
      panel.append(failureNotice(error));
    }
  };
  loadPage();
  return panel;
}

function pairItem(pair, build) {
  const {artifact, golden, platform, mode} = pair;
  const facts = [
    platform,
    mode,
    isFailure(pair.outcome) && `at ${pair.stage}`,
    pair.class !== "unknown" && pair.class,
    pair.limitation,
    `by ${pair.producer}`,
  ];
  // A static report has pages of only some pairs.
  const held = source.isService || pair.page;
  return element(
    "li",
    element(
      held ? "a.pair" : "div.pair",
      {href: held && link("pair", {artifact, golden, build, platform, mode})},
      element(
        "span.pair-head",
        outcomeBadge(pair.cell, pair.outcome),
        element("span.pair-name", pair.name),
      ),
      pair.message && element("span.message", pair.message),
      element("span.quiet", facts.filter(Boolean).join(" · ")),
    ),
  );
}
