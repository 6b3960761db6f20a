"""Every chapter says the same when PyTorch stands in the place of minigrad.

The chapters are stored as minigrad ran them (nbval sees to that). Here each runs once more, in a kernel of
its own, with `import torch` as its first line, and what comes out is compared with what is stored: printed
text, values, the names and messages of errors. In cells that use our own helpers the helper must say the
same too; a picture is compared by its text twin. Only PyTorch's own side is run here, so this needs PyTorch
beside the notebooks' requirements; without it the tests say that they were skipped. (The gallery is no
chapter: tests/book/test_gallery.py compares it, and says what PyTorch does not reveal.)
"""
import configparser
import copy
import functools
import json
import os
import re
import tempfile
from importlib.util import find_spec

import pytest

import minigrad.book
from minigrad.book.build.counting import tags
from tests import ROOT

CHAPTERS = [path for path in sorted((ROOT / "notebooks").rglob("[0-9]*.ipynb"))
            if ".ipynb_checkpoints" not in path.parts]

OURS = {"setup", "viz", "aha", "widget", "book"}  # what these tags mean: minigrad/book/__init__.py
IMPORT = "import minigrad as torch"


def what_may_differ():
    """[(regex, replacement)] from the file by which nbval knows what no two runs share."""
    rules = configparser.ConfigParser(interpolation=None)
    rules.read(ROOT / "tests" / "sanitize.cfg", encoding="utf-8")
    return [(re.compile(rules[name]["regex"]), rules[name]["replace"]) for name in rules.sections()]


MAY_DIFFER = what_may_differ()

needs_torch = pytest.mark.skipif(find_spec("torch") is None,
                                 reason="PyTorch is not installed, so nothing can be compared with it")


def source(cell):
    return "".join(cell["source"])


def code_cells(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code" and source(cell).strip()]


def with_torch(notebook):
    """The same notebook, never run, on PyTorch."""
    changed = copy.deepcopy(notebook)
    for cell in code_cells(changed):
        cell.update(outputs=[], execution_count=None)
        if "setup" in tags(cell):
            assert source(cell).count(IMPORT) == 1
            cell["source"] = source(cell).replace(IMPORT, "import torch")
    return changed


@functools.cache
def run_with_torch(path):
    """The chapter as a notebook run on PyTorch; a cell that raises doesn't stop it."""
    import nbformat
    from nbclient import NotebookClient

    changed = with_torch(json.loads(path.read_text(encoding="utf-8")))
    changed = nbformat.reads(json.dumps(changed), as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "MINIGRAD_BOOK": "text",
                       "MINIGRAD_PROGRESS": "off"}
        client = NotebookClient(changed, timeout=120, kernel_name="python3", allow_errors=True,
                                record_timing=False, resources={"metadata": {"path": folder}})
        return client.execute(env=environment)


def said(cell):
    """What a cell has to say: [(kind, text)], the streams first, without what no two runs share."""
    streams, rest = {}, []
    for output in cell["outputs"]:
        if output["output_type"] == "stream":
            streams[output["name"]] = streams.get(output["name"], "") + "".join(output["text"])
        elif output["output_type"] == "error":
            rest.append((output["ename"], output["evalue"]))
        else:
            rest.append(("value", "".join(output["data"]["text/plain"])))
    return [(kind, comparable(text)) for kind, text in [*streams.items(), *rest]]


def comparable(text):
    for regex, replacement in MAY_DIFFER:
        text = regex.sub(replacement, text)
    return text


def differences(stored, again, chosen):
    """[(place, source, what is stored, what came now)] for the chosen cells that say something else."""
    pairs = zip(code_cells(stored), code_cells(again), strict=True)
    return [(place, source(before), said(before), said(after))
            for place, (before, after) in enumerate(pairs, 1)
            if chosen(before) and said(before) != said(after)]


def report(found):
    return "\n\n".join(f"cell [{place}]\n{text}\n--- minigrad, as stored\n{before}\n--- PyTorch\n{after}"
                       for place, text, before, after in found)


def is_plain(cell):
    return not tags(cell) & OURS


def uses_a_helper(cell):
    """Except `explain()`: of PyTorch it can tell less (which node failed, which line freed a tensor)."""
    return bool(tags(cell) & (OURS - {"setup"})) and source(cell) != "explain()"


@needs_torch
@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.name)
def test_plain_cells_print_the_same(path):
    stored = json.loads(path.read_text(encoding="utf-8"))
    assert any(map(is_plain, code_cells(stored)))
    found = differences(stored, run_with_torch(path), is_plain)
    assert not found, report(found)


@needs_torch
@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.name)
def test_helpers_say_the_same(path):
    stored = json.loads(path.read_text(encoding="utf-8"))
    found = differences(stored, run_with_torch(path), uses_a_helper)
    assert not found, report(found)


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.name)
def test_only_the_first_cell_knows_minigrad(path):
    """One line is exchanged; so no other may name the package."""
    cells = code_cells(json.loads(path.read_text(encoding="utf-8")))
    assert "setup" in tags(cells[0])
    assert source(cells[0]).splitlines()[:2] == [IMPORT, "from minigrad.book import *"]
    assert not [source(cell) for cell in cells[1:] if "minigrad" in source(cell) or "setup" in tags(cell)]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.name)
def test_a_cell_that_uses_a_helper_says_so(path):
    cells = code_cells(json.loads(path.read_text(encoding="utf-8")))
    run = [(cell, re.sub(r"#.*", "", source(cell))) for cell in cells if not shows_a_picture(cell)]
    own = {name for cell, text in run if is_plain(cell) for name in re.findall(r"^def (\w+)\(", text, re.M)}
    helper = re.compile(rf"\b({'|'.join(set(minigrad.book.__all__) - own)})(\.numbers)?\(")
    assert not [text for cell, text in run if bool(helper.search(text)) == is_plain(cell)]


def shows_a_picture(cell):
    """Such as a figure of matplotlib with an `alt`: the tag is true, and no helper of ours is needed."""
    html = "".join("".join(output.get("data", {}).get("text/html", "")) for output in cell["outputs"])
    return bool(tags(cell) & {"viz", "aha"}) and ' alt="' in html


def test_a_picture_without_a_helper_is_one_with_the_tag_and_an_alt():
    figure = value("a picture", **{"text/html": ['<img alt="It falls." src="x">']})
    assert shows_a_picture(cell_with(figure, tag="aha"))
    assert not shows_a_picture(cell_with(figure))
    assert not shows_a_picture(cell_with(value("words"), tag="viz"))


# The comparison itself: what it must notice, and what it must let pass.

def cell_with(*outputs, tag=None):
    return {"cell_type": "code", "source": ["x"], "outputs": list(outputs),
            "metadata": {"tags": [tag]} if tag else {}}


def printed(*lines, name="stdout"):
    return {"output_type": "stream", "name": name, "text": list(lines)}


def value(text, **more):
    return {"output_type": "execute_result", "metadata": {}, "data": {"text/plain": [text], **more}}


def raised(name, message, *traceback):
    return {"output_type": "error", "ename": name, "evalue": message, "traceback": list(traceback)}


def differ(before, after, chosen=is_plain):
    return bool(differences({"cells": [before]}, {"cells": [after]}, chosen))


@pytest.mark.parametrize(("before", "after"), [
    (printed("1.\n"), printed("1.0\n")),
    (printed("a\n"), printed("a\n", name="stderr")),
    (value("tensor(6.)"), value("tensor(6., grad_fn=<MeanBackward0>)")),
    (value("tensor(6.)"), printed("tensor(6.)")),
    (raised("RuntimeError", "no"), raised("RuntimeError", "no.")),
    (raised("RuntimeError", "no"), raised("TypeError", "no")),
], ids=["text", "stream", "value", "kind", "message", "error"])
def test_a_difference_is_noticed(before, after):
    assert differ(cell_with(before), cell_with(after))


def test_a_missing_output_is_noticed():
    assert differ(cell_with(value("1")), cell_with())


@pytest.mark.parametrize(("before", "after"), [
    (cell_with(printed("a\n", "b\n")), cell_with(printed("a\n"), printed("b\n"))),
    (cell_with(value("<A at 0x7f0000000001>")), cell_with(value("<A at 0x7f0000000002>"))),
    (cell_with(raised("E", "no", "here")), cell_with(raised("E", "no", "there"))),
    (cell_with(value("1"), tag="viz"), cell_with(value("2"), tag="viz")),
], ids=["the pieces of a stream", "an address", "a traceback", "another tag"])
def test_what_may_differ(before, after):
    assert not differ(before, after)


def test_a_picture_is_compared_by_its_words():
    same = cell_with(value("n0 leaf w", **{"image/svg+xml": "<svg a>"}), tag="viz")
    other_svg = cell_with(value("n0 leaf w", **{"image/svg+xml": "<svg b>"}), tag="viz")
    other_words = cell_with(value("n0 leaf v", **{"image/svg+xml": "<svg a>"}), tag="viz")
    assert not differ(same, other_svg, uses_a_helper)
    assert differ(same, other_words, uses_a_helper)
