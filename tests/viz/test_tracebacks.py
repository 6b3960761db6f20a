"""A traceback in IPython shows the program's own lines with their arrows, and no line of a library.

The programs run in an IPython of their own, as cells of a notebook do: with the book, and without it.
"""
import json
import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

from minigrad.book.build.counting import code_cells, tags
from minigrad.viz.errors.tracebacks import without_libraries
from tests import ROOT

pytest.importorskip("IPython")
OWN_WORDS = {"err-jacobian-mismatch"}     # this message says all that explain could
CHAPTERS = [path for path in sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
            if (promised := code_cells(json.loads(path.read_text(encoding="utf-8")), "raises-exception"))
            and not any(tags(cell) & OWN_WORDS for cell in promised)]
RUN = """
import json, sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_line_magic("colors", "nocolor")
shown = []
shell._showtraceback = lambda kind, error, lines: shown.append("\\n".join(lines))
for cell in json.load(sys.stdin):
    shell.run_cell(cell, store_history=True)
print("SHOWN", json.dumps(shown))
"""
BOOK = "from minigrad.book import *"
OPENINGS = {"book": f"import minigrad as torch\n{BOOK}\nchapter(2)", "plain": "import minigrad as torch"}
if find_spec("torch"):
    OPENINGS["book on PyTorch"] = f"import torch\n{BOOK}"
TYPO = "aa = 1\nbb = 2\n\n# a typo\nprint(bbb)"
FUNCTION = "def area(t):\n    side = torch.ones(3)\n    return t * side\n"
TWICE = "x = torch.ones(2, requires_grad=True)\nloss = (x * x).sum()\nloss.backward()\nloss.backward()"
HOOK = "def double(grad):\n    return grad + torch.ones(5)\n\ny = x * 2\ny.register_hook(double)\n"
HOOK += "y.sum().backward()"


def tracebacks(*cells):
    done = subprocess.run([sys.executable, "-c", RUN], input=json.dumps(cells), text=True, check=True,
                          capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    return json.loads(done.stdout.rpartition("SHOWN ")[2])


def places(traceback):
    """The lines that name a place, and the lines with an arrow."""
    return [line for line in traceback.splitlines() if line.startswith(("Cell ", "File ", "-"))][1:]


@pytest.mark.parametrize("opening", OPENINGS)
def test_own_lines_alone(opening):
    cells = (OPENINGS[opening], TYPO, FUNCTION, "area(torch.ones(2))", TWICE, HOOK)
    typo, called, twice, hook = tracebacks(*cells)
    assert places(typo) == ["Cell In[2], line 5", "----> 5 print(bbb)"]
    assert places(called) == ["Cell In[4], line 1", "----> 1 area(torch.ones(2))",
                              "Cell In[3], line 3, in area(t)", "----> 3     return t * side"]
    assert places(twice) == ["Cell In[5], line 4", "----> 4 loss.backward()"]
    assert places(hook) == ["Cell In[6], line 6", "----> 6 y.sum().backward()",
                            "Cell In[6], line 2, in double(grad)", "----> 2     return grad + torch.ones(5)"]
    assert "RuntimeError: Trying to backward through the graph a second time" in twice
    assert str(ROOT) not in typo + called + twice + hook


def test_errors_in_a_chain_numpy_and_one_cell_to_see_everything():
    chain, numpy, verbose = tracebacks(
        "import minigrad as torch, numpy",
        "try:\n    torch.ones(2).view(3)\nexcept RuntimeError:\n    unknown",
        "numpy.stack([numpy.ones(2), numpy.ones(3)])",
        "%xmode Verbose", "torch.ones(2).view(3)")
    assert places(chain) == ["Cell In[2], line 2", "----> 2     torch.ones(2).view(3)",
                             "Cell In[2], line 4", "----> 4     unknown"]
    assert places(numpy) == ["Cell In[3], line 1", "----> 1 numpy.stack([numpy.ones(2), numpy.ones(3)])"]
    assert "shape.py" in verbose


@pytest.mark.parametrize("opening", [opening for opening in OPENINGS if "PyTorch" not in opening])
def test_the_hint_works_as_it_is_shown(opening):
    [shown] = tracebacks(OPENINGS[opening], TWICE)
    hint = shown.splitlines()[-1]
    assert hint.startswith("To see what happened, type: ")
    typed = hint.partition("type: ")[2]
    assert (typed == "explain()") == (opening == "book")
    ask = typed.replace("explain()", "told = explain()")
    done = tracebacks(OPENINGS[opening], TWICE, ask, "raise ValueError(told.cause)")
    assert done[-1].endswith("ValueError: freed")


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.name)
def test_explain_can_be_typed_after_every_error_of_a_chapter(path):
    ask = "told = explain()\nraise ValueError(told.cause, len(told.sentences))"
    cells = []
    for cell in code_cells(json.loads(path.read_text(encoding="utf-8"))):
        cells += ["".join(cell["source"]), *([ask] if "raises-exception" in tags(cell) else ())]
    last = len(cells) - cells[::-1].index(ask)      # the cells after it raise nothing
    answers = [shown for shown in tracebacks(*cells[:last]) if "raise ValueError(told.cause" in shown]
    assert len(answers) == cells.count(ask) > 0
    assert not [answer for answer in answers if "ValueError: ('unknown'" in answer or ", 2)" not in answer]


def test_a_name_that_no_cell_has_made():
    ask = "told = explain()\nraise ValueError(told.text)"
    restarted = tracebacks(OPENINGS["book"], 'check("6c", answer_6c)', ask)[-1]
    assert "No cell that has run since the kernel started gives it a value" in restarted
    assert "Run > Run All Above Selected Cell" in restarted
    stopped = tracebacks(OPENINGS["book"], "1 / 0\nanswer_6c = 3", 'check("6c", answer_6c)', ask)[-1]
    assert "Cell 2 has a line that makes it: the cell stopped before that line" in stopped


def test_a_learner_who_names_something_explain_is_told_how_to_get_it_back():
    [shown] = tracebacks(OPENINGS["book"], "explain = 3", TWICE)
    assert shown.endswith("type: from minigrad.viz import explain; explain()")


def test_an_error_that_is_all_library_stays_as_it_is():
    try:
        import minigrad
        minigrad.ones(2).view(3)
    except RuntimeError as error:
        inside = error.__traceback__.tb_next
    assert without_libraries(inside) is inside
