"""Make the picture that messages show for a link to the site: minigrad/book/build/reader/preview.png.

    .venv/bin/python pictures/preview.py [--browser PATH]

It needs playwright (.ci/requirements-more.txt) and a Chromium. The picture is stored, because services that
show it take no SVG, and the machine that builds the site may have no browser.
"""
import argparse
import shutil
from html import escape
from pathlib import Path

from playwright.sync_api import sync_playwright

import minigrad as torch
from minigrad.book.build.reader import front, site
from minigrad.viz import draw
from minigrad.viz.drawing.image import image

PAGE = """<!DOCTYPE html><meta charset="utf-8"><style>
body {{ margin: 0; width: {width}px; height: {height}px; box-sizing: border-box; padding: 40px 56px 32px;
  background: #fdfdfb; color: #1a1a1a; font-family: Arial, sans-serif; display: flex;
  flex-direction: column; gap: 22px; }}
h1 {{ font-size: 58px; line-height: 1.1; margin: 0; }}
pre {{ font: 26px/1.4 "DejaVu Sans Mono", monospace; margin: 0; padding-left: 22px;
  border-left: 8px double #a34700; }}
p {{ flex: 1; min-height: 0; margin: 0; text-align: center; }}
img {{ max-width: 100% !important; min-width: 0 !important; height: 100% !important; }}
b {{ font-size: 28px; color: #005a94; }}
</style><h1>{title}</h1><pre>{error}</pre><p>{graph}</p><b>{name}</b>"""
ERROR = "y.backward()\nRuntimeError: Trying to backward through the graph a second time"


def page():
    """Return the HTML of the picture."""
    a = torch.tensor(2., requires_grad=True)
    b = torch.tensor(3., requires_grad=True)
    y = (a + b) * (a * b)
    y.backward()
    graph = draw(y, names={"a": a, "b": b, "y": y}, legend=False)
    width, height = site.PREVIEW_SIZE
    return PAGE.format(width=width, height=height, title=escape(front.TITLE), error=escape(ERROR),
                       graph=image(graph.svg, "graph"), name=escape(site.NAME))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--browser", default=shutil.which("chromium"))
    width, height = site.PREVIEW_SIZE
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=parser.parse_args().browser,
                                             args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page(viewport={"width": width, "height": height}, offline=True)
        tab.set_content(page())
        tab.screenshot(path=Path(site.__file__).with_name(site.PREVIEW))
        browser.close()


if __name__ == "__main__":
    main()
