"""Every chapter is stored as a complete run from top to bottom.

nbval compares what is stored with what comes out; a cell that was never run has nothing stored, so there it
compares nothing and passes. The rules here close that gap and a few others. Each is a function from a
notebook to a list of complaints, and each is shown to complain about a small notebook that breaks it.
"""
import base64
import copy
import json
import re
from itertools import pairwise

import pytest

from minigrad.book.build.counting import tags
from minigrad.viz.drawing.image import svgs_in
from tests import ROOT

CHAPTERS = sorted((ROOT / "notebooks").rglob("*.ipynb"))
CHAPTERS = [path for path in CHAPTERS if ".ipynb_checkpoints" not in path.parts]

WARNS = re.compile(r"<cell>:\d+: \w*Warning: ")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
MACHINE_PATH = re.compile(
    r"(?<![\w./])/(?:work|root|home|Users|tmp|opt|usr|var|private|mnt|builds|workspace)/[^\s<>\"']+"
    r"|\b[A-Za-z]:\\+(?:Users|Windows|Temp|Program)[^\s<>\"']*|~[\\/][\w.][^\s<>\"']*"
    r"|ipykernel_\d+|site-packages|dist-packages")


def code_cells(notebook):
    """The code cells with something in them, each with its place in the notebook."""
    return [(place, cell) for place, cell in enumerate(notebook["cells"])
            if cell["cell_type"] == "code" and "".join(cell["source"]).strip()]


def outputs(notebook, kind):
    return [(place, cell, output) for place, cell in code_cells(notebook)
            for output in cell["outputs"] if output["output_type"] == kind]


def expects_an_error(cell):
    return "raises-exception" in tags(cell)


def every_cell_was_run_in_order(notebook):
    counts = [cell["execution_count"] for _, cell in code_cells(notebook)]
    return [] if counts == list(range(1, len(counts) + 1)) else [f"execution counts are {counts}"]


def no_error_without_a_tag(notebook):
    return [f"cell {place} raised {output['ename']}: {output['evalue']}"
            for place, cell, output in outputs(notebook, "error") if not expects_an_error(cell)]


def an_expected_error_is_there(notebook):
    raised = {place for place, _, _ in outputs(notebook, "error")}
    return [f"cell {place} is tagged raises-exception and stores no error"
            for place, cell in code_cells(notebook) if expects_an_error(cell) and place not in raised]


def nothing_on_stderr(notebook):
    """A warning may be what is asked for: before the `reveal` or the verdict, or right after the verdict."""
    code = dict(code_cells(notebook))
    asked = set()
    for before, after in pairwise(code):
        if {"reveal", "judge"} & set(code[after]["metadata"].get("tags", ())):
            asked.add(before)
        if "judge" in code[before]["metadata"].get("tags", ()):
            asked.add(after)
    return [f"cell {place} wrote on stderr: {''.join(output['text'])[:80]!r}"
            for place, _, output in outputs(notebook, "stream") if output["name"] == "stderr"
            and not (place in asked and WARNS.match("".join(output["text"])))]


def no_path_of_a_machine(notebook):
    return [f"cell {place} shows {match.group()!r}" for place, cell in code_cells(notebook)
            for output in cell["outputs"] for match in MACHINE_PATH.finditer(text_of(output))]


def cells_have_numbers(notebook):
    """A learner sees "line 4 of cell 18", with the words of the line; a reader of the page sees it, too."""
    return [f"cell {place} shows {match.group()!r}" for place, cell in code_cells(notebook)
            for output in cell["outputs"] for match in re.finditer(r"[Ll]ine \d+ of a cell", text_of(output))]


def no_colours_in_errors(notebook):
    """Each version of IPython has its own; `minigrad.book run` stores the words alone."""
    return [f"cell {place} stores colours" for place, _, output in outputs(notebook, "error")
            if "\x1b" in "".join(output["traceback"])]


def no_state_of_widgets(notebook):
    return ["the notebook stores the state of widgets"] if "widgets" in notebook["metadata"] else []


def no_times_of_execution(notebook):
    return [f"cell {place} stores when it ran" for place, cell in code_cells(notebook)
            if "execution" in cell["metadata"]]


def opens_with_the_usual_kernel(notebook):
    name = notebook["metadata"].get("kernelspec", {}).get("name")
    return [] if name == "python3" else [f"the kernel is named {name!r}: JupyterLab would ask which to take"]


RULES = [every_cell_was_run_in_order, no_error_without_a_tag, an_expected_error_is_there, nothing_on_stderr,
         no_path_of_a_machine, cells_have_numbers, no_colours_in_errors, no_state_of_widgets,
         no_times_of_execution, opens_with_the_usual_kernel]


def text_of(output):
    """All that an output says, pictures included, as plain text."""
    def flat(value):
        if isinstance(value, dict):
            return "\n".join(map(flat, value.values()))
        if isinstance(value, list):
            return "".join(map(flat, value))
        return str(value)

    text = COLOUR.sub("", "\n".join([flat(output.get("text", "")), flat(output.get("data", {})),
                                     output.get("evalue", ""), "\n".join(output.get("traceback", []))]))
    for picture in re.findall(r"data:image/svg\+xml;base64,([\w+/=]+)", text):
        text = text.replace(picture, "") + base64.b64decode(picture).decode("utf-8", "replace")
    return text + "\n".join(svgs_in(text))


def test_there_are_chapters():
    assert CHAPTERS


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.name)
def test_chapter(path, rule):
    assert rule(json.loads(path.read_text(encoding="utf-8"))) == []


# The rules themselves: a sound notebook, and the ways to spoil it.

def printed(text, name="stdout"):
    return {"output_type": "stream", "name": name, "text": [text]}


def shown(data):
    return {"output_type": "display_data", "metadata": {}, "data": data}


def raised(*traceback):
    return {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": list(traceback)}


def code(count, source, *outputs, tags=()):
    return {"cell_type": "code", "execution_count": count, "source": [source], "outputs": list(outputs),
            "metadata": {"tags": list(tags)} if tags else {}}


SOUND = {
    "metadata": {"kernelspec": {"name": "python3"}},
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["Files lie in /home/ somewhere."]},
        code(1, "print(1 / 2)", printed("0.5\n")),
        code(None, ""),
        code(2, "raise ValueError('no')", raised("ValueError: no"), tags=["raises-exception"]),
    ],
}


def picture(svg):
    return {"text/html": f'<img src="data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}">'}


def spoil(place=1, **changes):
    """A change of a notebook: these values, in one of its cells."""
    return lambda notebook: notebook["cells"][place].update(changes)


def spoil_metadata(**changes):
    return lambda notebook: notebook["metadata"].update(changes)


def add(cell):
    return lambda notebook: notebook["cells"].append(cell)


PATHS = ["/work/a.py", "/root/a.py", "/home/ann/a.py", "/Users/ann/a.py", r"C:\Users\ann\a.py", "~/a.py",
         "/tmp/ipykernel_12/345.py", "/opt/lib/site-packages/numpy"]
SPOILED = [
    (every_cell_was_run_in_order, "never run", spoil(execution_count=None)),
    (every_cell_was_run_in_order, "run twice", spoil(execution_count=3)),
    (every_cell_was_run_in_order, "one not run", add(code(None, "1"))),
    (no_error_without_a_tag, "untagged", add(code(3, "boom", raised()))),
    (an_expected_error_is_there, "nothing raised", spoil(3, outputs=[])),
    (nothing_on_stderr, "a warning", spoil(outputs=[printed("careful", "stderr")])),
    *[(no_path_of_a_machine, path, spoil(outputs=[printed(f"see {path}:3\n")])) for path in PATHS],
    (no_path_of_a_machine, "in a traceback", spoil(3, outputs=[raised("File \x1b[32m/root/a\x1b[39m:3")])),
    (no_path_of_a_machine, "in a value", spoil(outputs=[shown({"text/plain": "'/root/a'"})])),
    (no_path_of_a_machine, "in a picture", spoil(outputs=[shown(picture("<svg>/root/a</svg>"))])),
    (cells_have_numbers, "nameless", spoil(outputs=[printed("Line 4 of a cell reached it.\n")])),
    (no_colours_in_errors, "coloured", spoil(3, outputs=[raised("\x1b[31mValueError\x1b[39m: no")])),
    (no_state_of_widgets, "stored", spoil_metadata(widgets={})),
    (no_times_of_execution, "stored", spoil(metadata={"execution": {}})),
    (opens_with_the_usual_kernel, "another", spoil_metadata(kernelspec={"name": "my-own"})),
    (opens_with_the_usual_kernel, "none", spoil_metadata(kernelspec={})),
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_rule_accepts_a_sound_notebook(rule):
    assert rule(SOUND) == []


@pytest.mark.parametrize(("rule", "how", "change"), SPOILED,
                         ids=[f"{rule.__name__}-{how}" for rule, how, _ in SPOILED])
def test_rule_complains(rule, how, change):
    notebook = copy.deepcopy(SOUND)
    change(notebook)
    assert len(rule(notebook)) == 1


def test_every_rule_is_shown_to_complain():
    assert {rule for rule, _, _ in SPOILED} == set(RULES)
