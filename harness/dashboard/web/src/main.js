// Starts the page: asks for a token if necessary, then shows the view that the address names.

import {count, element, replaceContent, showText} from "./dom.js";
import {failedView, failureNotice, field} from "./controls.js";
import {forget, loadOverview, source, TokenNeeded} from "./data.js";
import {showHelp, startKeyboard} from "./keyboard.js";
import {readRoute} from "./route.js";
import {startTheme} from "./theme.js";
import {visible} from "./visible.js";
import {accuracyView} from "./accuracy_view.js";
import {gridView} from "./grid_view.js";
import {healthView} from "./health_view.js";
import {matrixView} from "./matrix_view.js";
import {pairView} from "./pair_view.js";
import {speedView} from "./speed_view.js";
import {summaryView} from "./summary_view.js";
import {targetsView} from "./targets_view.js";
import {windowsView} from "./windows_view.js";

const VIEWS = [
  {name: "summary", title: "Summary", show: summaryView},
  {name: "grid", title: "Grid", show: gridView},
  {name: "windows", title: "Windows", show: windowsView},
  {name: "matrix", title: "Matrix", show: matrixView},
  {name: "targets", title: "Targets", show: targetsView},
  {name: "accuracy", title: "Accuracy", show: accuracyView},
  {name: "speed", title: "Speed", show: speedView},
  {name: "health", title: "Health", show: healthView},
];
const OTHERS = {pair: pairView};

const place = document.getElementById("view");
const navigation = document.getElementById("views");
const signOut = document.getElementById("sign-out");
let overview = null,
  present = {};

function showView() {
  const {view, parameters} = readRoute();
  present.leave?.();
  present = {};
  const known = VIEWS.find(({name}) => name === view);
  for (const anchor of navigation.children)
    if (anchor.dataset.view === view) anchor.setAttribute("aria-current", "page");
    else anchor.removeAttribute("aria-current");
  navigation.querySelector("[aria-current]")?.scrollIntoView({block: "nearest", inline: "nearest"});
  document.title = visible(`${known?.title ?? "Pair"} · ${overview.archive} · Vintage`);
  place.dataset.view = view;
  const show = known?.show ?? OTHERS[view];
  if (!show)
    return replaceContent(
      place,
      element("h1", "There is no such view"),
      element("p", element("a", {href: "#/grid"}, "The grid of primitives and builds")),
    );
  window.scrollTo(0, 0);
  // Each view draws into an element of its own, so that a late answer after leaving the view is not
  // visible.
  const content = element("div");
  replaceContent(place, content);
  present = show(content, parameters, overview) ?? {};
}

async function begin() {
  try {
    overview = await loadOverview();
  } catch (error) {
    if (error instanceof TokenNeeded) return askForToken(error);
    return replaceContent(place, failedView("The archive cannot be read", error));
  }
  signOut.hidden = !(source.isService && source.token);
  showText(
    document.getElementById("archive-name"),
    `${overview.archive} · ${count(overview.builds.length, "build")}` +
      (source.isService ? "" : ` · as of ${overview.today} UTC`),
  );
  showView();
}

function askForToken(error) {
  const given = Boolean(source.token);
  const token = element("input", {
    type: "password",
    name: "token",
    autocomplete: "off",
    required: true,
    "aria-describedby": "token-help",
  });
  const onsubmit = (event) => {
    event.preventDefault();
    source.token = token.value.trim();
    forget();
    begin();
  };
  replaceContent(
    place,
    element(
      "form.sign-in",
      {onsubmit},
      element("h1", "This archive asks for a token"),
      given && failureNotice(error),
      field("Token", token),
      element("button", {type: "submit"}, "Look"),
      element(
        "p.quiet",
        {id: "token-help"},
        "A token of the role read or more; the archive's owner makes one: ",
        element("code", "vintage token add NAME --role read --archive A"),
        ". It stays in this tab and is gone when the tab is closed.",
      ),
    ),
  );
  token.focus();
}

replaceContent(
  navigation,
  VIEWS.map(({name, title}) => element("a", {href: `#/${name}`, data: {view: name}}, title)),
);
signOut.addEventListener("click", () => {
  source.token = "";
  forget();
  present.leave?.();
  present = {};
  signOut.hidden = true;
  document.getElementById("archive-name").textContent = "";
  begin();
});
document.getElementById("help-button").addEventListener("click", showHelp);
startTheme();
startKeyboard({views: VIEWS, escape: () => present.escape?.()});
addEventListener("hashchange", () => overview && showView());
begin();
