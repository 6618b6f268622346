// Keys that work in every view.

import {button, element} from "./dom.js";
import {switchTheme} from "./theme.js";

let help = null;

const KEYS = [
  ["1 … 9", "the views, from left to right"],
  ["/", "to the filter or the search"],
  ["↑ ↓ ← →", "between cells; Home, End, Page up and Page down too"],
  ["Enter", "opens a cell's pairs"],
  ["Esc", "closes it, or goes back"],
  ["t", "colours: as the system has them, light, dark"],
  ["?", "this list"],
];

export function showHelp() {
  help ??= element(
    "dialog.help",
    {"aria-label": "Keys"},
    element("h2", "Keys"),
    element(
      "dl",
      KEYS.map(([key, what]) =>
        element("div", element("dt", element("kbd", key)), element("dd", what)),
      ),
    ),
    button("", "Close", () => help.close()),
  );
  if (!help.isConnected) document.body.append(help);
  if (!help.open) help.showModal();
}

export function startKeyboard({views, escape}) {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]"))
      return;
    const typing = event.target.matches?.("input, select, textarea");
    if (event.key === "Escape") {
      if (typing) event.target.blur();
      else escape();
      return;
    }
    if (typing) return;
    const view = views()[Number(event.key) - 1];
    if (view) {
      event.preventDefault(); // The character would go into a box that the view focuses.
      location.hash = `/${view.name}`;
    } else if (event.key === "t") switchTheme();
    else if (event.key === "?") showHelp();
    else if (event.key === "/") {
      const field = document.querySelector("main input.filter");
      if (!field) return;
      event.preventDefault();
      field.focus();
      field.select();
    }
  });
}
