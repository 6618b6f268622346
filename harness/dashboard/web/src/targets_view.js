// The spans in which the known releases register, list and emit each custom-call target.

import {count, element, quiet, replaceContent, showText} from "./dom.js";
import {emptyView, failedView, matches, search, selectOrAll, toggle, viewHead} from "./controls.js";
import {load} from "./data.js";
import {dayOf} from "./dates.js";
import {changeOf} from "./route.js";
import {timeline, timelineLegend} from "./timeline.js";

const TITLE = "Custom-call targets";
const KINDS = [
  ["registered", "registered: the runtime executes it"],
  ["listed", "listed: the release guarantees it"],
  ["emitted", "emitted: exports call it"],
];

export function targetsView(place, parameters) {
  const chosen = {text: "", platform: "", gone: "", ...parameters};
  const body = element("div", quiet("Loading…"));
  replaceContent(place, body);
  let resize = null;
  load("targets")
    .then((page) => draw(page))
    .catch((error) => replaceContent(body, failedView(TITLE, error)));

  function draw({releases, targets}) {
    if (targets.length === 0) {
      const asks = "vintage builds describe BUILD --emitted --archive A";
      const empty = emptyView(TITLE, "The facts of no build are known. ", asks, " asks a build.");
      return replaceContent(body, empty);
    }
    const figure = element("div.timeline-area");
    const said = element("p.summary", {"aria-live": "polite"});
    const platforms = [...new Set(targets.map(({platform}) => platform))].sort();
    const change = changeOf("targets", chosen, drawRows);
    replaceContent(
      body,
      viewHead(
        TITLE,
        search("Target", chosen.text, change("text")),
        selectOrAll("Platform", platforms, chosen.platform, change("platform")),
        toggle("only those that ended", chosen.gone === "1", change("gone")),
      ),
      said,
      figure,
      timelineLegend("Legend of the lines", KINDS),
    );
    const first = Math.min(...releases.map(({date}) => dayOf(date))) - 10;
    const last = Math.max(...releases.map(({date}) => dayOf(date))) + 10;

    function drawRows() {
      const shown = targets.filter(
        (target) =>
          matches(target.name, chosen.text) &&
          (!chosen.platform || target.platform === chosen.platform) &&
          (!chosen.gone || KINDS.some(([kind]) => target[kind]?.ended)),
      );
      showText(
        said,
        `${count(shown.length, "target")} of ${count(releases.length, "release")}, ` +
          `${releases[0].name} to ${releases.at(-1).name}`,
      );
      const rows = shown.map((target) => ({
        label: target.platform === "any" ? target.name : `${target.name} · ${target.platform}`,
        detail: wordsOf(target),
        marks: [],
        spans: KINDS.filter(([kind]) => target[kind]).map(([kind]) => ({
          from: dayOf(target[kind].first.day),
          to: dayOf(target[kind].last.day),
          kind,
        })),
      }));
      const label = {label: "Targets over releases", labelWidth: 250};
      const days = {first, last, today: last + 1};
      replaceContent(figure, timeline({rows, ...days, width: figure.clientWidth, ...label}));
    }
    drawRows();
    resize = new ResizeObserver(drawRows);
    resize.observe(figure);
  }
  return {leave: () => resize?.disconnect()};
}

function wordsOf(target) {
  const words = KINDS.flatMap(([kind]) => {
    const span = target[kind];
    if (!span) return [];
    return [
      `${kind} ${span.began ? "since" : "before"} ${span.first.release}` +
        (span.ended ? ` until ${span.last.release}` : ""),
    ];
  });
  return `${target.platform}; ${words.join(", ") || "nothing is known"}`;
}
