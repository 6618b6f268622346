// A table of cells, each a Tally: primitives or producers by builds. One cell takes part in the
// order of the Tab key; the arrow keys move between them.

import {count, element, replaceContent} from "./dom.js";
import {daysText} from "./dates.js";
import {glyphOf} from "./tally.js";

// In pixels; a product's name stands above its columns where they have room for it.
const COLUMN_WIDTH = 26,
  LETTER_WIDTH = 7;

export class CellTable {
  rows = [];
  columns = []; // By product, then by date; see build_table.js.
  #cells = new Map(); // By column: a cell for each row.
  #rowHeads = [];
  #reachable = null;
  #chosen = null;
  heads = []; // One for each column.
  #head = element("thead");
  #body = element("tbody");

  // tallyOf(row, column) is what a cell shows, describe(row, column, tally) its description,
  // mark(row, column) a further class; open(row, column) shows the cell.
  constructor({caption, rowHeading, tallyOf, describe, mark, open}) {
    Object.assign(this, {rowHeading, tallyOf, describe, mark, open});
    const attributes = {role: "grid", "aria-label": caption};
    this.table = element("table.cells", attributes, this.#head, this.#body);
    this.table.addEventListener("click", (event) => this.#activate(event.target.closest(".cell")));
    this.table.addEventListener("keydown", (event) => this.#press(event));
  }

  // Unless `anew`, cells of columns that stay are kept: the focus and a press of the mouse outlive
  // the arrival of further columns.
  draw(rows, columns, anew) {
    const focused = this.#body.contains(document.activeElement);
    const {row, column} = this.#placeOf(this.#reachable) ?? {};
    if (anew) {
      this.rows = rows;
      this.#cells.clear();
      const headOf = (name) => element("th", {scope: "row", title: name}, name || "(no primitive)");
      this.#rowHeads = rows.map(headOf);
      replaceContent(this.#body, this.#rowHeads.map((head) => element("tr", head)));
    }
    const names = new Set(columns.map(({name}) => name));
    for (const [name, cells] of this.#cells) {
      if (names.has(name)) continue;
      for (const cell of cells) cell.remove();
      this.#cells.delete(name);
    }
    this.columns = columns;
    let left = this.#rowHeads;
    for (const each of columns) {
      if (!this.#cells.has(each.name)) {
        const cells = rows.map((name) => this.#cell(name, each));
        cells.forEach((cell, y) => left[y].after(cell));
        this.#cells.set(each.name, cells);
      }
      left = this.#cells.get(each.name);
    }
    this.#drawHead();
    const kept = this.#reachable?.isConnected ? this.#reachable : this.#find(row, column);
    this.#makeReachable(kept ?? this.#body.querySelector(".cell:not(.loading)"));
    if (focused && document.activeElement !== this.#reachable) this.#reachable?.focus();
  }

  // Above the columns stand the products and the years; in their heads, the days that they cover.
  #drawHead() {
    const room = new Map();
    for (const {product} of this.columns)
      room.set(product, (room.get(product) ?? 0) + COLUMN_WIDTH);
    const isNamed = ({product}) => room.get(product) >= product.length * LETTER_WIDTH;
    const yearOf = ({date}) => date?.slice(0, 4) ?? "";
    this.heads = this.columns.map((column) => columnHead(column, isNamed(column)));
    replaceContent(
      this.#head,
      lineAbove("products", this.columns, (column) => isNamed(column) && column.product),
      lineAbove("years", this.columns, yearOf),
      element("tr", element("th.corner", {scope: "col"}, this.rowHeading), this.heads),
    );
  }

  #cell(row, column) {
    if (column.waiting) return element("td.cell.loading", {role: "gridcell"});
    const tally = this.tallyOf(row, column.name);
    const state = tally?.state ?? "untried";
    const words = this.describe(row, column.name, tally);
    const mark = this.mark(row, column.name);
    return element(
      "td.cell",
      {
        role: "gridcell",
        tabindex: "-1",
        title: words,
        "aria-label": words,
        data: mark ? {state, mark} : {state},
        style: state === "part" ? {"--share": `${tally.share}%`} : {},
      },
      glyphOf(state),
    );
  }

  choose(row, column) {
    const chosen = this.#find(row, column);
    if (chosen === this.#chosen) return;
    this.#chosen?.removeAttribute("aria-selected");
    this.#chosen = chosen;
    chosen?.setAttribute("aria-selected", "true");
    if (chosen) this.#makeReachable(chosen);
  }
  focusChosen() {
    (this.#chosen ?? this.#reachable)?.focus();
  }

  #makeReachable(cell) {
    this.#reachable?.setAttribute("tabindex", "-1");
    this.#reachable = cell;
    cell?.setAttribute("tabindex", "0");
  }

  #find(row, column) {
    return this.#cells.get(column)?.[this.rows.indexOf(row)] ?? null;
  }
  #placeOf(cell) {
    if (!cell?.isConnected) return null;
    const x = cell.cellIndex - 1,
      y = cell.parentElement.sectionRowIndex;
    return {x, y, row: this.rows[y], column: this.columns[x].name};
  }

  #activate(cell) {
    if (!cell || cell.matches(".loading")) return;
    const {row, column} = this.#placeOf(cell);
    this.open(row, column);
  }

  #press(event) {
    const cell = event.target.closest?.(".cell");
    if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
    const {x, y} = this.#placeOf(cell);
    const lastX = this.columns.length - 1,
      lastY = this.rows.length - 1;
    const goal = {
      ArrowLeft: [x - 1, y],
      ArrowRight: [x + 1, y],
      ArrowUp: [x, y - 1],
      ArrowDown: [x, y + 1],
      Home: [this.columns.findIndex(({waiting}) => !waiting), y],
      End: [lastX, y],
      PageUp: [x, Math.max(0, y - 10)],
      PageDown: [x, Math.min(lastY, y + 10)],
    }[event.key];
    if (goal) {
      event.preventDefault();
      const next = this.#body.rows[goal[1]]?.cells[goal[0] + 1];
      if (!next?.matches(".cell:not(.loading)")) return;
      this.#makeReachable(next);
      next.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#activate(cell);
    }
  }
}

// "14 builds look the same, from jax 0.5.1 of 2026-01-03 to jax 0.5.9 of 2026-10-22"
export function alikeWords(builds) {
  const [first, last] = [builds[0], builds.at(-1)].map(({name, date}) => `${name} of ${date}`);
  return `${count(builds.length, "build")} look the same, from ${first} to ${last}`;
}

// A cell above each run of columns of one product with the same text.
function lineAbove(name, columns, textOf) {
  const line = element(`tr.${name}`, {"aria-hidden": "true"}, element("td"));
  const keyOf = (column) => column && JSON.stringify([column.product, textOf(column)]);
  for (let first = 0, end; first < columns.length; first = end) {
    for (end = first + 1; keyOf(columns[end]) === keyOf(columns[first]); end += 1);
    line.append(element("td", {colspan: end - first}, element("span", textOf(columns[first]))));
  }
  return line;
}

function columnHead({name, date, product, builds, waiting}, isNamed) {
  if (waiting)
    return element("th", element("span.upright.waiting", `${count(waiting, "build")} to load …`));
  // "jax 0.5.9" is "0.5.9" below "jax".
  const isRest = isNamed && name.startsWith(product) && name.length > product.length;
  const number = builds.length;
  const words = number > 1 ? alikeWords(builds) : `${name}, built ${date}`;
  return element(
    "th",
    {scope: "col", title: words, "aria-label": words},
    element("span.upright", isRest ? name.slice(product.length).replace(/^[-_ ]/, "") : name),
    element("span.upright.days", daysText(builds[0].date, date)),
    element("span.number", number > 1 && `×${number}`),
  );
}
