"""The page around the views: keys, colours, widths, tokens, and its restrictions."""

from __future__ import annotations

import re

import pytest
from conftest import NEWEST, Page, cell, pause_for_picture
from selenium.webdriver.common.keys import Keys

VIEWS = ["grid", "summary", "windows", "matrix", "targets", "accuracy", "speed", "health"]


def active_label(page: Page) -> str:
    return str(page.script("return document.activeElement.getAttribute('aria-label') ?? ''"))


def test_keys(page: Page) -> None:
    page.open("#/grid")
    page.wait_for(cell(f"abs on {NEWEST}"))
    for number, view in [("3", "windows"), ("8", "health"), ("2", "grid")]:
        page.press(number)
        page.wait_for(f"main[data-view={view}]")
        assert page.text(".views [aria-current]").lower() == view
    page.wait_for(cell(f"abs on {NEWEST}"))
    page.press("/")
    assert page.script("return document.activeElement.className") == "filter"
    page.press("cholesky", Keys.ESCAPE)
    page.wait(lambda: page.count(".cells tbody tr") == 1)
    # Digits in the field are text, not views.
    page.press("/", "2", Keys.ESCAPE)
    assert page.count("main[data-view=grid]") == 1
    page.press("?")
    page.wait_for("dialog[open]")
    page.press(Keys.ESCAPE)
    page.wait(lambda: page.count("dialog[open]") == 0)


@pytest.mark.parametrize("view", VIEWS[1:])
def test_a_late_answer_is_not_drawn_over_another_view(served: Page, view: str) -> None:
    # The health view drew its late answer into the page: a user who had gone back to the grid by
    # then saw the grid replaced by "Health", below an address of the grid.
    served.open("#/grid")
    served.wait(lambda: served.count(".cell") > 0 and served.count(".cell.loading") == 0)
    served.script(
        """
        const ask = window.fetch;
        window.heldBack = [];
        window.answered = 0;
        window.fetch = async (...request) => {
          await new Promise((release) => heldBack.push(release));
          const response = await ask(...request);
          response.clone().text().then(() => setTimeout(() => (answered += 1)));
          return response;
        };
        """
    )
    served.script("location.hash = arguments[0]", f"/{view}")
    served.wait(lambda: served.script("return heldBack.length > 0"), "a request")
    served.script("location.hash = '/grid'")
    served.wait_for("main[data-view=grid]")
    served.script("heldBack.forEach((release) => release())")
    served.wait(lambda: served.script("return answered >= heldBack.length"), "its answer")
    pause_for_picture(served)
    assert served.texts("h1") == ["Primitives × builds"]
    assert served.count(cell(f"abs on {NEWEST}")) == 1


def test_cells_by_arrow_keys(page: Page) -> None:
    page.open("#/grid")
    page.wait_for(cell(f"abs on {NEWEST}"))
    # One stop of the Tab key for the whole grid.
    assert page.count('.cell[tabindex="0"]') == 1
    page.script("document.querySelector('.cell[tabindex=\"0\"]').focus()")
    page.press(Keys.END)
    page.wait(lambda: active_label(page).startswith(f"abs on {NEWEST}"))
    page.press(Keys.ARROW_DOWN)
    assert active_label(page).startswith(f"acos on {NEWEST}")
    page.press(Keys.ARROW_LEFT)
    assert active_label(page).startswith("acos on jax 0.5.7")
    page.press(Keys.ARROW_UP, Keys.ARROW_UP)
    assert active_label(page).startswith("abs on jax 0.5.7")
    page.press(Keys.ENTER)
    page.wait_text(".panel h2", "abs on jax 0.5.7")
    page.press(Keys.ESCAPE)
    page.wait(lambda: page.count(".panel") == 0)
    assert active_label(page).startswith("abs on jax 0.5.7")


def luminance(colour: str) -> float:
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]  # "rgb(28, 32, 36)"
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    bright, dark = sorted([luminance(one), luminance(other)], reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_can_be_told_apart(served: Page, scheme: str) -> None:
    served.prefer(scheme)
    served.open("#/grid")

    def colour(name: str) -> str:
        # A value that depends on the scheme is only resolved where it is used.
        return str(
            served.script(
                "document.body.style.color = `var(--${arguments[0]})`;"
                "return getComputedStyle(document.body).color",
                name,
            )
        )

    for text in ("text", "text-quiet", "fail-text", "accent"):
        assert contrast(colour(text), colour("surface")) >= 4.5, text
    for state in ("pass", "declared", "unexpected", "broken", "fail"):
        assert contrast(colour(f"on-{state}"), colour(state)) >= 4.0, state
    # By brightness alone, which people with any colour vision see.
    assert contrast(colour("pass"), colour("fail")) >= 2.0


def background(page: Page) -> str:
    return str(page.script("return getComputedStyle(document.body).backgroundColor"))


def test_light_and_dark(page: Page) -> None:
    page.open("#/grid")
    light = background(page)
    page.prefer("dark")
    page.wait(lambda: background(page) != light)
    dark = background(page)
    page.press("t")  # Light, whatever the system's theme is.
    page.wait(lambda: background(page) == light)
    assert page.text("#theme-button") == "Light"
    page.prefer("light")
    page.click("#theme-button")
    page.wait(lambda: background(page) == dark)
    page.driver.refresh()
    page.wait(lambda: background(page) == dark)
    page.click("#theme-button")
    assert page.text("#theme-button") == "Auto"
    assert background(page) == light


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("width", [1280, 400])
def test_nothing_is_wider_than_the_window(served: Page, view: str, width: int) -> None:
    served.resize(width)
    served.open(f"#/{view}")
    served.wait_for("main h1")
    served.wait(lambda: served.count(".cell.loading") == 0)
    pause_for_picture(served)
    assert served.script("return document.documentElement.scrollWidth") <= width
    # Buttons and fields lie inside the window, whole.
    outside = served.script(
        "return [...document.querySelectorAll('button, input, select, h1, .cells')]"
        ".filter((one) => one.offsetParent && !one.closest('.scrolls'))"
        ".map((one) => one.getBoundingClientRect())"
        ".filter((box) => box.width > 0 && (box.left < 0 || box.right > innerWidth + 1)).length"
    )
    assert outside == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_lines_of_speed_fit_and_have_the_colours(served: Page, width: int, scheme: str) -> None:
    served.resize(width)
    served.prefer(scheme)
    served.open("#/speed?name=loop_f32_n65537%2Fcpu")
    served.wait(lambda: served.count(".plot canvas") == 3)
    pause_for_picture(served)
    assert served.script("return document.documentElement.scrollWidth") <= width
    # The canvas is transparent but for what is drawn: its line has the accent of the theme.
    drawn = served.script(
        """
        const probe = document.createElement("span");
        probe.style.color = "var(--accent)";
        document.body.append(probe);
        const wanted = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
        probe.remove();
        const canvas = document.querySelector(".plot canvas");
        const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let found = 0;
        for (let at = 0; at < data.length; at += 4)
          if (data[at + 3] === 255 && wanted.every((one, part) => one === data[at + part]))
            found += 1;
        return found;
        """
    )
    assert drawn > 100


def test_narrow_grid_opens_at_the_newest(served: Page) -> None:
    served.resize(400)
    served.open("#/grid")
    served.wait(lambda: served.count(".cell") > 0 and served.count(".cell.loading") == 0)
    area = served.read(".table-area", "one.getBoundingClientRect().right")[0]
    newest = served.read(cell(f"abs on {NEWEST}"), "one.getBoundingClientRect().right")[0]
    assert area - 30 < newest <= area + 1
    # The panel takes the whole window, and gives it back.
    served.click(cell("abs on jax 0.4.39"))
    served.wait_for(".side.open")
    width = served.read(".side.open", "one.getBoundingClientRect().width")[0]
    assert width == served.script("return document.documentElement.clientWidth")
    served.click(".panel .close")
    served.wait(lambda: served.count(".panel") == 0)


def test_data_need_a_token(guarded: Page, token: str) -> None:
    guarded.expected_complaints = ["401"]
    guarded.open("#/grid")
    guarded.wait_text("h1", "This archive asks for a token")
    # The page itself contains no data of the archive.
    assert guarded.text("#archive-name") == ""
    assert "jax" not in guarded.script("return document.documentElement.outerHTML")
    guarded.type("input[name=token]", "not-a-token", Keys.ENTER)
    guarded.wait_text("[role=alert]", "the token is not known here")
    guarded.type("input[name=token]", token, Keys.ENTER)
    guarded.wait_for(cell(f"abs on {NEWEST}"))
    # Each request has it, and no address or cookie does.
    assert token not in " ".join(guarded.requests())
    assert guarded.script("return document.cookie") == ""
    guarded.driver.refresh()
    guarded.wait_for(cell(f"abs on {NEWEST}"))
    guarded.click("#sign-out")
    guarded.wait_text("h1", "This archive asks for a token")
    assert guarded.script("return Object.keys(sessionStorage).length") == 0


def test_a_page_runs_nothing_but_its_own(page: Page) -> None:
    page.open("#/grid")
    page.wait_for(cell(f"abs on {NEWEST}"))
    page.expected_complaints = ["TrustedHTML", "TrustedScript", "TrustedTypePolicy"]
    tried = page.script(
        """
        const tried = [];
        const attempt = (name, what) => {
          try {
            what();
            tried.push(name);
          } catch {
          }
        };
        attempt("markup", () => (document.createElement("p").innerHTML = "<b>x</b>"));
        attempt("address", () => (document.createElement("script").src = "//other.example/x.js"));
        attempt("text", () => (document.createElement("script").text = "1"));
        attempt("policy", () => trustedTypes.createPolicy("other", {}));
        return tried;
        """
    )
    assert tried == []


def test_first_picture_needs_little(served: Page) -> None:
    served.open("#/grid")
    served.wait(lambda: served.script("return document.documentElement.dataset.firstPicture"))
    asked = [one.removeprefix(served.base) for one in served.requests()]
    # The page before this one sent requests too.
    last = max(place for place, one in enumerate(asked) if one == "v1/dashboard/overview")
    asked = asked[last:]
    # The newest builds come first.
    columns = [one for one in asked if one.startswith("v1/dashboard/column")]
    assert columns[0] == "v1/dashboard/column?build=jax%200.5.9"
    sizes = served.script(
        "return performance.getEntriesByType('resource').map((one) => one.decodedBodySize)"
    )
    assert sum(sizes) < 400_000
    assert max(sizes) < 150_000


# A terminal's control, a turned direction, an isolate, what has no width, a tag.
HIDING = "a\u009b31mb\u202ecba\u2066x\u200b\U000e0041"
SHOWN = r"a\u009b31mb\u202ecba\u2066x\u200b\udb40\udc41"


def test_nothing_in_words_of_others_is_hidden(served: Page) -> None:
    # A message could turn the order of what is read, or end in a name that nobody sees.
    served.open("#/grid")
    served.wait_for(cell(f"abs on {NEWEST}"))
    served.script(
        """
        const [hiding] = arguments;
        const others = ["message", "text", "problem", "reason", "note"];
        const ask = window.fetch;
        window.fetch = async (...request) => {
          const answer = await (await ask(...request)).json();
          const marked = JSON.stringify(answer, (key, value) =>
            others.includes(key) && typeof value === "string" ? hiding + value : value,
          );
          return new Response(marked, {headers: {"Content-Type": "application/json"}});
        };
        """,
        HIDING,
    )

    def hidden() -> str:
        return str(
            served.script(
                """
                const hiding = /[\\u0080-\\u009f\\u200b\\u202a-\\u202e\\u2066-\\u2069]|\\udb40/;
                const texts = [document.title, document.body.textContent];
                for (const node of document.querySelectorAll("[title], [aria-label]"))
                  texts.push(node.title, node.getAttribute("aria-label") ?? "");
                return texts.find((text) => hiding.test(text)) ?? "";
                """
            )
        )

    served.click(cell(f"abs on {NEWEST}"))
    served.wait_for(".pairs li a")
    assert hidden() == ""
    served.click(".pairs li a")
    served.wait(lambda: SHOWN in str(served.script("return document.body.textContent")))
    assert hidden() == ""
    for view in VIEWS[1:]:
        served.script("location.hash = arguments[0]", f"/{view}")
        served.wait_for(f"main[data-view={view}]")
        pause_for_picture(served)
        assert hidden() == "", view
