"""What every chapter of the book keeps to: its order, its words, its code, its outputs.

Each rule is a function from a chapter to findings, and a finding says what to change.
`python -m minigrad.book check 6` prints them; tests/book/test_chapters.py applies them all, and shows each
to complain about a small chapter that breaks it.
"""
from . import code, order, outputs, words
from .advice import ADVICE, OF_THE_BOOK
from .chapter import Cell, Chapter, Finding, chapter_of

OF_TEXTS = (*order.RULES, *words.RULES, *code.RULES)     # these need no outputs
RULES = (*OF_TEXTS, *outputs.RULES)
OF_WHAT_IS_ASKED = (words.pictures_have_their_file, order.a_question_and_one_picture,
                    order.questions_are_those_of_the_chapter, order.notes_are_those_of_the_chapter,
                    order.what_is_right_can_be_computed, order.exercises_are_those_of_the_chapter,
                    order.beliefs_are_known, outputs.checks_are_right_and_reveals_are_silent,
                    outputs.keys_are_what_happens)
