// Small parts that several views use.

import {button, element} from "./dom.js";
import {STATES, glyphOf} from "./tally.js";

export const field = (label, control) => element("label.field", element("span", label), control);

export function select(label, values, chosen, onchange) {
  const options = values.map(([value, text]) =>
    element("option", {value, selected: value === chosen}, text),
  );
  const change = (event) => onchange(event.target.value);
  return field(label, element("select", {onchange: change}, options));
}

// One of `values`, or all of them.
export function selectOrAll(label, values, chosen, onchange) {
  return select(label, [["", "all"], ...values.map((one) => [one, one])], chosen, onchange);
}

export function viewHead(title, ...controls) {
  const fields = element("div.controls", controls);
  return element("div.view-head", element("h1", title), fields);
}

// The choice of a platform and a mode. Builds list theirs; rows of data may add more, such as an
// emulated platform.
export class PlaceFields {
  constructor(builds, chosen, change) {
    const choice = (label, name, valuesOf) => {
      const values = [...builds.flatMap(valuesOf), chosen[name]];
      const known = [...new Set(values)].filter(Boolean).sort();
      return selectOrAll(label, known, chosen[name], change(name));
    };
    this.fields = [
      choice("Platform", "platform", ({platforms}) => platforms),
      choice("Mode", "mode", ({modes}) => modes),
    ];
  }
  offer(rows) {
    this.fields.forEach((one, index) => {
      const list = one.querySelector("select");
      const known = new Set([...list.options].map((option) => option.value));
      for (const value of new Set(rows.map((row) => row[index + 1])))
        if (!known.has(value)) list.append(element("option", {value}, value));
    });
  }
}

export function search(label, text, oninput) {
  const input = element("input.filter", {
    type: "search",
    value: text,
    placeholder: "filter  /",
    spellcheck: "false",
    autocomplete: "off",
    oninput: (event) => oninput(event.target.value),
  });
  return field(label, input);
}
// Whether a name contains the text of a search.
export const matches = (name, text) => name.toLowerCase().includes(text.trim().toLowerCase());

export function toggle(label, on, onchange) {
  const change = (event) => onchange(event.target.checked);
  const box = element("input", {type: "checkbox", checked: on, onchange: change});
  return element("label.toggle", box, label);
}

// Of marks with their meaning.
export function legendOf(label, marks) {
  const items = marks.map(([mark, meaning]) => {
    mark.setAttribute("aria-hidden", "true");
    return element("li", mark, meaning);
  });
  return element("ul.legend", {"aria-label": label}, items);
}
export function legend() {
  const swatch = ({state, glyph}) => element("span.swatch", {data: {state}}, glyph);
  return legendOf(
    "Legend of the cells",
    STATES.map((one) => [swatch(one), one.meaning]),
  );
}

export function failureNotice(error) {
  return element("p.notice.problem", {role: "alert"}, error.message);
}
export const failedView = (title, error) => [element("h1", title), failureNotice(error)];
// A view without data, with a command that creates some.
export const emptyView = (title, before, example, after) => [
  element("h1", title),
  element("p.notice", before, element("code", example), after),
];

// A command with a button that copies it.
export function command(text) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      copier.textContent = "Copied";
    } catch {
      // A file or plain HTTP has no clipboard: the user can copy the selected text by hand.
      getSelection().selectAllChildren(code);
      copier.textContent = "Selected";
    }
    setTimeout(() => (copier.textContent = "Copy"), 1500);
  };
  const copier = button(".copy", "Copy", copy);
  const code = element("code", text);
  return element("div.command", code, copier);
}

export function facts(pairs) {
  return element(
    "dl.facts",
    pairs
      .filter(([, value]) => value !== "" && value !== undefined && value !== null)
      .map(([name, value]) => element("div", element("dt", name), element("dd", value))),
  );
}

// A state, with the mark beside its colour.
export function badge(state, words) {
  const glyph = state === "pass" ? "✓" : glyphOf(state);
  const mark = element("span.mark", {"aria-hidden": "true"}, glyph);
  return element("span.badge", {data: {state}}, mark, words);
}

const STATE_OF_VERDICT = {
  holds: "pass",
  compiles: "compiled",
  broken: "fail",
  "nothing passed": "fail",
  "cannot tell": "broken",
};
// Of a run, or of a promise in one: {verdict}, and {finished} where it may still run.
export function verdictBadge({verdict, finished = true}) {
  if (!finished) return element("span.badge", {data: {state: "untried"}}, "no end");
  return badge(STATE_OF_VERDICT[verdict] ?? "untried", verdict || "done");
}

const STATE_OF_CELL = {
  pass: "pass",
  "differs where it may": "differs",
  "not comparable": "undecided",
  "expected failure": "declared",
  "unexpected pass": "unexpected",
  fail: "fail",
  "runner error": "broken",
  compiled: "compiled",
};
const DIFFERS = "differs where it may"; // A pass, as outcomes go.
// "mismatch"
export const outcomeBadge = (cell, outcome) =>
  badge(STATE_OF_CELL[cell] ?? "untried", cell === DIFFERS ? cell : outcome);

// A shortened text of a cell, with the whole text in its title.
export function clipped(text) {
  return element("span.clipped", {title: text}, text);
}
