// Small parts that several views use.

import {element} from "./dom.js";
import {STATES, glyphOf} from "./tally.js";

export function select(label, values, chosen, onchange) {
  return element(
    "label",
    {class: "field"},
    element("span", {}, label),
    element(
      "select",
      {onchange: (event) => onchange(event.target.value)},
      values.map(([value, text]) => element("option", {value, selected: value === chosen}, text)),
    ),
  );
}

// One of `values`, or all of them.
export function selectOrAll(label, values, chosen, onchange) {
  return select(label, [["", "all"], ...values.map((one) => [one, one])], chosen, onchange);
}

export function viewHead(title, ...controls) {
  const fields = element("div", {class: "controls"}, controls);
  return element("div", {class: "view-head"}, element("h1", {}, title), fields);
}

// The choice of a platform and a mode. Builds say which they have; rows of data may bring more,
// such as an emulated platform.
export class PlaceFields {
  constructor(builds, chosen, change) {
    const field = (label, name, values) => {
      const known = [...new Set([...values, chosen[name]])].filter(Boolean).sort();
      return selectOrAll(label, known, chosen[name], change(name));
    };
    this.fields = [
      field("Platform", "platform", builds.flatMap((build) => build.platforms)),
      field("Mode", "mode", builds.flatMap((build) => build.modes)),
    ];
  }
  offer(rows) {
    this.fields.forEach((field, index) => {
      const list = field.querySelector("select");
      const known = new Set([...list.options].map((option) => option.value));
      for (const value of new Set(rows.map((row) => row[index + 1])))
        if (!known.has(value)) list.append(element("option", {value}, value));
    });
  }
}

export function search(label, text, oninput) {
  return element(
    "label",
    {class: "field"},
    element("span", {}, label),
    element("input", {
      type: "search",
      value: text,
      placeholder: "filter  /",
      spellcheck: "false",
      autocomplete: "off",
      class: "filter",
      oninput: (event) => oninput(event.target.value),
    }),
  );
}

export function toggle(label, on, onchange) {
  return element(
    "label",
    {class: "toggle"},
    element("input", {
      type: "checkbox",
      checked: on,
      onchange: (event) => onchange(event.target.checked),
    }),
    label,
  );
}

export function legend() {
  return element(
    "ul",
    {class: "legend", "aria-label": "What the cells mean"},
    STATES.map(({state, glyph, meaning}) =>
      element(
        "li",
        {},
        element("span", {class: "swatch", data: {state}, "aria-hidden": "true"}, glyph),
        meaning,
      ),
    ),
  );
}

export function notice(text, kind = "") {
  return element("p", {class: `notice ${kind}`}, text);
}

export function failureNotice(error) {
  return element("p", {class: "notice problem", role: "alert"}, error.message);
}

// A command with a button that copies it.
export function command(text) {
  const button = element(
    "button",
    {
      type: "button",
      class: "copy",
      onclick: async () => {
        try {
          await navigator.clipboard.writeText(text);
          button.textContent = "Copied";
        } catch {
          // No clipboard from a file or over plain HTTP: what is selected can be copied by hand.
          getSelection().selectAllChildren(code);
          button.textContent = "Selected";
        }
        setTimeout(() => (button.textContent = "Copy"), 1500);
      },
    },
    "Copy",
  );
  const code = element("code", {}, text);
  return element("div", {class: "command"}, code, button);
}

export function facts(pairs) {
  return element(
    "dl",
    {class: "facts"},
    pairs
      .filter(([, value]) => value !== "" && value !== undefined && value !== null)
      .map(([name, value]) =>
        element("div", {}, element("dt", {}, name), element("dd", {}, value)),
      ),
  );
}

// "mismatch" with the mark that stands for it beside the colour.
export function outcomeBadge(cell, outcome) {
  const state =
    {
      pass: "pass",
      "expected failure": "declared",
      "unexpected pass": "unexpected",
      fail: "fail",
      "runner error": "broken",
      compiled: "compiled",
    }[cell] ?? "untried";
  const glyph = state === "pass" ? "✓" : (glyphOf(state) ?? "");
  return element(
    "span",
    {class: "badge", data: {state}},
    element("span", {class: "mark", "aria-hidden": "true"}, glyph),
    outcome,
  );
}

// A cell's text that is cut, whole in its title.
export function clipped(text) {
  return element("span", {class: "clipped", title: text}, text);
}
