"""What the chapters of the book call, beside the package itself.

    import minigrad as torch
    from minigrad.book import *
    chapter(6)

These three lines open every chapter. All that follows them is PyTorch, except in cells that carry a tag:

    setup              the three lines above
    viz                a picture, made with `draw`
    aha                the picture of the chapter: the one that stands for its idea
    book               a cell that uses another helper, such as `expect_error`
    raises-exception   ends in a genuine error; a second tag, err-..., names it for the error clinic
    exercise           a stub for the learner to fill in
    solution           one way to fill it in, in a cell of its own; it runs, and nbgrader knows it
    predict            (text) a question to answer before the next cell is run
    instructor         (text) notes for whoever teaches the chapter
    A2, C4, E11 ...    the example of the study notes that this cell rebuilds

tests/test_parity.py runs each chapter a second time with PyTorch in the place of minigrad. Every cell
without the tag `setup`, `viz`, `aha` or `book` must then print the same, errors included; so must these
helpers, and a picture must read the same in words.
"""

from ..viz import draw
from .errors import expect_error
from .opening import chapter

__all__ = ["chapter", "draw", "expect_error"]
