"""The player plays where it is met: in an exported page with the network off, and in a real JupyterLab.

In both, by mouse and by keys: forward, back, scrub; in print, the strip of key frames. In
JupyterLab also: a notebook that nobody has trusted shows all frames, the dark theme stays readable, and in
free mode the wrong order gives the wrong number.
"""
import os
import shutil
import subprocess
import sys

import pytest

from tests import ROOT
from tests.browser import expect
from tests.browser.in_jupyterlab import opened, strangers

MAKE = '''
import sys
from pathlib import Path
import nbformat
from nbclient import NotebookClient
from nbconvert import HTMLExporter
import minigrad as torch
from minigrad.viz import play

folder = Path(sys.argv[1])
setup = """import minigrad as torch
from minigrad.book import play
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a + b
d = a * b
y = (c + d) + (c * d)"""
sources = [setup, "play(y, free=True)", "c = a + b; d = a * b; y = (c + d) + (c * d)\\nplay(y)"]
cells = [nbformat.v4.new_code_cell(source, id=f"cell{at}") for at, source in enumerate(sources)]
notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": {
    "name": "python3", "display_name": "Python 3", "language": "python"}})
NotebookClient(notebook, store_widget_state=False).execute()
nbformat.write(notebook, folder / "player.ipynb")
(folder / "exported.html").write_text(HTMLExporter().from_notebook_node(notebook)[0], encoding="utf-8")
names = {}
exec(setup, names)
names["play"](names["y"], names=names).save(folder / "saved.html")
'''
FREE = {"y": "AddBackward0 (y)", "n5": "MulBackward0", "n4": "AddBackward0", "d": "MulBackward0 (d)",
        "c": "AddBackward0 (c)", "b.grad": "AccumulateGrad of b", "a.grad": "AccumulateGrad of a"}
LAST = 8  # moments of this pass, beside the start: seven nodes, and the end

THEME = "name => jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab ' + name})"
FITS = """() => {
    const output = document.querySelector('.mgshown img')?.closest('.jp-OutputArea-output');
    return output && output.scrollWidth <= output.clientWidth;
}"""


@pytest.fixture(scope="module")
def made(browser, tmp_path_factory):
    """A folder with a notebook that was run, and two pages made of it: to read, not to click in."""
    folder = tmp_path_factory.mktemp("player")
    subprocess.run([sys.executable, "-c", MAKE, folder], check=True, stdin=subprocess.DEVNULL,
                   env={**os.environ, "PYTHONPATH": str(ROOT), "MINIGRAD_BOOK": "text"})
    return folder


def plays(player):
    """Every way to move, in a player that stands at its start."""
    slider, caption = player.locator("input[type=range]"), player.locator("figcaption:visible")
    expect(caption).to_have_count(1)
    expect(caption).to_contain_text("Before the pass. 1.0 goes into AddBackward0 (y)")
    size = player.locator("img:visible").bounding_box()
    player.get_by_role("button", name="Forward ▶").click()
    expect(caption).to_contain_text("Step 1 of 7.")
    slider.press("ArrowRight")
    expect(caption).to_contain_text("Step 2 of 7.")
    expect(caption).to_contain_text("AddBackward0 (c) has 1 of 2: it waits.")
    slider.press("End")
    expect(caption).to_contain_text("a.grad is 25.0; b.grad is 19.0")
    player.get_by_role("button", name="◀ Back").click()
    expect(caption).to_contain_text("b.grad was None and is now 19.0")
    player.page.keyboard.press("Home")  # the button has the focus now
    player.page.keyboard.press("ArrowRight")
    expect(caption).to_contain_text("Step 1 of 7.")
    box = slider.bounding_box()
    player.page.mouse.click(box["x"] + box["width"] - 3, box["y"] + box["height"] / 2)
    expect(caption).to_contain_text("The pass is over.")
    now = player.locator("img:visible").bounding_box()
    assert (now["width"], now["height"]) == (size["width"], size["height"]), "the picture changes its size"
    assert player.locator("img:visible").evaluate("i => i.complete && i.naturalWidth > 100"), "no picture"
    slider.press("Home")


@pytest.mark.parametrize("name", ["saved", "exported"])
def test_it_plays_in_a_page(browser, made, name):
    context = browser.new_context(viewport={"width": 1100, "height": 800}, color_scheme="light")
    asked = []
    context.route(lambda url: not url.startswith(("file:", "data:")),
                  lambda route: (asked.append(route.request.url), route.abort()))
    page = context.new_page()
    page.goto((made / f"{name}.html").as_uri())
    player = page.locator(".mgplay:has(input)")
    plays(player)
    if name == "saved":
        assert not asked, f"the saved page asked for {asked}"
    else:
        strip = page.locator(".mgplay:not(:has(input)) figcaption")
        expect(strip.last).to_contain_text("a.grad is 29.0, the engine gets 25.0")
    player.locator("input").press("Home")
    page.emulate_media(media="print")
    keys = player.locator("figure.mgkey")
    assert 0 < keys.count() < LAST, f"{keys.count()} key frames"
    assert player.locator("figure:visible").count() == keys.count(), "paper shows other frames too"
    expect(player.locator("button:visible, input:visible")).to_have_count(0)
    context.close()


@pytest.mark.parametrize("name", ["saved", "exported"])
def test_a_page_without_scripts_shows_all_frames(browser, made, name):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((made / f"{name}.html").as_uri())
    expect(page.locator(".mgplay").last.locator("figure:visible")).to_have_count(LAST + 1)
    context.close()


def test_it_plays_in_jupyterlab(browser, learners_lab, made, shoot):
    """Nobody has trusted the notebook that is put beside the chapters."""
    shutil.copy(made / "player.ipynb", learners_lab.chapters)
    context = browser.new_context(viewport={"width": 1300, "height": 1500})
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    opened(page, learners_lab, "player.ipynb").evaluate(THEME, "Light")
    page.wait_for_selector("body[data-jp-theme-light=true]", state="attached")
    untrusted = page.locator(".jp-OutputArea-output:has(img)").last
    expect(untrusted.locator("img")).to_have_count(LAST + 1)
    expect(untrusted.locator("img:visible")).to_have_count(LAST + 1)
    expect(untrusted.locator("button:visible, input:visible")).to_have_count(0)  # they would do nothing
    shoot(page, "lab_untrusted")
    page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')")
    player = page.locator(".mgplay:has(input)")
    expect(player).to_have_count(1)
    before = active(page)
    plays(player)
    assert active(page) == before, "a key moved the notebook to another cell"
    page.evaluate(THEME, "Dark")
    page.wait_for_selector("body[data-jp-theme-light=false]", state="attached")
    assert brightness(player.locator("figcaption:visible")) > 150, "dark words in the dark theme"
    assert brightness(player.get_by_role("button", name="Forward ▶")) > 150, "dark buttons in the dark theme"
    player.locator("input").press("ArrowRight")
    page.locator("#jupyterlab-splash").wait_for(state="detached")
    shoot(page, "lab_dark")
    check_free(page, before)
    shoot(page, "lab_free")
    assert not strangers(learners_lab, asked), f"it asked for {strangers(learners_lab, asked)}"
    context.close()


def check_free(page, before):
    status = page.locator(".widget-html [role=status]").last
    for name in "y n4 c d n5 c d a.grad b.grad".split():
        button = page.get_by_role("button", name=f"Fire {name}", exact=True)
        button.focus()
        button.press("Enter")
        expect(status).to_contain_text(f"You fired {FREE[name]} with")
        page.wait_for_timeout(150)
    expect(status).to_contain_text("a.grad is 29.0, the engine gets 25.0; b.grad is 22.0")
    at = active(page)
    page.get_by_role("button", name="Undo").click()
    assert active(page) == at, "a click on a control moved the notebook to its cell"
    expect(status).to_contain_text("a.grad was None and is now 29.0")
    picture = page.locator(".mgshown img")
    page.wait_for_function(FITS)  # a picture that is being replaced has no output for a moment
    page.evaluate("jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    expect(page.get_by_role("button", name="Undo")).to_be_hidden()  # it could do nothing
    expect(picture).to_be_visible()
    assert active(page) in (before, 1), "a key moved the notebook to another cell"


def active(page):
    return page.evaluate("jupyterapp.shell.currentWidget.content.activeCellIndex")


def brightness(locator):
    return locator.evaluate("e => { const c = getComputedStyle(e).color.match(/[\\d.]+/g).map(Number);"
                            " return (c[0] * 2 + c[1] * 5 + c[2]) / 8 }")
