// Counts of a cell's pairs by outcome, and how to draw them.
//
// Rows of data are [name, platform, mode, pass, declared, unexpected, fail, broken, compiled,
// undecided, differs]; zeros at the end, beyond broken, are omitted.

export class Tally {
  pass = 0;
  declared = 0; // Failed as a limitation declares.
  unexpected = 0; // Passed although a limitation says that it fails.
  fail = 0;
  broken = 0; // The consumer broke: nothing is known.
  compiled = 0; // By a compiler whose device is not there: nothing ran.
  undecided = 0; // Ran, and is not comparable.
  differs = 0; // Passed, and differs where it may.

  addRow(row) {
    this.pass += row[3];
    this.declared += row[4];
    this.unexpected += row[5];
    this.fail += row[6];
    this.broken += row[7];
    this.compiled += row[8] ?? 0;
    this.undecided += row[9] ?? 0;
    this.differs += row[10] ?? 0;
  }
  // Neither failed nor unknown.
  get good() {
    return this.pass + this.differs + this.unexpected + this.compiled;
  }
  get all() {
    return this.good + this.declared + this.fail + this.broken + this.undecided;
  }
  // The word for the whole cell; CSS and the legend know the same words.
  get state() {
    if (this.all === 0) return "untried";
    if (this.fail > 0) return this.good > 0 ? "part" : "fail";
    if (this.unexpected > 0) return "unexpected";
    if (this.broken > 0) return "broken";
    if (this.undecided > 0) return "undecided";
    if (this.compiled > 0) return "compiled";
    if (this.differs > 0) return "differs";
    return this.pass > 0 ? "pass" : "declared";
  }
  // The part of a cell that failed, in percent: to a pixel, and to be seen however small.
  get share() {
    return Math.max(20, 5 * Math.round((20 * this.fail) / this.all));
  }
  // Cells with the same look alike.
  get look() {
    return this.state === "part" ? `part ${this.share}` : this.state;
  }
  // In words, for screen readers and tooltips.
  get text() {
    if (this.all === 0) return "not tried";
    const parts = [];
    const say = (number, what) => number > 0 && parts.push(`${number} ${what}`);
    say(this.fail, "failed");
    say(this.unexpected, "passed against a limitation");
    say(this.broken, "not known: the consumer broke");
    say(this.declared, "failed as declared");
    say(this.undecided, "not comparable");
    say(this.compiled, "compiled");
    say(this.differs, "differ where they may");
    say(this.pass, "passed");
    return `${parts.join(", ")} of ${this.all}`;
  }
}

// The meaning of each state, in the order of the legend, with the glyph that stands beside its
// colour.
export const STATES = [
  {state: "pass", glyph: "", meaning: "passed, or failed as declared"},
  {state: "part", glyph: "", meaning: "some failed: the height is the share"},
  {state: "fail", glyph: "×", meaning: "failed, none passed"},
  {state: "declared", glyph: "•", meaning: "all failed as declared"},
  {state: "unexpected", glyph: "!", meaning: "passed against a limitation"},
  {state: "broken", glyph: "?", meaning: "the consumer broke"},
  {state: "compiled", glyph: "○", meaning: "compiled, not run"},
  {state: "differs", glyph: "≈", meaning: "passed, and some differ where they may"},
  {state: "undecided", glyph: "~", meaning: "some ran and are not comparable"},
  {state: "untried", glyph: "", meaning: "not tried"},
];
const GLYPHS = Object.fromEntries(STATES.map(({state, glyph}) => [state, glyph]));
export const glyphOf = (state) => GLYPHS[state];

// Whether the outcome is one of a failure.
export const isFailure = (outcome) => !["pass", "compiled", "not comparable"].includes(outcome);

// Whether a row counts for this choice of platform and mode. An emulated platform counts only if it
// is chosen.
export function fits(row, {platform = "", mode = ""} = {}) {
  const [, rowPlatform, rowMode] = row;
  const platformFits = platform ? rowPlatform === platform : !rowPlatform.endsWith(" (emulated)");
  return platformFits && (!mode || rowMode === mode);
}

export function sumByName(rows, choice) {
  const sums = new Map();
  for (const row of rows) {
    if (!fits(row, choice)) continue;
    let tally = sums.get(row[0]);
    if (!tally) sums.set(row[0], (tally = new Tally()));
    tally.addRow(row);
  }
  return sums;
}

export function sumAll(rows, choice) {
  const all = new Tally();
  for (const row of rows) if (fits(row, choice)) all.addRow(row);
  return all;
}
