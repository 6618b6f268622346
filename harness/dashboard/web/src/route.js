// The address of a view: "#/pairs?build=jax%200.4.30&primitive=tanh", and of one thing's page:
// "#/release/0.6.0". Links work from file:// and from the service, and the browser's back button
// leads back.

export function readRoute() {
  const text = location.hash.replace(/^#\/?/, "");
  const mark = text.indexOf("?");
  const [view, ...path] = (mark < 0 ? text : text.slice(0, mark)).split("/").map(plainPart);
  return {
    view,
    path,
    parameters: Object.fromEntries(new URLSearchParams(mark < 0 ? "" : text.slice(mark))),
  };
}

// An address that somebody typed may hold a lone %.
function plainPart(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// An empty primitive is allowed: it stands for artifacts of unknown primitive.
export function queryOf(parameters) {
  const isGiven = ([name, value]) => value !== null && value !== undefined && (value !== "" || name === "primitive");
  const query = new URLSearchParams(Object.entries(parameters).filter(isGiven)).toString();
  return query && "?" + query;
}
export const link = (view, parameters = {}) => `#/${view}${queryOf(parameters)}`;
// pageLink("release", "0.6.0")
export const pageLink = (...parts) => "#/" + parts.map(encodeURIComponent).join("/");

// Changes parameters in place: without a step for the back button, and without a new view.
export function noteParameters(view, parameters) {
  history.replaceState(null, "", link(view, parameters));
}

// change("mode")(value) sets a parameter of a view, puts it into the address and draws again.
export const changeOf = (view, chosen, draw) => (name) => (value) => {
  chosen[name] = value === true ? "1" : value === false ? "" : value;
  noteParameters(view, chosen);
  draw();
};
