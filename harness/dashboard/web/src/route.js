// The address of a view: "#/pairs?build=jax%200.4.30&primitive=tanh". Links work from file:// and
// from the service, and the browser's back button leads back.

export function readRoute() {
  const text = location.hash.replace(/^#\/?/, "");
  const mark = text.indexOf("?");
  const view = mark < 0 ? text : text.slice(0, mark);
  return {
    view: view || "grid",
    parameters: Object.fromEntries(new URLSearchParams(mark < 0 ? "" : text.slice(mark))),
  };
}

export function link(view, parameters = {}) {
  // An empty primitive is one too: that of artifacts whose primitive is not known.
  const given = Object.entries(parameters).filter(
    ([name, value]) => value != null && (value !== "" || name === "primitive"),
  );
  const query = new URLSearchParams(given).toString();
  return `#/${view}${query && "?" + query}`;
}

// Changes parameters in place: no step for the back button, no new view.
export function noteParameters(view, parameters) {
  history.replaceState(null, "", link(view, parameters));
}
