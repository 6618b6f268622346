// Light, dark, or the system's theme; the choice stays in this browser.

import {element} from "./dom.js";

const KEY = "vintage-theme";
const NEXT = {system: "light", light: "dark", dark: "system"};
const LABEL = {system: "Auto", light: "Light", dark: "Dark"};

let listeners = [];
let current = "system";

// A browser may store nothing for a page from a file; the choice then holds until the page is
// closed.
function stored() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function apply(theme) {
  current = theme;
  const root = document.documentElement;
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
  const button = document.getElementById("theme-button");
  button.textContent = LABEL[theme];
  button.title = `Colours: ${LABEL[theme].toLowerCase()} (t)`;
  button.setAttribute("aria-label", `Colours: ${LABEL[theme].toLowerCase()}; press to change`);
  for (const listener of listeners) listener();
}

export function switchTheme() {
  apply(NEXT[current]);
  try {
    localStorage.setItem(KEY, current);
  } catch {
    // As above.
  }
}

// Plots read their colours when they are drawn, so they are drawn again.
export function onThemeChange(listener) {
  listeners.push(listener);
  return () => (listeners = listeners.filter((other) => other !== listener));
}

export function startTheme() {
  apply(stored() in NEXT ? stored() : "system");
  document.getElementById("theme-button").addEventListener("click", switchTheme);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const listener of listeners) listener();
  });
}

// The computed value: the property itself holds those of both themes.
export function colour(name) {
  const probe = element("span", {style: {color: `var(--${name})`}});
  document.body.append(probe);
  const {color} = getComputedStyle(probe);
  probe.remove();
  return color;
}
