// Which releases read a model, and what is known against them. The file is read here, in the
// browser, and goes nowhere.

import {button, cell, count, element, listTable, numberCell, quiet, replaceContent, section} from "./dom.js";
import {badge, facts, failedView, failureNotice, select} from "./controls.js";
import {dayOf, promiseOf, textOfDay} from "./dates.js";
import {readModel, targetsOf, UnreadableFile} from "./exported_file.js";
import {breakLink, linksTo, loadLookup, pairLink, percent, releaseLink, share, UNKNOWN} from "./lookup.js";

const TITLE = "Can I upgrade?";

export function upgradeView(place, parameters, overview) {
  const answer = element("div", {"aria-live": "polite"});
  const input = element("input.visually-hidden", {
    type: "file",
    id: "model",
    "aria-label": "A model file",
    onchange: () => input.files.length > 0 && take(input.files[0]),
  });
  const over = (on) => (event) => {
    event.preventDefault();
    area.classList.toggle("over", on);
  };
  const area = element(
    "div.drop",
    {
      ondragover: over(true),
      ondragleave: over(false),
      ondrop: (event) => {
        over(false)(event);
        if (event.dataTransfer.files.length > 0) take(event.dataTransfer.files[0]);
      },
    },
    button(".choose", "Choose a model file", () => input.click()),
    input,
    quiet(
      "or drop it here: what jax.export's serialize() gave, MLIR bytecode, or a zip of one. " +
        "It is read in this browser and is not sent anywhere.",
    ),
  );
  replaceContent(place, element("h1", TITLE), area, answer);

  async function take(file) {
    replaceContent(answer, quiet(`Reading ${file.name}…`));
    try {
      const [bytes, lookup] = await Promise.all([file.arrayBuffer(), loadLookup()]);
      const model = await readModel(new Uint8Array(bytes));
      model.file = file.name;
      Object.assign(model, targetsOf(model, lookup.known));
      // An Exported since serialization version 12 names its release.
      let producer = lookup.places.has(model.jax) ? model.jax : "";
      const draw = () => replaceContent(answer, drawAnswer(lookup, model, producer, choose, overview));
      const choose = (version) => {
        producer = version;
        draw();
      };
      draw();
    } catch (error) {
      const known = error instanceof UnreadableFile;
      replaceContent(answer, known ? failureNotice(error) : failedView("The file cannot be read", error));
    }
  }
  return {};
}

function drawAnswer(lookup, model, producer, choose, {policy}) {
  const judged = lookup.releases.map((release) => judge(lookup, release, model, producer, policy));
  return [
    element("h2.answer", summaryOf(judged)),
    windowWords(lookup, producer, policy),
    select(
      "Exported by",
      [["", "a release that the file does not name"],
        ...lookup.releases.map(({version, released}) => [version, `${version} of ${released}`])],
      producer,
      choose,
    ),
    section("The releases, the newest first", releaseTable(lookup, judged.reverse(), producer)),
    section("Needs of the file", factsOf(model, lookup)),
  ];
}

function factsOf(model, lookup) {
  const called =
    model.called.length > 0
      ? linksTo("target", model.called)
      : model.calls
        ? `none of the ${lookup.known.size} targets that are known here`
        : "none";
  return facts([
    ["File", `${model.file}: ${model.kind}${model.name ? `, function ${model.name}` : ""}`],
    ["Platforms", model.platforms.join(", ")],
    ["Calling convention", model.callingConvention || ""],
    ["Serialization", model.stated && serializationWords(model)],
    ["StableHLO", model.stablehlo || `not stated (written by "${model.producer}")`],
    ["JAX", model.jax],
    ["Custom calls", called],
    ["Only in derivatives", model.ofDerivatives.length > 0 && linksTo("target", model.ofDerivatives)],
  ].filter(([, value]) => value !== false && value !== 0));
}
const serializationWords = ({stated, serialization}) =>
  stated === serialization ? String(stated) : `states ${stated}, holds content of ${serialization} or later`;

// Compares the needs of the file with a release: problems are certain, doubts are not known.
function judge(lookup, release, model, producer, policy) {
  const problems = [],
    doubts = [];
  versionWords(lookup.factsOf(release), release, model, problems, doubts);
  if (model.stablehlo && isLater(model.stablehlo, release.stablehlo))
    problems.push(`StableHLO ${model.stablehlo}: it reads up to ${release.stablehlo}`);
  for (const name of model.called)
    for (const platform of platformsOf(model)) {
      const registered = lookup.isRegistered(name, platform, release);
      if (registered === "no") problems.push(`${name} is not registered (${platform})`);
      if (registered === UNKNOWN) doubts.push(`nothing is known of ${name} (${platform})`);
    }
  if (model.calls && model.called.length === 0) doubts.push("it calls a target that is not known here");
  const measured =
    producer &&
    share(lookup.pairs((pair) =>
      pair.producer === producer && pair.consumer === release.version && pair.condition === "warm"));
  if (measured === 0 && model.stated > 0) problems.push(`of all that ${producer} exported nothing passed there`);
  const days = producer && dayOf(release.released) - lookup.day(producer);
  return {
    release,
    problems,
    doubts,
    measured,
    breaks: lookup.breaks.filter((found) => concerns(lookup, found, release, model, producer)),
    promise: producer && promiseOf(days, policy),
  };
}

const platformsOf = ({platforms}) => (platforms.length > 0 ? platforms : ["cpu"]);

// Without the facts of a release only the newest versions are known that it reads.
function versionWords(known, release, model, problems, doubts) {
  const convention = known?.calling_convention ?? {oldest: 0, newest: release.calling_convention};
  const range = ({oldest, newest}) => (oldest ? `it reads ${oldest} to ${newest}` : `it reads up to ${newest}`);
  const asked = model.callingConvention;
  if (asked > 0 && (asked < convention.oldest || asked > convention.newest))
    problems.push(`calling convention ${asked}: ${range(convention)}`);
  if (model.stated === 0) return;
  const form = known?.serialization;
  const words = `serialization version ${Math.max(model.serialization, model.stated)}: `;
  if (form && model.serialization < form.oldest) problems.push(words + range(form));
  // A reader that refuses nothing newer ignores what it does not know.
  if (form?.refuses_newer && model.stated > form.newest) problems.push(words + range(form));
  if (!form && model.stated > release.serialization)
    doubts.push(`${words}it knows up to ${release.serialization}`);
}

const isLater = (one, other) => {
  const [left, right] = [one, other].map((text) => text.split(".").map(Number));
  const place = left.findIndex((part, index) => part !== right[index]);
  return place >= 0 && left[place] > right[place];
};

// A break is known against a release if it was seen there, with an artifact that calls one of the
// model's targets. Where it says that a target is missing, the release's registry has said so too.
function concerns(lookup, found, release, model, producer) {
  if (!found.consumers.includes(release.version)) return false;
  if (producer && !found.producers.includes(producer)) return false;
  const shared = model.called.filter((name) => found.targets.includes(name));
  if (!/No registered implementation/.test(found.message)) return shared.length > 0;
  return shared.some((name) =>
    platformsOf(model).some((platform) => lookup.isRegistered(name, platform, release) !== "yes"),
  );
}

// A failure in a fresh process alone is worth a look, and no reason to stay.
const isGood = ({problems, breaks}) =>
  problems.length === 0 && breaks.every(({condition}) => condition === "fresh");

function summaryOf(judged) {
  const good = judged.filter(isGood);
  const newest = judged.at(-1).release.version;
  if (good.length === 0) return "None of the measured releases reads this model.";
  const last = good.at(-1);
  const unsure = last.doubts.length > 0 ? ", as far as is known" : "";
  if (good.length === judged.length) return `Yes: each measured release reads it, up to ${newest}${unsure}.`;
  if (last.release.version === newest)
    return `Yes: ${newest}, the newest measured release, reads it${unsure}; ${judged.length - good.length} others do not.`;
  const next = judged[judged.indexOf(last) + 1];
  const reason = next.problems[0] ?? "a break is known there";
  return `Up to ${last.release.version}${unsure}. On ${next.release.version}: ${reason}.`;
}

function windowWords(lookup, producer, {backward_days: backward, forward_days: forward}) {
  if (!producer) return quiet("The promised window depends on the release that exported it; choose it below.");
  const day = lookup.day(producer);
  return element(
    "p",
    `JAX promises it on runtimes of ${textOfDay(day - forward)} to ${textOfDay(day + backward)}: ` +
      `${forward} days before ${producer} was released to ${backward} days after.`,
  );
}

function releaseTable(lookup, judged, producer) {
  const rows = judged.map((one) => {
    const {release, problems, doubts, breaks, promise, measured} = one;
    const state = problems.length > 0 ? "fail" : doubts.length > 0 ? "broken" : "pass";
    const words = {fail: "no", broken: "not known", pass: "reads it"}[state];
    return [
      cell(releaseLink(release.version)),
      numberCell(release.released),
      cell(badge(state, words)),
      cell([...problems, ...doubts].join("; ")),
      cell(breaks.map((found, index) => [index > 0 && "; ", breakLink(found)])),
      producer && cell(promise ? `promised ${promise}` : ""),
      producer &&
        cell(measured === null ? "–" : pairLink(producer, release.version, percent(measured))),
    ].filter(Boolean);
  });
  const heads = ["Release", "Published", "This model", "Why", "Known breaks"];
  if (producer) heads.push("Promise", `All of ${producer} that pass there`);
  return [
    element("div.scrolls", listTable(heads, rows)),
    quiet(
      `${count(judged.length, "release")} measured. Breaks that show in values alone cannot be told from the file.` +
        (lookup.facts.size > 0
          ? ""
          : " Facts of the releases are missing here, so the oldest versions that they read are not known."),
    ),
  ];
}
