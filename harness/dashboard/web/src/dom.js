// Elements are made here and nowhere else. Text becomes text nodes, never markup: messages come
// from consumers that nobody here trusts.

const SVG = "http://www.w3.org/2000/svg";

// element("a", {href: "#/grid", class: "wide", onclick: open}, "text", child, null)
export function element(tag, attributes = {}, ...children) {
  return furnish(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return furnish(document.createElementNS(SVG, tag), attributes, children);
}

function furnish(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "data") Object.assign(node.dataset, value);
    else if (name === "style")
      for (const [key, text] of Object.entries(value)) node.style.setProperty(key, text);
    else node.setAttribute(name, value === true ? "" : value);
  }
  append(node, children);
  return node;
}

function append(node, children) {
  for (const child of children) {
    if (child === undefined || child === null || child === false) continue;
    if (Array.isArray(child)) append(node, child);
    else node.append(child);
  }
}

function tableHead(words) {
  const heads = words.map((text) => element("th", {scope: "col"}, text));
  return element("thead", {}, element("tr", {}, heads));
}

// A list with a heading for each column; each of `rows` is its cells, or a whole row.
export function listTable(words, rows) {
  const lines = rows.map((row) => (Array.isArray(row) ? element("tr", {}, row) : row));
  return element("table", {class: "list"}, tableHead(words), element("tbody", {}, lines));
}
export const cell = (...children) => element("td", {}, children);
export const numberCell = (...children) => element("td", {class: "number"}, children);

export function section(title, ...children) {
  return element("section", {}, element("h2", {}, title), children);
}
export const quiet = (text) => element("p", {class: "quiet"}, text);

export function replaceContent(node, ...children) {
  node.replaceChildren();
  append(node, children);
}

// For those who hear the page.
export function announce(text) {
  document.getElementById("announcements").textContent = text;
}

export function count(number, one, many = one + "s") {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}
