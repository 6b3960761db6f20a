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

from ..viz import diff, explain, watch, why
from .classroom.contents import contents
from .classroom.curves import curves
from .classroom.digits import digits
from .classroom.doctor import doctor
from .classroom.engine import engine
from .classroom.engine.attacking import attack, run_tests, train_mutants, zoo
from .classroom.engine.broken import broken_copy
from .classroom.engine.two_columns import side_by_side
from .classroom.engine.walk import engine_map
from .classroom.engine.written import is_written
from .classroom.errors import expect_error, expect_warning
from .classroom.exercises import check, hint, solution
from .classroom.fit import draw_bend, draw_loss, draw_points
from .classroom.graphs import draw
from .classroom.images import show_images
from .classroom.labs import picture, play
from .classroom.labs.jacobian import draw_rows
from .classroom.layer_pictures import draw_layers
from .classroom.measurements import again, distinct, drawers, moved, nudge, overfit, reaches, shapes, versions
from .classroom.memory import count_nodes, saved_bytes
from .classroom.notes import judge
from .classroom.nudges_and_messages import draw_messages, draw_nudges
from .classroom.opening import chapter
from .classroom.optimizers import same_steps
from .classroom.patients import patient
from .classroom.points import bent_points, points
from .classroom.questions import predict, reveal
from .classroom.shared_memory import draw_memory
from .classroom.tensor_table import tensor_table
from .classroom.training import training

__all__ = ["again", "attack", "bent_points", "broken_copy", "chapter", "check", "contents", "count_nodes",
           "curves", "diff", "digits", "distinct", "doctor", "draw", "draw_bend", "draw_layers", "draw_loss",
           "draw_memory", "draw_messages", "draw_nudges", "draw_points", "draw_rows", "drawers", "engine",
           "engine_map", "expect_error", "expect_warning", "explain", "hint", "is_written", "judge", "moved",
           "nudge", "overfit", "patient", "picture", "play", "points", "predict", "reaches", "reveal",
           "run_tests", "same_steps", "saved_bytes", "shapes", "show_images", "side_by_side", "solution",
           "tensor_table", "train_mutants", "training", "versions", "watch", "why", "zoo"]

if isinstance(sys.stdout, io.TextIOWrapper):  # on Windows, a file or a pipe may know no mark such as ✓
    sys.stdout.reconfigure(errors="replace")
