// As golden/base/visible_text.h: controls, marks of direction and what has no width, as \u202e.
const HIDDEN = new RegExp(
  "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e" +
    "\\u2060-\\u2069\\ufeff\\ufff9-\\ufffb\\ufffe\\uffff\\u{e0000}-\\u{e0fff}]",
  "gu",
);

export function visible(text) {
  return text.replace(HIDDEN, (hidden) =>
    hidden
      .split("")
      .map((unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0"))
      .join(""),
  );
}
