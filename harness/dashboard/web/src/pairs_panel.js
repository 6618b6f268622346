// The pairs behind one cell: a page of them at a time, those that failed first.

import {announce, count, element, quiet, replaceContent} from "./dom.js";
import {failureNotice, outcomeBadge} from "./controls.js";
import {load, source} from "./data.js";
import {link} from "./route.js";
import {isSuccess} from "./tally.js";

// `what`: {build, primitive} or {build, producer}; `filter`: {platform, mode}.
export function pairsPanel(what, filter, close) {
  const list = element("ol", {class: "pairs"});
  const state = quiet("Loading…");
  const more = element("button", {type: "button", class: "wide", hidden: true}, "More");
  const subject = what.producer ?? (what.primitive || "(no primitive)");
  const panel = element(
    "aside",
    {class: "panel", "aria-label": `${subject} on ${what.build}`},
    element(
      "header",
      {},
      element("h2", {tabindex: "-1"}, subject, element("span", {class: "on"}, " on "), what.build),
      element(
        "button",
        {
          type: "button",
          class: "close",
          title: "Close (Esc)",
          "aria-label": "Close",
          onclick: close,
        },
        "×",
      ),
    ),
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
  more.addEventListener("click", loadPage);
  loadPage();
  return panel;
}

function pairItem(pair, build) {
  const place = [pair.platform, pair.mode].filter(Boolean).join(" · ");
  const {artifact, golden, platform, mode} = pair;
  // A static report holds pages of some pairs only.
  const held = source.isService || pair.page;
  return element(
    "li",
    {},
    element(
      held ? "a" : "div",
      {
        class: "pair",
        href: held ? link("pair", {artifact, golden, build, platform, mode}) : undefined,
      },
      element(
        "span",
        {class: "pair-head"},
        outcomeBadge(pair.cell, pair.outcome),
        element("span", {class: "pair-name"}, pair.name),
      ),
      pair.message && element("span", {class: "message"}, pair.message),
      element(
        "span",
        {class: "quiet"},
        [
          place,
          !isSuccess(pair.outcome) && `at ${pair.stage}`,
          pair.class !== "unknown" && pair.class,
          pair.limitation,
          `by ${pair.producer}`,
        ]
          .filter(Boolean)
          .join(" · "),
      ),
    ),
  );
}
