"""A sentence that a test refutes doesn't stand in its chapter. A rule that a test attacks does, and every
rule is attacked."""
import importlib

import pytest

from tests.helpers.sentences import Chapter, plain

CHAPTERS = [importlib.import_module(f"{__package__}.test_sentences_ch{number:02d}").CHAPTER
            for number in range(17)]
ATTACKED = [(chapter, sentence) for chapter in CHAPTERS for sentence in chapter.attacked]


@pytest.mark.parametrize("chapter, sentence", ATTACKED,
                         ids=[f"{one.number}-{said[:40]}" for one, said in ATTACKED])
def test_a_rule_that_is_attacked_stands_in_its_chapter(chapter, sentence):
    assert sentence in chapter, f"not in chapter {chapter.number}"


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda one: str(one.number))
def test_every_rule_of_a_chapter_is_attacked(chapter):
    tried = [plain(sentence).removesuffix(".") for sentence in chapter.attacked]
    assert [rule for rule in chapter.rules if not any(sentence in rule for sentence in tried)] == []


def chapter(*cells, tags=()):
    return Chapter(6, {"cells": [{"cell_type": "markdown", "source": cell, "metadata": {"tags": list(tags)}}
                                 for cell in cells]})


def test_a_sentence_is_found_whatever_its_signs_and_lines():
    said = chapter("## A title\n\nIt runs.\n> **◆ Rule** A pass\n> that *fails* changes `no`\n"
                   "> [drawer](x.md).\n")
    assert "A pass that fails changes no drawer." in said and "a pass that `fails` changes" in said
    assert "A pass that fails changes drawers." not in said


def test_what_a_chapter_quotes_is_not_what_it_says():
    said = chapter('> *The note says:* every tensor has a slope.\n>\n> *Run it:* the next cell.',
                   'Many say "a pass destroys the graph", which is false.',
                   '*The note says:* a step\nfills it. *Run it:* here.')
    assert "the next cell" in said and "which is false" in said and "here" in said
    for quoted in ("every tensor has a slope", "a pass destroys", "a step fills it"):
        assert quoted not in said


def test_what_only_teachers_read_is_left_out():
    assert "for teachers" not in chapter("for teachers", tags=["instructor"])
