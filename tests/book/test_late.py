"""A chapter opens at once: what its three lines bring is imported when it is first used."""
import inspect
import pydoc
import subprocess
import sys

import pytest

import minigrad.book
from minigrad.book.late import Late
from tests import ROOT

OPENED = """
import sys
import minigrad as torch
from minigrad.book import *
chapter(6)
print([name for name in sys.modules if name.startswith("minigrad.viz.rooms")
       or ".classroom.patients" in name or ".classroom.labs" in name or ".content.chapters.ch" in name])
"""
RAISED = """
import sys
import minigrad as torch
from minigrad.book import *
x = torch.ones(2, requires_grad=True)
try:
    (x * 2).backward()
except RuntimeError as error:
    print(error.__notes__)
print([name for name in globals() if name == "explain"])
"""


def printed(program, tmp_path):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path,
                          env={"PYTHONPATH": str(ROOT), "MINIGRAD_PROGRESS": "off"}, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_first_cell_of_a_chapter_loads_no_picture_no_lab_and_no_chapter(tmp_path):
    assert printed(OPENED, tmp_path)[-1] == "[]"


def test_an_error_is_offered_an_explanation_before_any_picture_was_loaded(tmp_path):
    notes = printed(RAISED, tmp_path)[0]
    assert "type: explain()" in notes and "from minigrad.viz" not in notes


@pytest.mark.parametrize("name", minigrad.book.__all__)
def test_a_name_shows_the_words_and_the_signature_of_what_it_stands_for(name):
    late = getattr(minigrad.book, name)
    assert isinstance(late, Late)
    assert late.__doc__ == late.__wrapped__.__doc__ and late.__doc__
    assert inspect.signature(late) == inspect.signature(late.__wrapped__)
    assert late.__doc__.splitlines()[0] in pydoc.plain(pydoc.render_doc(late))


def test_what_tools_ask_of_any_object_loads_nothing():
    late = Late("minigrad.book.no_such_module", "name")
    assert not hasattr(late, "_repr_html_")
    with pytest.raises(ModuleNotFoundError):
        late()
