"""Pictures that can be read: their direction, their width in a page, and names that are no words.

MINIGRAD_TEST_BACKEND=torch draws real PyTorch tensors with the same expectations.
"""
import importlib
import os
import re
import shutil
import sys
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

import pytest

from minigrad.viz import draw, play
from minigrad.viz.drawing import drawing, render
from minigrad.viz.drawing.image import OPENS, svgs_in
from minigrad.viz.drawing.text_twin import visible
from minigrad.viz.program import where_it_runs

torch = importlib.import_module(os.environ.get("MINIGRAD_TEST_BACKEND", "minigrad"))
pictures = pytest.mark.skipif(not render.dot_program().exists(), reason="pip install graphviz-pure")


def leaf(values):
    return torch.tensor(values, requires_grad=True)


def network():
    nn = torch.nn
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1))
    return ((model(torch.ones(5, 4)) - 1) ** 2).mean()


def chain(length):
    y = leaf(0.5)
    for _ in range(length):
        y = y * 1.01
    return y


def size(drawing):
    return tuple(float(re.search(rf'{side}="([\d.]+)pt"', drawing.svg)[1]) for side in ("width", "height"))


def places(drawing, words):
    """Where the text stands, (x, y), each time that it occurs."""
    return [(float(x), float(y)) for x, y in
            re.findall(rf'x="([-\d.]+)" y="([-\d.]+)"[^>]*>{words}</text>', drawing.svg)]


# ---------------------------------------------------------------- the direction

@pictures
def test_a_small_picture_runs_to_the_right_and_a_network_downwards():
    small, large = leaf(2.0).exp(), network()
    assert draw(small).svg == draw(small, direction="right").svg != draw(small, direction="down").svg
    assert draw(large).svg == draw(large, direction="down").svg
    assert size(draw(large))[0] < 1000 < 1500 < size(draw(large, direction="right"))[0]


def test_an_unknown_direction():
    with pytest.raises(ValueError, match="unknown direction 'up': choose 'auto', 'right' or 'down'"):
        draw(leaf(1.0), direction="up")


@pictures
@pytest.mark.parametrize(("direction", "across"), [("right", 1), ("down", 0), ("auto", 0)])
def test_a_long_chain_runs_straight(direction, across):
    shown = draw(chain(200), max_nodes=None, direction=direction)
    found = places(shown, "MulBackward0")
    assert len(found) == 200 and len({place[across] for place in found}) == 1
    assert size(shown)[across] < 250


# ---------------------------------------------------------------- in a page

@pictures
def test_the_letters_of_a_wide_picture_keep_eleven_pixels():
    shown = draw(network(), direction="right")
    points = round(size(shown)[0])
    assert f"min-width:{points}px" in shown.html
    assert shown.html.startswith('<div class="mgpicture" style="overflow-x:auto">')
    assert min(map(float, re.findall(r'font-size="([\d.]+)"', svgs_in(shown.html)[0]))) >= 11
    assert len(svgs_in(shown.html)) == 1 and len(shown.html) < len(shown.svg)


@pictures
@pytest.mark.parametrize("name", ["\u91cd\u307f" * 10, "\u640d\u5931", "w\u91cd\u307f_b" * 4, "\uac00" * 17])
def test_letters_as_wide_as_they_are_high_fit_their_box(name):
    scope = {name: leaf([1., 2.])}
    scope["loss"] = (scope[name] * 2).sum()
    shown = draw(scope["loss"], names=scope).svg
    box, = re.findall(r'<g id="[\w-]+" class="node">\n<path [^>]*d="([^"]*)".*?</g>', shown, re.DOTALL)[:1]
    sides = [float(x) for x in re.findall(r"(-?[\d.]+),", box)]
    start, = map(float, re.findall(rf'<text [^>]* x="([\d.-]+)"[^>]*>{name}</text>', shown))
    wide = sum(12 if ord(letter) > 127 else 12 * 0.6 for letter in name)
    assert min(sides) < start and start + wide < max(sides)


@pictures
def test_a_picture_opens_large_and_can_be_zoomed_and_moved(tmp_path):
    playwright = pytest.importorskip("playwright.sync_api")
    browser = shutil.which("chromium") or pytest.skip("no Chromium")
    draw(network(), direction="right").save(tmp_path / "x.html")
    with playwright.sync_playwright() as run:
        page = run.chromium.launch(executable_path=browser, args=["--no-sandbox"]).new_page()
        page.goto((tmp_path / "x.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")  # it has its own box
        page.locator("img").focus()
        page.keyboard.press("Enter")
        large, box = page.locator("dialog img"), page.locator("dialog > div").last
        assert box.evaluate("box => box.scrollWidth <= box.clientWidth")     # it opens whole
        assert box.evaluate("box => box.scrollHeight <= box.clientHeight")
        width = large.bounding_box()["width"]
        for key, grows in (("-", False), ("+", True), ("+", True), ("+", True)):
            page.keyboard.press(key)
            before, width = width, large.bounding_box()["width"]
            assert (width > before) == grows
        page.mouse.move(600, 300)
        page.mouse.wheel(0, -100)
        playwright.expect(large).not_to_have_css("width", f"{width}px")
        before = box.evaluate("box => box.scrollLeft")
        page.mouse.down()
        page.mouse.move(400, 300)
        page.mouse.up()
        assert box.evaluate("box => box.scrollLeft") > before
        page.get_by_role("button", name="Fit").click()
        assert box.evaluate("box => box.scrollWidth <= box.clientWidth")
        page.keyboard.press("Escape")
        playwright.expect(page.locator("dialog")).to_have_count(0)
        page.locator("img").click()
        playwright.expect(page.locator("dialog[open]")).to_have_count(1)


@pictures
def test_the_representations_that_others_look_for(monkeypatch):
    monkeypatch.setattr(drawing, "in_notebook", lambda: False)
    shown = draw(leaf(2.0).exp())
    assert shown._repr_html_() == shown.html and shown._repr_svg_() == shown.svg
    monkeypatch.setattr(drawing, "in_notebook", lambda: True)
    assert shown._repr_svg_() is None  # IPython asks for every form, and the HTML holds the picture
    monkeypatch.setattr(render, "dot_program", lambda: Path("no-such-program"))
    unseen = draw(leaf(2.0).exp())
    assert unseen._repr_html_() is None and unseen._repr_svg_() is None


@pictures
def test_a_script_shows_a_page(monkeypatch, tmp_path, capsys):
    opened = []
    monkeypatch.setattr(drawing, "in_notebook", lambda: False)  # another test may have left a shell
    monkeypatch.setattr(drawing.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(drawing.webbrowser, "open", lambda uri: not opened.append(uri))
    shown = draw(leaf(2.0).exp())
    shown.show()
    [page] = tmp_path.iterdir()
    assert opened == [page.as_uri()] and shown.html in page.read_text("utf-8") and not capsys.readouterr().out
    monkeypatch.setattr(drawing.webbrowser, "open", lambda uri: False)
    shown.show()
    assert capsys.readouterr().out == f"{shown.text}\n"


def test_a_notebook_shows_it_in_the_notebook(monkeypatch):
    shown, displayed = draw(leaf(2.0).exp()), []
    monkeypatch.setattr(pytest.importorskip("IPython").display, "display", displayed.append)
    monkeypatch.setattr(where_it_runs, "shell", lambda: object())
    shown.show()
    assert displayed == [shown]


@pictures
@pytest.mark.skipif(os.name == "nt", reason="a program is found by another name there")
def test_a_system_dot_steps_in_with_a_warning(monkeypatch, tmp_path):
    (tmp_path / "dot").symlink_to(render.dot_program())
    monkeypatch.setattr(render.sysconfig, "get_path", lambda *names: str(tmp_path / "nowhere"))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "nowhere/python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.warns(UserWarning, match="graphviz-pure is not installed, so .*dot draws"):
        assert "ExpBackward0" in draw(leaf(2.0).exp()).svg
    (tmp_path / "graphviz-pure").symlink_to(tmp_path / "dot")
    assert render.dot_program() == tmp_path / "graphviz-pure"  # on the PATH, it comes before dot
    monkeypatch.setenv("PATH", "")
    assert "graphviz-pure is not installed" in draw(leaf(2.0).exp())._repr_mimebundle_()["text/plain"]


# ---------------------------------------------------------------- the player

@pictures
def test_a_pass_is_scrolled_to_where_it_is():
    shown = play((leaf(2.0) * 3).exp())
    boxes = re.findall(r"<figure[^>]*>(<div[^>]*>)<img[^>]*?( onload=[^>]*)?>", shown.html)
    assert {box for box, _ in boxes} == {'<div style="overflow-x:auto;direction:rtl">'}  # starts at the right
    assert [bool(moves) for _, moves in boxes] == [False, True, True, True, False]


# ---------------------------------------------------------------- names that are no words

ODD = ["\0", "\x07", "\x1b[31m", "\x0b\x0c", "\x85", "\u2028\u2029", "\uffff", "\ud800", "\u202eabc",
       "變數 張量", "שלום", "x" * 20_000]


@pictures
@pytest.mark.parametrize("name", ODD, ids=ascii)
def test_odd_names_have_a_defined_look(name, tmp_path):
    name, x = f"a{name}b", leaf(2.0)
    y = x.exp()
    shown = draw(y, names={name: x}, caption=name)
    written = re.search("leaf (.*), shape", shown.text)[1]
    assert written == visible(written) and len(written) <= 60 and written.isprintable()
    assert written == name or "\\" in written or written.endswith("…")
    ElementTree.fromstring(shown.svg.encode())
    ElementTree.fromstring(svgs_in(shown.html)[0].encode())
    assert size(draw(y, names={name: x}))[0] < 1500
    shown.save(tmp_path / "x.png")
    shown.save(tmp_path / "x.html")
    assert play(y, names={name: x}).html.encode()


PAYLOADS = ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", '" onload="alert(1)',
            "' onload='alert(1)", "<svg onload=alert(1)>", "</title></svg><script>alert(1)</script>",
            "<!-- x", "]]><b>", "&lt;script&gt;", "{{7*7}}${7*7}", "javascript:alert(1)", '"];x[label="y',
            "<b>&amp;", "</figcaption><iframe src=x>"]
ALLOWED = {"div", "style", "img", "figure", "figcaption", "noscript", "input", "button"}
HANDLERS = {"onload", "onclick", "oninput", "onkeydown"}  # our own, whose text is fixed


class Tags(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.tags, self.handlers = set(), set()
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.handlers |= {(name, value) for name, value in attributes if name.startswith("on")}


@pictures
@pytest.mark.parametrize("payload", PAYLOADS)
def test_nothing_that_is_written_becomes_code(payload):
    x, harmless = leaf(2.0), draw(leaf(2.0).exp(), names=False).html
    node = type(payload, (torch.autograd.Function,), {
        "forward": staticmethod(lambda ctx, x: x * 2), "backward": staticmethod(lambda ctx, grad: grad * 2)})
    y = node.apply(x).exp()
    shown = draw(y, names={payload: x, "y": y}, caption=payload, legend=True)
    svg = ElementTree.fromstring(shown.svg)
    assert not [one for one in svg.iter() if one.tag.rpartition("}")[2] not in
                ("svg", "g", "title", "desc", "path", "polygon", "polyline", "text", "ellipse")]
    assert not [name for one in svg.iter() for name in one.attrib if name.startswith("on")]
    assert any(payload[:20] in (one.text or "") for one in svg.iter())
    for html in (shown.html, harmless):
        assert Tags(html).tags == {"div", "style", "img"}
        assert Tags(html).handlers == Tags(f"<img{OPENS}>").handlers
    played = Tags(play(y, names={payload: x, "y": y}).html)
    assert played.tags <= ALLOWED and {name for name, _ in played.handlers} <= HANDLERS
    assert not [text for _, text in played.handlers if "alert" in text]
