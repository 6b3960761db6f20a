"""The page that shows ten models as minigrad.viz draws them, beside the pictures of three other tools.

The pictures and their sizes are made by pictures/compare.py, on PyTorch; here they are only put on a page.
"""
from __future__ import annotations

import json
from html import escape
from typing import Any

from ...classroom.helping import NOTEBOOKS
from .code_as_html import listing
from .shown_outputs import Pictures

MADE = NOTEBOOKS.parent / "pictures" / "compare"
TITLE = "Pictures beside other tools"
NOTEBOOK = 1058  # CSS pixels: the width of an output in JupyterLab, in a window of 1,280
CALLS = """minigrad.viz.draw(model(x).sum())
torchviz.make_dot(model(x).sum(), params=dict(model.named_parameters()))
torchview.draw_graph(model, input_data=x, device="cpu", mode="train").visual_graph
torchlens.trace(model, x).draw()"""
BETTER = {
    "torchviz": "It shows less about each node, so up to about fifty nodes its pictures are smaller and can "
                "be taken in at one glance. What it returns is a plain graph of the graphviz package, which "
                "you can restyle, or join to a graph of your own.",
    "torchview": "It shows the forward pass as modules, with the shapes of what goes in and comes out, which "
                 "is the picture that a model's documentation needs. It also draws a model whose parameters "
                 "are frozen, for which autograd records no graph.",
    "torchlens": "It records the value of every operation of the forward pass, also of those that need no "
                 "gradient, and lets you change a value and run the model again. It puts a frame around each "
                 "module, at every depth, and has many settings for what is shown, folded and coloured.",
    "minigrad.viz": "It shows the gradients that are there, what each operation saved and what was freed, "
                    "and the call that cut a tensor off from its history. Its pictures are text, too, and "
                    "can be played, compared and explained.",
}
INTRODUCTION = """<p>Four tools draw the same ten models, each as it does unless told otherwise. minigrad.viz
and torchviz draw the graph that the backward pass will run through; torchview and torchlens draw the forward
pass. The versions: {}.</p>"""


def body(pictures: Pictures) -> str:
    made = json.loads((MADE / "compare.json").read_text(encoding="utf-8"))
    versions = ", ".join(f"{name} {number}" for name, number in made["versions"].items())
    better = "".join(f"<dt>{tool}</dt><dd>{words}</dd>" for tool, words in BETTER.items())
    return "\n".join([f'<div class="beside"><h1>{TITLE}</h1>', INTRODUCTION.format(versions), listing(CALLS),
                      '<h2 id="better">What each does better</h2>', f"<dl>{better}</dl>",
                      *(model(row, pictures) for row in made["models"]), "</div>"])


def model(row: dict[str, Any], pictures: Pictures) -> str:
    """The four pictures of one model: each whole, side by side, and then as a notebook shows them."""
    whole, shown = [], []
    for tool, one in row["tools"].items():
        if "error" in one:
            whole.append(f"<figure><figcaption><b>{tool}</b><br>No picture: "
                         f'<code>{escape(one["error"])}</code></figcaption></figure>')
            continue
        file = pictures.add((MADE / one["file"]).read_bytes())
        image = f'<img src="{file}" alt="{row["title"]}, drawn by {tool}"'
        size = f'{one["width"]:,} × {one["height"]:,} pixels, letters of {one["letters"]:g}'
        whole.append(f'<figure><a href="{file}">{image}></a>'
                     f"<figcaption><b>{tool}</b><br>{size}</figcaption></figure>")
        shown.append(f'<figure><figcaption><b>{tool}</b></figcaption><div class="shown" tabindex="0">{image} '
                     f'width="{one["width"]}" height="{one["height"]}" loading="lazy"></div></figure>')
    return (f'<h2 id="{row["key"]}">{row["title"]}</h2>\n<div class="four">{"".join(whole)}</div>\n'
            f"<details><summary>As a notebook shows them, in an output {NOTEBOOK:,} pixels wide</summary>\n"
            f'{"".join(shown)}</details>')
