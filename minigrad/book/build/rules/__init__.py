"""What every chapter of the book keeps to: its order, its words, its code, its outputs.

Each rule is a function from a chapter to findings, and a finding says what to change.
`python -m minigrad.book check 6` prints them; tests/book/test_chapters.py applies them all, and shows each
to complain about a small chapter that breaks it.
"""
from . import code, order, outputs, words
from .advice import ADVICE
from .chapter import Cell, Chapter, Finding, chapter_of

OF_TEXTS = (*order.RULES, *words.RULES, *code.RULES)     # these need no outputs
RULES = (*OF_TEXTS, *outputs.RULES)
