// One box for all that the history knows: primitives, targets, releases, breaks and their messages.
// Each result is an answer by itself, and a link to its page.

import {count, element, quiet, replaceContent, showText} from "./dom.js";
import {failedView} from "./controls.js";
import {breakTitle, loadHistory, loadLookup, otherTitle, versionsText} from "./lookup.js";
import {link, noteParameters, pageLink} from "./route.js";

const MOST = 40;

export function searchView(place, parameters, overview) {
  const input = element("input.filter.wide", {
    type: "search",
    value: parameters.text ?? "",
    placeholder: "eigh, lapack_spotrf, 0.6.0, Segmentation fault",
    spellcheck: "false",
    autocomplete: "off",
    "aria-label": "Primitive, target, release or message",
    "aria-controls": "results",
    oninput: () => {
      find();
      complete();
    },
    onkeydown: (event) => step(event, -1),
  });
  const said = element("p.summary", {"aria-live": "polite"}, "Loading…");
  const results = element("ul.pairs.results", {id: "results", onkeydown: (event) => step(event)});
  replaceContent(
    place,
    element("h1", overview.title),
    element("div.lookup", input),
    said,
    results,
  );
  input.focus({preventScroll: true});
  let items = null,
    looked = null;
  const show = (loading) =>
    loading
      .then((lookup) => {
        looked = lookup;
        items = itemsOf(lookup);
        find();
      })
      .catch((error) => replaceContent(place, failedView("The history cannot be read", error)));
  let completed = null;
  const complete = () => (completed ??= show(loadLookup()));
  show(loadHistory()).then(() => input.value && complete());

  function find() {
    if (!items) return;
    const text = input.value.trim().toLowerCase();
    noteParameters("search", {text: input.value.trim()});
    const found = text ? ranked(items, text) : items.filter(({first}) => first);
    const shown = found.slice(0, MOST);
    showText(
      said,
      !text
        ? "Breaks inside the promises, the newest first. Type a primitive, a target, a release, a product or words of a message."
        : count(found.length, "result") + (found.length > MOST ? `, the first ${MOST}` : ""),
    );
    replaceContent(results, shown.map(draw));
    if (text && found.length === 0)
      replaceContent(results, element("li", quiet(`Nothing of the history names that. ${measuredWords(looked)}`)));
  }

  // The arrow keys lead from the box to the results and back.
  function step(event, from) {
    const steps = {ArrowDown: 1, ArrowUp: -1}[event.key];
    const links = [...results.querySelectorAll("a")];
    if (from === -1 && event.key === "Enter") return links[0]?.click();
    if (!steps) return;
    event.preventDefault();
    const next = (from ?? links.indexOf(document.activeElement)) + steps;
    (next < 0 ? input : links[Math.min(next, links.length - 1)])?.focus();
  }
  return {};
}

function draw({kind, name, answer, href}) {
  const head = element("span.pair-head", element("span.pair-name", name), quietWord(kind));
  return element("li", element("a.pair", {href}, head, element("span", answer)));
}
const quietWord = (text) => element("span.quiet", text);

// Of a question: "since when does eigh fail on TensorFlow?"
const FILLERS = new Set("a are at did do does fail fails how in is on since the what when which who why".split(" "));

function measuredWords({releases, others}) {
  const span = ({from, consumers}) => `${from && `${from} on `}${consumers[0]} to ${consumers.at(-1)}`;
  const jax = {from: "", consumers: releases.map(({version}) => `JAX ${version}`)};
  return `Measured: ${[jax, ...others.measured].map(span).join("; ")}.`;
}

// Exact names first, then beginnings, then what holds all the words.
function ranked(items, text) {
  const all = text.split(/[\s?]+/).filter(Boolean);
  const telling = all.filter((word) => !FILLERS.has(word));
  const words = telling.length > 0 ? telling : all;
  const rank = (item) => {
    if (item.key === text) return 0;
    if (item.key.startsWith(text)) return 1;
    if (item.key.includes(text)) return 2;
    return words.every((word) => item.text.includes(word)) ? 3 : 4;
  };
  const found = items.map((item) => ({item, rank: rank(item)})).filter((one) => one.rank < 4);
  return found.sort((one, other) => one.rank - other.rank).map(({item}) => item);
}

function itemsOf(lookup) {
  const item = (kind, name, answer, href, more = {}) => ({
    kind,
    name,
    answer,
    href,
    key: name.toLowerCase(),
    text: [kind, name, answer, more.words ?? ""].join(" ").toLowerCase(),
    first: more.first,
  });
  const breaks = [...lookup.breaks]
    .sort((one, other) => lookup.day(lookup.since(other)) - lookup.day(lookup.since(one)))
    .map((one) =>
      item("break", breakTitle(one), breakAnswer(lookup, one), pageLink("break", one.id), {
        first: true,
        words: [...one.primitives, ...one.targets, ...one.consumers, one.issue].join(" "),
      }),
    );
  const atHome = lookup.history.fails_on_its_own_release.map((one) =>
    item("fails where it was exported", one.name, `${one.producer}: ${one.message}`, link("breaks")),
  );
  return [
    ...lookup.primitives.map((name) =>
      item("primitive", name, partAnswer(lookup, "primitive", name), pageLink("primitive", name)),
    ),
    ...lookup.targets.map((name) =>
      item("target", name, partAnswer(lookup, "target", name), pageLink("target", name)),
    ),
    ...lookup.releases.map((release) =>
      item("release", release.version, releaseAnswer(lookup, release), pageLink("release", release.version)),
    ),
    ...breaks,
    ...lookup.others.failures.map((one) =>
      item("other product", otherTitle(one), otherAnswer(lookup, one), pageLink("failure", one.id), {
        words: [...one.artifacts, ...one.consumers, ...one.producers].join(" "),
      }),
    ),
    ...atHome,
  ];
}

const breakAnswer = (lookup, one) =>
  `since ${lookup.since(one)} (${lookup.release(lookup.since(one)).released}), on ` +
  `${versionsText(lookup, one.consumers)}: ${one.message}`;

const otherAnswer = (lookup, one) =>
  `${lookup.sinceOf(one)}: ${one.message || one.dtypes.join(", ")}`;

function partAnswer(lookup, kind, name) {
  const list = kind === "primitive" ? "primitives" : "targets";
  const words = [];
  const lives = lookup.livesOf(name);
  if (kind === "target") words.push(...lives.map(lifeWords).filter(Boolean));
  const own = lookup.breaks.filter((one) => one[list].includes(name));
  for (const one of own)
    words.push(`${one.outcome}${one.condition === "fresh" ? " in a fresh process" : ""} since ${lookup.since(one)}`);
  if (own.length === 0) words.push("no known break inside the promises");
  const products = new Set(lookup.othersOf(kind, name).map(({on}) => on));
  if (products.size > 0) words.push(`known failures on ${[...products].join(", ")}`);
  return words.join("; ");
}

// "cpu: registered before 0.4.20 until 0.5.3"
export function lifeWords(life) {
  if (life.of_compiler) return `${life.platform}: of the compiler`;
  if (!life.registered) return life.registry_known ? `${life.platform}: never registered` : "";
  const {first, last, began, ended} = life.registered;
  const bare = (name) => name.replace(/^jax /, "");
  return (
    `${life.platform}: registered ${began ? "since" : "before"} ${bare(first.release)}` +
    (ended ? ` until ${bare(last.release)}` : "")
  );
}

function releaseAnswer(lookup, {version, released, stablehlo, calling_convention: convention}) {
  const breaks = lookup.breaks.filter((one) => one.consumers.includes(version));
  return (
    `of ${released}, StableHLO ${stablehlo}, calling convention ${convention}, ` +
    count(breaks.length, "known break")
  );
}
