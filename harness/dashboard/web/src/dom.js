// The only place that makes elements. Text becomes text nodes, never markup, and nothing in it is
// hidden: messages come from untrusted consumers.

import {visible} from "./visible.js";

const SVG = "http://www.w3.org/2000/svg";

// element("a.wide", {href: "#/grid", onclick: open}, "text", child, null): a tag with its classes,
// attributes where there are any, children.
export function element(name, ...parts) {
  return furnish((tag) => document.createElement(tag), name, parts);
}

export function svg(name, ...parts) {
  return furnish((tag) => document.createElementNS(SVG, tag), name, parts);
}

function furnish(make, name, parts) {
  const [tag, ...classes] = name.split(".");
  const node = make(tag);
  if (classes.length > 0) node.setAttribute("class", classes.join(" "));
  const attributes = parts[0]?.constructor === Object ? parts.shift() : {};
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "data") Object.assign(node.dataset, value);
    else if (key === "style")
      for (const [property, text] of Object.entries(value)) node.style.setProperty(property, text);
    else if (key === "title" || key === "aria-label") node.setAttribute(key, visible(String(value)));
    else node.setAttribute(key, value === true ? "" : value);
  }
  append(node, parts);
  return node;
}

function append(node, children) {
  for (const child of children) {
    if (child === undefined || child === null || child === false) continue;
    if (Array.isArray(child)) append(node, child);
    else node.append(typeof child === "string" ? visible(child) : child);
  }
}

function tableHead(words) {
  const heads = words.map((text) => element("th", {scope: "col"}, text));
  return element("thead", element("tr", heads));
}

// A list with a heading for each column; each of `rows` is its cells, or a whole row.
export function listTable(words, rows) {
  const lines = rows.map((row) => (Array.isArray(row) ? element("tr", row) : row));
  return element("table.list", tableHead(words), element("tbody", lines));
}
export const cell = (...children) => element("td", children);
export const numberCell = (...children) => element("td.number", children);

export function section(title, ...children) {
  return element("section", element("h2", title), children);
}
export const button = (name, label, onclick, attributes = {}) =>
  element(`button${name}`, {type: "button", onclick, ...attributes}, label);
export const quiet = (text) => element("p.quiet", text);

export function replaceContent(node, ...children) {
  node.replaceChildren();
  append(node, children);
}

export function showText(node, text) {
  node.textContent = visible(text);
}

// For screen readers.
export function announce(text) {
  showText(document.getElementById("announcements"), text);
}

export function count(number, one, many = one + "s") {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}
