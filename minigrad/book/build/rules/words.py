"""What the texts of a chapter may say, and where."""
from __future__ import annotations

import re
from collections.abc import Iterator

from ...classroom.helping import NOTEBOOKS
from ...content.chapters import place
from ...content.misconceptions import MISCONCEPTIONS
from ..counting import words
from .chapter import Chapter, Finding

CALLOUTS = ("▶ Predict", "◆ Rule", "⚠ Trap", "✎", "◀ Old code")
MOST_WORDS = 90
A_SCREEN = 25       # lines of the text, about what is seen below a comparison
A_LONG_WAY = 10**6  # from a question to its comparison, however far
NOT_FOR_NOTES = re.compile(
    r"\|[^|\n]*\d+\.\d [A-D]\b|[A-Z]{3,}[A-Z ]*\b|\b[A-E]\d\b|false statement")
IMAGE = re.compile(r"!\[([^\]]*)\]\(([^)]+)\)")
FOLD = re.compile(r"<details>.*?</details>", re.DOTALL)
EMOJI = re.compile("[\u231a\u231b\u23e9-\u23f3\U0001f000-\U0001faff]")


def line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position)


def nothing_answers_before_it_is_asked(chapter: Chapter) -> Iterator[Finding]:
    """No text, caption or comment before a comparison says what is asked, in the words of `told`."""
    before = []
    for cell in chapter.cells:
        if cell.tags & {"solution", "instructor"}:
            continue
        asked = chapter.asked(cell) if cell.tags & {"reveal", "judge"} else None
        for earlier in before if asked and asked.told else ():
            if found := re.search(asked.told, earlier.text):
                yield Finding(f"{found[0]!r} stands before the comparison of {asked.id}, which asks for it",
                              f"move it below {cell.text}, or say something else", earlier,
                              line_of(earlier.text, found.start()))
                break
        before.append(cell)


def nothing_open_answers_below_a_question(chapter: Chapter) -> Iterator[Finding]:
    """What a learner sees with a question doesn't answer it: from there to a screen below its reveal.

    The screen ends at the next question. The words may be in a fold, or in what `reveal` and `judge` say.
    """
    screens: dict[str, int] = {}    # of each open question: how many lines are left of the screen
    for cell in chapter.cells:
        asked = chapter.asked(cell) if cell.tags & {"predict", "reveal", "judge"} else None
        if asked and "predict" in cell.tags:
            screens = {asked.id: A_LONG_WAY}
        elif asked:
            screens[asked.id] = A_SCREEN
        if cell.tags & {"solution", "instructor"}:
            continue
        shown = FOLD.sub(lambda fold: "\n" * fold[0].count("\n"), cell.text)
        for one in (*chapter.questions, *chapter.notes):
            left = screens.get(one.id, 0)
            seen = "\n".join(shown.splitlines()[:left])
            if found := re.search(one.told, seen) if one.told else None:
                yield Finding(f"{found[0]!r} answers {one.id}, and stands open on its screen",
                              f"move it into what {one.id} `explains`, into a fold, or a screen further down",
                              cell, line_of(shown, found.start()))
        if asked is None:
            lines = len(shown.splitlines())
            screens = {key: left - lines for key, left in screens.items() if left > lines}
        if "**✎ What happened" in shown:
            yield Finding("a verdict stands open in the text",
                          "make a Note in the chapter's module, and a cell [book, judge]", cell)


def no_cell_expects_what_is_asked(chapter: Chapter) -> Iterator[Finding]:
    """Where an option says that there is an error or a warning, the cell below the question runs bare."""
    for name, pattern in (("expect_error", r"error|raises"), ("expect_warning", r"warn")):
        asked = None
        for cell in chapter.cells:
            if "predict" in cell.tags:
                asked = chapter.asked(cell)
            elif "reveal" in cell.tags:
                asked = None
            elif asked and name in cell.text and any(
                    re.search(pattern, option.text, re.IGNORECASE) for option in asked.options):
                yield Finding(f"`{name}` stands between question {asked.id} and its reveal, and answers it",
                              "run the line bare, in a cell of its own with the tag raises-exception", cell)


def every_question_has_the_words_that_would_answer_it(chapter: Chapter) -> Iterator[Finding]:
    for question in (*chapter.questions, *chapter.notes):
        if not question.told:
            yield Finding(f"question {question.id} has no `told`",
                          'add told=r"one phrase|another": the words that would answer it, which may not '
                          "stand before its comparison", question=question.id)
    for question in (one for one in chapter.questions if one.told):
        right = question.option(question.right)
        if not re.search(question.told, f"{right.text} {right.says} {question.explains}"):
            yield Finding(f"the `told` of question {question.id} is in neither its right option nor what is "
                          "said of it", "has a number changed there?", question=question.id)


def notes_refer_to_what_is_there(chapter: Chapter) -> Iterator[Finding]:
    """Not to letters of options, which are generated, nor to papers that a teacher doesn't have."""
    last = chapter.cells[-1]
    for found in NOT_FOR_NOTES.finditer(last.text):
        yield Finding(f"the teacher's cell speaks of {found[0]!r}",
                      "leave out letters of options, codes, and papers that a teacher doesn't have", last,
                      line_of(last.text, found.start()))


def captions_stand_by_their_picture(chapter: Chapter) -> Iterator[Finding]:
    """Whoever writes a caption sees the picture: it is one of the two cells before."""
    for at, cell in enumerate(chapter.cells):
        if "caption" not in cell.text.casefold() or "> **✎" not in cell.text:
            continue
        if "**✎ Your caption**" not in cell.text:
            yield Finding("a caption is asked for in another form", "begin with '> **✎ Your caption**'", cell)
        elif not any(near.tags & {"viz", "aha"} for near in chapter.cells[at - 2:at]):
            yield Finding("a caption is asked for, and there is no picture by it",
                          "put it right below a cell with the tag viz or aha", cell)


def pictures_have_their_file(chapter: Chapter) -> Iterator[Finding]:
    """A picture that a text names is beside the chapters."""
    for cell in chapter.prose(teacher=True):
        for found in IMAGE.finditer(cell.text):
            file = found[2].split()[0]
            if ":" not in file and not (NOTEBOOKS / file).exists():
                yield Finding(f"the picture {file} isn't there",
                              f"put it at notebooks/{file}, or draw it in a cell with the tag viz", cell,
                              line_of(cell.text, found.start()))


def signs_are_in_every_font(chapter: Chapter) -> Iterator[Finding]:
    """A sign that emoji fonts alone have is an empty box where there is none."""
    for cell in chapter.prose(teacher=True):
        for found in EMOJI.finditer(cell.text):
            yield Finding(f"{found[0]!r} needs an emoji font", "write a word", cell,
                          line_of(cell.text, found.start()))


def shapes_are_explained_once(chapter: Chapter) -> Iterator[Finding]:
    """A legend in the picture and a table below it would explain the same shapes in other words."""
    legend = any("legend=True" in cell.text for cell in chapter.code())
    for cell in chapter.prose() if legend else ():
        if "| you see |" in cell.text:
            yield Finding("a picture has a legend, and this table explains the same shapes",
                          "leave out one of the two", cell)


def words_within_budget(chapter: Chapter) -> Iterator[Finding]:
    for cell in chapter.prose():
        if words(cell.text) > MOST_WORDS:
            yield Finding(f"{words(cell.text)} words in one text",
                          f"{MOST_WORDS} at most: leave something out, or put a line with +++ between two "
                          "thoughts", cell)


def callouts_are_known(chapter: Chapter) -> Iterator[Finding]:
    """Five kinds, each with its sign and its word; a trap carries its belief in a tag, not in its words."""
    for cell in chapter.prose():
        for mark in re.findall(r"^> \*\*(.+?)\*\*", cell.text, re.MULTILINE):
            if not mark.startswith(CALLOUTS):
                yield Finding(f"an unknown callout {mark!r}", f"there are {', '.join(CALLOUTS)}", cell)
        if "> **⚠ Trap**" in cell.text and not cell.tags & set(MISCONCEPTIONS):
            yield Finding("a trap without the belief that it answers",
                          'put `+++ {"tags": ["M12"]}` before it, with an id of misconceptions.py', cell)
        for code in re.findall(r"\bM\d{2,3}\b", cell.text):
            yield Finding(f"{code} is a code that no learner knows", "quote the belief, or leave it out",
                          cell)


def ideas_are_defined(chapter: Chapter) -> Iterator[Finding]:
    """Each new idea is a term, which the chapter defines in bold."""
    said = "\n".join(cell.text for cell in chapter.prose())
    for idea in chapter.ideas:
        if f"**{idea}" not in said:
            yield Finding(f"the idea {idea!r} is nowhere in bold",
                          f"define it where it is first used, as **{idea}**, or take it out of IDEAS in "
                          f"{place(chapter.number)}")


def the_right_option_does_not_stand_out(chapter: Chapter) -> Iterator[Finding]:
    """It is not the shortest, nor the longest, of the options in more than half of the questions."""
    asked = chapter.questions
    for kind, chosen in ("shortest", min), ("longest", max):
        hits = [one.id for one in asked if chosen(one.options, key=lambda option: len(option.text)).right]
        if len(asked) > 1 and len(hits) > (len(asked) + 1) // 2:
            yield Finding(f"the right option is the {kind} in {', '.join(hits)}",
                          "give the options about the same length, in at least one of them", question=hits[0])


RULES = (nothing_answers_before_it_is_asked, nothing_open_answers_below_a_question,
         no_cell_expects_what_is_asked,
         every_question_has_the_words_that_would_answer_it, notes_refer_to_what_is_there,
         captions_stand_by_their_picture, pictures_have_their_file, signs_are_in_every_font,
         shapes_are_explained_once, words_within_budget, callouts_are_known, ideas_are_defined,
         the_right_option_does_not_stand_out)
