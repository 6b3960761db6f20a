"""The gallery shows every kind of picture, and shows the same on PyTorch.

notebooks/gallery.ipynb is stored as minigrad ran it. Here the stored outputs are held against the list of
what the pictures promise; then, where PyTorch is installed, the notebook runs on it, and every picture must
be the same, but for the few things that PyTorch does not reveal.
"""
import json
import re

import pytest

from minigrad import viz
from minigrad.viz.drawing.image import svgs_in
from tests import ROOT

from .test_parity import IMPORT, code_cells, needs_torch, run_with_torch, source, tags

PATH = ROOT / "notebooks" / "gallery.ipynb"
GALLERY = json.loads(PATH.read_text(encoding="utf-8"))
FREE_MODE = "x.grad (AccumulateGrad), y (MulBackward0)"

# What is promised, and words that the outputs of one cell must hold, each of them.
ITEMS = {
    "leaf": [r"leaf w, shape \(2,\)"],
    "constant": ["constant c"],
    "intermediate": ["tensor y", "its grad_fn is n3"],
    "operation": ["operation MulBackward0"],
    "AccumulateGrad": ["AccumulateGrad, adds what arrives to the .grad of n0"],
    "saved value": ["saved: other = c"],
    "names that were given": ["leaf pixels", "tensor brightness"],
    "values of larger tensors": [r"value \[0.0, .*9.0\]"],
    "gradients: None, and 0": [r"leaf a.*\.grad is None", r"leaf b.*\.grad is \[0.0, 0.0\]"],
    "versions": ["version 0", "now v1, saved at v0"],
    "memory": ["hold 36 bytes in 3 pieces"],
    "places": ["ExpBackward0.*line 3 of cell 8", "SumBackward0.*line 4 of cell 8"],
    "one tab for a tensor saved twice": ["self and other = x"],
    "before the pass": ["Graph behind loss.*3 operations\\.", r"result \(2,\)"],
    "during the pass": [r"self and other = x \(2,\)", r"result \(freed\)"],
    "after the pass": ["3 saved values freed", r"self \(freed\), other \(freed\)"],
    "hooks, and packed saved values": [r"made y \(2,\) \(1 hook\)", r"result \(packed by a hook\)",
                                       "Not counted: 1 saved value packed by a hook"],
    "partly freed by another root": ["behind p and q", r"SinBackward0.*\(freed\)", "CosBackward0.*self = y"],
    **{f"cut by {word}": [f"cut off from n\\d: {re.escape(word)}"]
       for word in ("detach()", "no_grad", "integers", "torch.tensor()")},
    "a plain constant": ["constant k, .*value 5.0$"],
    "engine view, with two edges": ["engine view", "AddBackward0; next functions: n2", "functions: n1, n1"],
    "maths view, with two edges": ["maths view", "takes n0 and n0", "made by n4"],
    "broadcasting": [r"n0 \[\(3,\)→\(2, 3\)\]"],
    "a base and its view": ["SliceBackward0", "tensor view, .*view of base"],
    "what a write rewired": ["CopySlices, a write into a view", "AsStridedBackward0", "view of base"],
    "a folded chain": ["SinBackward0 ×2000"],
    "frames of modules": [r"^Frame small\.0 \(Linear\)", r"^Frame small\.1 ", r"leaf small\.1\.weight"],
    "folded layers of a model": ["then 11 more like model.0: model.2 … model.22", r"^Frame model\.0 "],
    "a part of a large graph": ["made middle", "… 49 more", "… 47 more"],
    "several roots and leaves": ["behind first and second", "2 leaves"],
    "a dict": [r"behind output\['loss'\] and output\['scores'\]"],
    "a second layer": ["PowBackward0, exponent = 3;", "layer 2", "tensor slope"],
    "diff: another operation": ["MulBackward0 with two edges to x",
                                r"\[− removed\] operation", r"\[\+ added\] operation"],
    "diff: a detach": [r"cut off by detach\(\)", "ExpBackward0 .*is gone"],
    "explain: freed": ["second time", r"\[! problem\] operation MulBackward0", "Fix 1: .* Price: "],
    "explain: written in place": ["modified by an inplace", r"\[! problem\] operation", "Price: "],
    "explain: no gradient": ["y is not a leaf: MulBackward0", r"\[! problem\] operation MulBackward0"],
    "why: cut off": [r"w\.grad is None: h went .* \.data \(line 3 of cell \d+", r"\[! problem\] tensor h"],
    "why: zero": [r"Every number of v\.grad is 0: ReluBackward0", r"\[path\]", "Fix 1: .* Price: "],
    "watch: gradients": [r"\[! infinite\] operation ReluBackward0", "norm 0.75, 50% zeros"],
    "watch: lines": [r"recorded in line 4 of cell \d+", r"The write was in line 5 of cell \d+, `h.add_"],
    "install": [r"^To see what happened, type: explain\(\)\Z"],
    "read aloud": [r"saved: self and other = x", "^n3 tensor y"],
    "saved as files": ["graph.dot.*graph.png.*graph.svg.*graph.txt"],
    "no history": ["constant counts"],
    "no tensor": ["not None", "list is empty", "not a float", "not a Sequential", "not a str"],
    "the player": ["Step 1 of 4", "has 1 of 2: it waits", "cos of", "x.grad was None and is now", "Freed: "],
    "free mode": [re.escape(FREE_MODE), "Fire the nodes in any order"],
    "weights on the rows of a Jacobian": [r"v = \[1.0, 10.0\]", r"\[31.0, 21.0\]"],
    "edits": ["FINE: ", "ERROR$"],
    "notes: no reinforce": [r"^reinforce\(\) was removed", "constant action"],
    "notes: by hand": [r"(tensor\(\[\[1.3333, 2.0000, 2.6667\],\s+\[3.3333, 4.0000, 4.6667\]\]\))\n\1"],
    "notes: one row": [r"leaf w1.*\.grad is \[\[0.0, 0.0, 0.0\], \[0.3333, 0.3333, 0.3333\]\]"],
    "notes: again": ["^Trying to backward through the graph a second", r"self \(freed\), result \(freed\)"],
    "notes: floats": ["^Only Tensors of floating point and complex", "^TypeError$", r"leaf, shape \(2, 3\)"],
    "notes: a hook": [r"^tensor\(\[2., 2., 2.\]\)",
                      r"^tensor\(\[4., 4., 4.\]\)", r"v.*\.grad is \[5.0, 5.0, 5.0\]"],
    "notes: assigned": ["a gradient of size", "a gradient with dtype", "^you can only change requires_grad",
                        r"v.*\.grad is \[7.0, 7.0, 7.0\]"],
}

# What PyTorch does not reveal, by the beginning of the last line of the cell: these words may differ.
NOT_REVEALED = {
    "explain: freed": "which operation met the empty tabs, and which line freed them",
    "explain: written in place": "the name of what was written, and the line that wrote it",
}


def words(cell):
    """What an output says, its picture aside; of an error the last line of its traceback."""
    return "\n".join(output["traceback"][-1].splitlines()[-1] if output["output_type"] == "error" else
                     "".join(output.get("text", output.get("data", {}).get("text/plain", "")))
                     for output in cell["outputs"])


def pictures(cell):
    outputs = [output.get("data", {}) for output in cell["outputs"]]
    return [svg for data in outputs for svg in ["".join(data.get("image/svg+xml", ""))]
            + svgs_in("".join(data.get("text/html", ""))) if svg]


def shows(cell, item):
    return all(re.search(pattern, words(cell), re.MULTILINE) for pattern in ITEMS[item])


def cell_of(item):
    [cell] = [cell for cell in code_cells(GALLERY) if shows(cell, item)][:1]
    return cell


@pytest.mark.parametrize("item", ITEMS)
def test_every_item_is_shown(item):
    assert any(shows(cell, item) for cell in code_cells(GALLERY))


def test_the_note_on_two_kinds_of_element_is_right_about_its_picture():
    [cell] = [cell for cell in code_cells(GALLERY) if "E11" in tags(cell)]
    kinds = re.findall(r"^n\d+ (\w+)", words(cell), re.MULTILINE)
    assert set(kinds) == {"leaf", "constant", "tensor", "operation"}     # of which three are data


def test_it_opens_with_the_line_that_is_exchanged():
    first, *others = code_cells(GALLERY)
    assert source(first).startswith(IMPORT + "\n")
    assert tags(first) == {"setup"}
    assert not [source(cell) for cell in others if "minigrad" in source(cell) or "setup" in tags(cell)]


def test_cells_that_draw_say_so():
    draws = re.compile(rf"\b({'|'.join(viz.__all__)}|\w+_explorer)\(|^during\[0\]", re.MULTILINE)
    assert not [source(cell) for cell in code_cells(GALLERY)[1:]
                if bool(draws.search(source(cell))) != bool(tags(cell) & {"viz", "widget"})]


def test_every_section_says_what_to_look_at():
    cells = GALLERY["cells"]
    for before, cell in zip(cells, cells[1:]):
        if cell["cell_type"] == "markdown":
            title, _, text = source(cell).partition("\n\n")
            assert not title.startswith("## ") or 0 < len(text.split()) < 60
            assert before["cell_type"] == "code"


def test_every_picture_is_stored():
    assert sum(len(pictures(cell)) for cell in code_cells(GALLERY)) > 30
    for cell in code_cells(GALLERY):
        if re.search(r"^(draw|diff|explain)\(", source(cell), re.MULTILINE):
            assert len(pictures(cell)) == 1


@needs_torch
def test_the_gallery_runs_on_pytorch():
    again = code_cells(run_with_torch(PATH))
    outputs = [output for cell in again for output in cell["outputs"] if "raises-exception" not in tags(cell)]
    assert not [output["evalue"] for output in outputs if output["output_type"] == "error"]
    assert [source(cell) for cell in again[1:]] == [source(cell) for cell in code_cells(GALLERY)[1:]]


@needs_torch
def test_pytorch_draws_the_same_pictures():
    """In words and in SVG, to the letter."""
    exceptions = [source(cell_of(item)) for item in NOT_REVEALED]
    pairs = list(zip(code_cells(GALLERY), code_cells(run_with_torch(PATH)), strict=True))
    for mine, theirs in pairs:
        if source(mine) not in exceptions:
            assert words(theirs) == words(mine)
            assert pictures(theirs) == pictures(mine)


@needs_torch
@pytest.mark.parametrize("item", NOT_REVEALED)
def test_what_pytorch_does_not_reveal(item):
    """The graph is the same; how much of it is marked, and what is said above it, is not."""
    place = code_cells(GALLERY).index(cell_of(item))
    mine, theirs = [words(code_cells(notebook)[place]) for notebook in (GALLERY, run_with_torch(PATH))]
    assert mine != theirs  # else it is no exception any more
    assert mine.splitlines()[0] == theirs.splitlines()[0]
    mine, theirs = [text.partition("\nGraph behind")[2] for text in (mine, theirs)]
    assert mine.replace("[! problem] ", "") == theirs.replace("[! problem] ", "") != ""
