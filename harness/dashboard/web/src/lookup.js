// The measured history of releases (`vintage history`), indexed for the views that look things up.

import {count, element} from "./dom.js";
import {load, loadOverview} from "./data.js";
import {dayOf} from "./dates.js";
import {pageLink} from "./route.js";

// The target of assertions about shapes, which every release knows.
const NOT_A_CALL = "shape_assertion";
// Nothing is known of a platform's registry where no release was asked.
export const UNKNOWN = "unknown";

// Failures on other products, of days that `days` has by build.
const NO_OTHERS = {failures: [], measured: [], days: {}};

class Lookup {
  constructor(history, {releases, targets}, others = NO_OTHERS) {
    this.history = history;
    this.others = others;
    this.releases = history.releases; // The oldest first.
    this.breaks = history.breaks;
    this.places = new Map(this.releases.map(({version}, index) => [version, index]));
    this.lives = targets;
    this.facts = new Map(releases.map((release) => [release.name, release]));
    this.primitives = names(history.reach, "primitive");
    this.targets = [
      ...new Set([...names(history.reach, "target"), ...targets.map(({name}) => name)]),
    ].sort();
    this.known = new Set(this.targets.filter((name) => name && name !== NOT_A_CALL));
  }
  release(version) {
    return this.releases[this.places.get(version)];
  }
  day(version) {
    return dayOf(this.release(version).released);
  }
  // The first release on which a break was seen.
  since(found) {
    return this.ordered(found.consumers)[0];
  }
  ordered(versions) {
    return [...versions].sort((one, other) => this.places.get(one) - this.places.get(other));
  }
  // Failures on other products that concern a primitive, or a target, whose name stands in messages.
  othersOf(kind, name) {
    const isWord = (text) => text.split(/[^\w$.]+/).includes(name);
    return this.others.failures.filter((one) =>
      kind === "primitive" ? one.primitives.includes(name) : isWord(one.message));
  }
  // "since tensorflow-2.16.2 (2024-06-28), the oldest measured, on 6 of 6 builds"
  sinceOf({from, on, consumers}) {
    const {consumers: all} = this.others.measured.find((one) => one.from === from && one.on === on);
    const [first] = consumers,
      last = consumers.at(-1);
    const oldest = all[0] === first ? ", the oldest measured" : "";
    const ended = all.at(-1) === last ? "" : `, last on ${last}`;
    const since = `since ${first} (${this.others.days[first]})${oldest}${ended}`;
    return `${since}, on ${consumers.length} of ${count(all.length, "build")}`;
  }
  reach(kind, name) {
    return this.history.reach.find((one) => one.kind === kind && one.name === name);
  }
  // The facts of its runtime, where they are known: {date, calling_convention, serialization}.
  factsOf({version}) {
    return this.facts.get(`jax ${version}`);
  }
  livesOf(name) {
    return this.lives.filter((life) => life.name === name);
  }
  // "yes", "no", "of the compiler", or UNKNOWN.
  isRegistered(name, platform, release) {
    const life = this.lives.find((one) => one.name === name && one.platform === platform);
    if (!life) return this.lives.some((one) => one.name === name && one.of_compiler) ? "yes" : UNKNOWN;
    if (life.of_compiler) return "yes";
    if (!life.registry_known) return UNKNOWN;
    if (!life.registered) return "no";
    const {first, last, began, ended} = life.registered;
    // Targets are registered by runtimes, which may be some days older than their release.
    const day = dayOf(this.factsOf(release)?.date ?? release.released);
    const early = day < dayOf(first.day),
      late = day > dayOf(last.day);
    if ((early && !began) || (late && !ended)) return UNKNOWN;
    return early || late ? "no" : "yes";
  }
  pairs(fits) {
    return this.history.pairs.filter(fits);
  }
}

export async function loadLookup() {
  const {others} = await loadOverview();
  const pages = ["history", "targets", ...(others ? ["others"] : [])];
  return new Lookup(...(await Promise.all(pages.map((page) => load(page)))));
}
// Without the lives of targets, which are as large again: for a first picture.
export async function loadHistory() {
  return new Lookup(await load("history"), {releases: [], targets: []});
}

const names = (reach, wanted) =>
  reach.filter(({kind, name}) => kind === wanted && name).map(({name}) => name);

const failures = (pair) => Object.values(pair.fail).reduce((sum, number) => sum + number, 0);
// The outcomes of `pairs` as a row of a Tally. A refusal counts as a failure, as in docs/measured.
export function tallyRow(pairs) {
  const row = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (const pair of pairs) {
    row[3] += pair.pass;
    row[6] += failures(pair) + pair.refused;
    row[9] += pair.not_comparable ?? 0;
    row[10] += pair.differs_where_it_may ?? 0;
  }
  return row;
}
export function share(pairs) {
  const row = tallyRow(pairs);
  const good = row[3] + row[10];
  const all = good + row[6] + row[9];
  return all === 0 ? null : good / all;
}
// Never "100 %" where something failed.
export function percent(part) {
  if (part === null) return "–";
  return part === 1 ? "100 %" : `${Math.min(99.99, 100 * part).toFixed(2)} %`;
}

const HAPPENINGS = {
  mismatch: "Other values of",
  crash: "The process dies at",
  timeout: "No answer in time from",
  unsupported: "Refused:",
};
const SHOWN = 3;
export function breakTitle({outcome, stage, primitives, condition}) {
  const some = primitives.slice(0, SHOWN).join(", ");
  const more = primitives.length > SHOWN ? ` and ${primitives.length - SHOWN} more` : "";
  const fresh = condition === "fresh" ? ", in a fresh process" : "";
  return `${HAPPENINGS[outcome] ?? `An error in stage ${stage} of`} ${some}${more}${fresh}`;
}

// "target not registered: eigh on tensorflow"
export function otherTitle({class: kind, outcome, primitives, artifacts, on}) {
  const all = primitives.length > 0 ? primitives : artifacts;
  const more = all.length > SHOWN ? ` and ${all.length - SHOWN} more` : "";
  return `${kind || outcome}: ${all.slice(0, SHOWN).join(", ")}${more} on ${on}`;
}

// Links to pages.
export const otherLink = (one) => element("a", {href: pageLink("failure", one.id)}, otherTitle(one));
export const breakLink = (found) =>
  element("a", {href: pageLink("break", found.id)}, breakTitle(found));
export const releaseLink = (version) =>
  element("a", {href: pageLink("release", version)}, version);
export const pairLink = (producer, consumer, words) =>
  element("a", {href: pageLink("releases", producer, consumer)}, words);
export const linksTo = (view, list) =>
  list.map((name, index) => [
    index > 0 && ", ",
    element("a", {href: pageLink(view, name)}, name || "(unknown)"),
  ]);
// Addresses come from a file: only those of the web become links.
export function issueLink(address) {
  const [, rest] = /^https:\/\/(.+)$/.exec(address) ?? [];
  return rest ? element("a", {href: address, rel: "noreferrer"}, rest) : address;
}

// "0.4.30 to 0.5.3", or each of them where others lie between.
export function versionsText(lookup, versions) {
  const list = lookup.ordered(versions);
  const places = list.map((version) => lookup.places.get(version));
  const isSpan = list.length > 2 && places.at(-1) - places[0] + 1 === list.length;
  return isSpan ? `${list[0]} to ${list.at(-1)}` : list.join(", ");
}
