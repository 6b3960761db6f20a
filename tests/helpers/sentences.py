"""What a chapter says: sentences that must stand in it, and sentences that must not.

    CHAPTER = Chapter(6)

    assert sentence not in CHAPTER                  # the test has just refuted this sentence

    @CHAPTER.says("A backward pass that fails may already have changed some drawers.")
    def test_...                                    # the test attacks this rule

Sentences are compared without Markdown's signs, without regard to case and line breaks. What a
chapter quotes, in order to judge it, is not what it says: the note of a box, and words between
quotation marks.
"""
from __future__ import annotations

import re

from minigrad.book.content.chapters import of
from tests.helpers.stored_chapters import load, texts

NOTE = re.compile(r"\*The note says:\*.*?(?=\*Run it:\*|\n>?\s*\n|\Z)", re.DOTALL)
RULE = re.compile(r"◆ Rule\*\*(.*)")
QUOTED = re.compile(r'"[^"\n]*"')


class Chapter:
    """What one chapter says to a learner, and the rules of it that tests attack."""

    def __init__(self, number, notebook=None):
        said = "\n\n".join(texts(notebook or load(number)))
        explained = "\n\n".join(question.explains for question in of(number).QUESTIONS)
        self.text = plain(QUOTED.sub(" ", NOTE.sub(" ", f"{said}\n\n{explained}")))
        self.rules = [plain(rule) for rule in RULE.findall(said)]
        self.number, self.attacked = number, []

    def __contains__(self, sentence):
        return plain(sentence).removesuffix(".") in self.text

    def says(self, *sentences):
        """Mark a test that attacks these sentences; test_sentences.py looks them up."""
        def mark(test):
            self.attacked.extend(sentences)
            return test
        return mark


def plain(text):
    """Return the text without Markdown's signs, in lower case, with single spaces."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)         # a link is its words
    text = re.sub(r"^\s*(> ?|#+ |[-*] )+", " ", text, flags=re.MULTILINE)
    text = re.sub(r"[*`]", "", text).replace("’", "'").replace("“", '"').replace("”", '"')
    return re.sub(r"\s+", " ", text).strip().lower()
