// Starts the page: asks for a token if necessary, then shows the view that the address names.

import {count, element, replaceContent, showText} from "./dom.js";
import {failedView, failureNotice, field} from "./controls.js";
import {forget, loadOverview, source, TokenNeeded} from "./data.js";
import {showHelp, startKeyboard} from "./keyboard.js";
import {readRoute} from "./route.js";
import {startTheme} from "./theme.js";
import {visible} from "./visible.js";
import {accuracyView} from "./accuracy_view.js";
import {breaksView, breakView, failureView} from "./breaks_view.js";
import {gridView} from "./grid_view.js";
import {healthView} from "./health_view.js";
import {matrixView} from "./matrix_view.js";
import {pairView} from "./pair_view.js";
import {primitiveView, targetView} from "./part_view.js";
import {releasesView, releaseView} from "./releases_view.js";
import {searchView} from "./search_view.js";
import {speedView} from "./speed_view.js";
import {summaryView} from "./summary_view.js";
import {targetsView} from "./targets_view.js";
import {upgradeView} from "./upgrade_view.js";
import {windowsView} from "./windows_view.js";

// The views of a report with a measured history.
const LOOKUP_VIEWS = [
  {name: "search", title: "Look up", show: searchView},
  {name: "upgrade", title: "Can I upgrade?", show: upgradeView},
  {name: "breaks", title: "Breaks", show: breaksView},
  {name: "releases", title: "Releases", show: releasesView},
];
const ARCHIVE_VIEWS = [
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
const LOOKUP_OTHERS = {
  break: breakView,
  failure: failureView,
  release: releaseView,
  primitive: primitiveView,
  target: targetView,
};
const VIEW_OF_PAGE = {break: "breaks", failure: "breaks", release: "releases", primitive: "search", target: "search"};

const place = document.getElementById("view");
const navigation = document.getElementById("views");
const signOut = document.getElementById("sign-out");
let overview = null,
  present = {},
  views = [];

// An archive that ran nothing has nothing to show beside the history but its facts.
function viewsOf({history, builds}) {
  if (!history) return ARCHIVE_VIEWS;
  const ran = builds.some(({outcomes}) => outcomes > 0);
  return [...LOOKUP_VIEWS, ...ARCHIVE_VIEWS.filter(({name}) => ran || name === "targets")];
}

function showView() {
  const {view: asked, path, parameters} = readRoute();
  const view = asked || views[0].name;
  present.leave?.();
  present = {};
  const others = overview.history ? {...OTHERS, ...LOOKUP_OTHERS} : OTHERS;
  const known = [...views, ...ARCHIVE_VIEWS].find(({name}) => name === view);
  for (const anchor of navigation.children)
    if (anchor.dataset.view === (VIEW_OF_PAGE[view] ?? view))
      anchor.setAttribute("aria-current", "page");
    else anchor.removeAttribute("aria-current");
  navigation.querySelector("[aria-current]")?.scrollIntoView({block: "nearest", inline: "nearest"});
  const title = path.length > 0 ? path.join(" on ") : (known?.title ?? "Pair");
  document.title = visible(`${title} · ${overview.title ?? overview.archive} · Vintage`);
  place.dataset.view = view;
  const show = known?.show ?? others[view];
  if (!show)
    return replaceContent(
      place,
      element("h1", "There is no such view"),
      overview.history
        ? element("p", element("a", {href: "#/search"}, "Look something up"))
        : element("p", element("a", {href: "#/grid"}, "The grid of primitives and builds")),
    );
  window.scrollTo(0, 0);
  // Each view draws into an element of its own, so that a late answer after leaving the view is not
  // visible.
  const content = element("div");
  replaceContent(place, content);
  present = show(content, parameters, overview, path) ?? {};
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
    (overview.title ?? `${overview.archive} · ${count(overview.builds.length, "build")}`) +
      (source.isService ? "" : ` · as of ${overview.today} UTC`),
  );
  views = viewsOf(overview);
  if (overview.history) document.querySelector(".brand").href = "#/search";
  replaceContent(
    navigation,
    views.map(({name, title}) => element("a", {href: `#/${name}`, data: {view: name}}, title)),
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
startKeyboard({views: () => views, escape: () => present.escape?.()});
addEventListener("hashchange", () => overview && showView());
begin();
