"""Words of others for a terminal or a page."""

import re

# As golden/base/visible_text.h: controls but line feeds and tabs, marks of direction, what has no
# width.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069"
    "\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]"
)


def visible(text: str) -> str:
    """The text, with controls and characters of direction or without width as \\u202e."""

    def escaped(hidden: re.Match[str]) -> str:
        units = hidden[0].encode("utf-16-be").hex()
        return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))

    return _HIDDEN.sub(escaped, text)
