"""explain() and why() name the line to edit where it has run and is known, and no line otherwise."""
import linecache

import pytest

from minigrad.viz import explain, watch, why
from tests.viz.test_explain import BACKENDS


@pytest.fixture(params=BACKENDS)
def run(request, tmp_path):
    """Return a function that runs a program's text, and returns its answer.

    The answer is what explain() says of the error of the program, or what why(asked) says.
    """
    def answer(text, asked="", watched=False, parts=1):
        file = tmp_path / "program.py"
        text = text.replace("import torch\n", f"import {request.param} as torch\n")
        text = f"from {request.param} import nn\n{text}"
        file.write_text(text + (f"\nsaid = why({asked})\n" if asked else ""), encoding="utf-8")
        linecache.checkcache(str(file))
        names = {"__name__": "program", "why": why}
        code = compile(file.read_text(encoding="utf-8"), str(file), "exec")
        try:
            if watched:
                with watch():
                    exec(code, names)
            else:
                exec(code, names)
        except RuntimeError as error:
            return explain(error).text
        return names["said"].text

    return answer


def line_of(text, part):
    """Return `program.py:7`, for a part of a program's text; a line is put in front of the text."""
    return f"program.py:{text[:text.index(part)].count(chr(10)) + 2}"


CELL = """
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
guess = x * 2
target = torch.tensor([2.0, 3.0])
with caught:
    hits = (guess > target).float().mean()
    hits.backward()
    hits = guess.detach().sum()
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_block_that_an_error_left_has_run_as_far_as_the_error(backend, tmp_path):
    file = tmp_path / "program.py"
    text = CELL.replace("import torch", f"import {backend} as torch")
    file.write_text(text, encoding="utf-8")
    caught = pytest.raises(RuntimeError)
    exec(compile(text, str(file), "exec"), {"caught": caught})
    said = explain(caught.excinfo.value).text
    assert "booleans (program.py:7" in said and "program.py:9" not in said
