"""What the chapters of the book call, beside the package itself.

    import minigrad as torch
    from minigrad.book import *
    chapter(6)

These three lines open every chapter. All that follows them is PyTorch, except in cells that carry a tag:

    setup              the three lines above
    viz                a picture, made with `draw`
    aha                the picture of the chapter: the one that stands for its idea (or with `picture`)
    widget             the player, or a lab of this chapter, opened with `play`
    book               a cell that uses another helper: `expect_error`, `predict`, `reveal`, `check` ...
    judge              (with book) a verdict on a note, which the learner chooses before it is shown
    predict, reveal    (with book) a question before the next cell is run, and the comparison after it
    exercise, 6a       a stub for the learner to fill in
    solution, 6a       one way to fill it in, in its own cell, known to nbgrader; learners' pages don't run it
    check              (with book) the comparison of an answer with what the engine says
    raises-exception   ends in a genuine error; a second tag, err-..., names it for the error clinic.
                       A made notebook has it also where a learner may slip: at an exercise and its check
    claim-4            a statement from known material that is false, with the cell that shows it
    instructor         (text) notes for whoever teaches the chapter
    hide-input         its code is folded away, for it would tell the answer
    M17                (text) the false belief that a trap answers; `misconceptions.py` has its words
    A2, C4, E11 ...    the example of the study notes that this cell rebuilds

tests/book/test_parity.py runs each chapter a second time with PyTorch in the place of minigrad. Every cell
without the tag `setup`, `viz`, `aha`, `widget` or `book` must then print the same, errors included; so must
these helpers, and a picture must read the same in words.
"""
import io
import sys

from .. import viz  # errors are offered an explanation as they are raised
from .late import Late

HOMES = {    # a module of classroom/, and what chapters call of it
    "contents": "contents",
    "curves": "curves show_figure",
    "digits": "digits",
    "doctor": "doctor",
    "engine": "engine",
    "engine.attacking": "attack run_tests train_mutants zoo",
    "engine.broken": "broken_copy",
    "engine.places_in_minigrad": "engine_map",
    "engine.two_columns": "side_by_side",
    "engine.written": "is_written",
    "exercises": "check",
    "expected_errors": "expect_error expect_warning",
    "fit": "draw_bend draw_loss draw_points",
    "graph_size": "count_nodes saved_bytes",
    "graphs": "draw",
    "helping": "hint solution",
    "images": "show_images",
    "labs": "picture play",
    "labs.jacobian": "draw_rows",
    "layer_pictures": "draw_layers",
    "measurements": "again distinct drawers moved nudge overfit reaches shapes versions",
    "notes": "judge",
    "nudges_and_messages": "draw_messages draw_nudges",
    "opening": "chapter",
    "optimizers": "same_steps",
    "patients": "patient",
    "points": "bent_points points",
    "questions": "predict reveal",
    "shared_memory": "draw_memory",
    "tensor_table": "tensor_table",
    "training": "training",
}
LATE = {name: Late(f"{__name__}.classroom.{home}", name) for home, names in HOMES.items()
        for name in names.split()}
LATE |= {name: Late("minigrad.viz", name) for name in ("diff", "explain", "watch", "why")}
globals().update(LATE)
__all__ = sorted(LATE)  # noqa: PLE0605

if isinstance(sys.stdout, io.TextIOWrapper):  # on Windows, a file or a pipe may know no mark such as ✓
    sys.stdout.reconfigure(errors="replace")
