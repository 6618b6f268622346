// A table of cells, each a Tally: primitives or producers by builds. One cell takes part in the
// order of the Tab key; the arrow keys move between them.

import {element, replaceContent} from "./dom.js";
import {dayOf, yearOfDay} from "./dates.js";
import {glyphOf} from "./tally.js";
import {visible} from "./visible.js";

export class CellTable {
  // columns: [{name, date}], oldest first. describe(row, column) returns a cell's description,
  // open(row, column) shows the cell. mark(row, column), if given, returns a further class.
  constructor({caption, rowHeading, columns, describe, open, mark = () => ""}) {
    this.columns = columns;
    this.describe = describe;
    this.open = open;
    this.mark = mark;
    this.rows = [];
    this.cells = new Map();
    this.chosen = null;
    this.body = element("tbody");
    const head = this.#head(rowHeading);
    this.table = element("table.cells", {role: "grid", "aria-label": caption}, head, this.body);
    this.table.addEventListener("click", (event) => this.#activate(event.target));
    this.table.addEventListener("keydown", (event) => this.#press(event));
  }

  #head(rowHeading) {
    // The year stands above the first of its builds.
    const years = this.columns.map(({date}) => yearOfDay(dayOf(date)));
    const starts = years.map((year, index) => index === 0 || year !== years[index - 1]);
    const above = years.map((year, index) =>
      element("td", starts[index] && element("span", String(year))),
    );
    const names = this.columns.map(({name, date}) => {
      const title = `${name}, built ${date}`;
      return element("th", {scope: "col", title}, element("span.upright", name));
    });
    return element(
      "thead",
      element("tr.years", {"aria-hidden": "true"}, element("td"), above),
      element("tr", element("th.corner", {scope: "col"}, rowHeading), names),
    );
  }

  // Keeps the content of the cells; drops rows that are gone.
  setRows(rows) {
    this.rows = rows;
    const lineOf = (row, y) => {
      const cells = this.columns.map(({name}, x) => {
        const cell = element("td.cell.loading", {role: "gridcell", tabindex: "-1", data: {x, y}});
        this.cells.set(key(row, name), cell);
        return cell;
      });
      const head = element("th", {scope: "row", title: row}, row || "(no primitive)");
      return element("tr", head, cells);
    };
    replaceContent(this.body, rows.map(lineOf));
    this.#makeReachable(this.body.querySelector(".cell"));
  }

  show(row, column, tally) {
    const cell = this.cells.get(key(row, column));
    if (!cell) return;
    const state = tally?.state ?? "untried";
    cell.classList.remove("loading");
    cell.dataset.state = state;
    const mark = this.mark(row, column);
    if (mark) cell.dataset.mark = mark;
    cell.textContent = glyphOf(state);
    if (state === "part") {
      const percent = Math.round((100 * tally.fail) / tally.all);
      cell.style.setProperty("--share", `${Math.max(20, percent)}%`);
    }
    const words = visible(this.describe(row, column, tally));
    cell.title = words;
    cell.setAttribute("aria-label", words);
  }

  choose(row, column) {
    this.chosen?.removeAttribute("aria-selected");
    this.chosen = this.cells.get(key(row, column)) ?? null;
    this.chosen?.setAttribute("aria-selected", "true");
    if (this.chosen) this.#makeReachable(this.chosen);
  }
  focusChosen() {
    (this.chosen ?? this.reachable)?.focus();
  }

  #makeReachable(cell) {
    this.reachable?.setAttribute("tabindex", "-1");
    this.reachable = cell;
    cell?.setAttribute("tabindex", "0");
  }

  #at(x, y) {
    return this.body.rows[y]?.cells[x + 1];
  }

  #activate(target) {
    const cell = target.closest?.(".cell");
    if (!cell) return;
    this.open(this.rows[cell.dataset.y], this.columns[cell.dataset.x].name);
  }

  #press(event) {
    const cell = event.target.closest?.(".cell");
    if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
    const x = Number(cell.dataset.x),
      y = Number(cell.dataset.y);
    const lastX = this.columns.length - 1,
      lastY = this.rows.length - 1;
    const goal = {
      ArrowLeft: [x - 1, y],
      ArrowRight: [x + 1, y],
      ArrowUp: [x, y - 1],
      ArrowDown: [x, y + 1],
      Home: [0, y],
      End: [lastX, y],
      PageUp: [x, Math.max(0, y - 10)],
      PageDown: [x, Math.min(lastY, y + 10)],
    }[event.key];
    if (goal) {
      event.preventDefault();
      const next = this.#at(...goal);
      if (!next?.classList.contains("cell")) return;
      this.#makeReachable(next);
      next.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#activate(cell);
    }
  }
}

const key = (row, column) => JSON.stringify([row, column]);
