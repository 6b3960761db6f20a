"""The rows of the notes: each has a cell and a verdict, and each box of a chapter has a row."""
import pytest

from minigrad.book.classroom.notes import VERDICTS
from minigrad.book.content import rows
from minigrad.book.content.chapters import CHAPTERS, notes
from tests.helpers.stored_chapters import FILES, load, source, tags

from .test_gallery import GALLERY


def test_there_are_47_rows_each_with_a_cell_and_a_verdict():
    assert len(rows.ROWS) == 47
    cells = rows.cells_of({**{number: load(number) for number in FILES}, "gallery": GALLERY})
    assert [row for row in rows.ROWS if not cells[row]] == []
    assert [row for row in rows.ROWS if not rows.judged(row)] == []


def test_a_row_that_a_note_judges_has_no_other_verdict():
    judged = {row for number in CHAPTERS for note in notes(number) for row in note.rows}
    assert judged == {row for row, (_, _, *own) in rows.ROWS.items() if not own}
    assert {own for _, _, *verdict in rows.ROWS.values() for own in verdict} <= {*VERDICTS, "asks"}


def boxes(number):
    """Yield each box of a chapter as (the rows that its cells show, the note that is judged below it).

    The cells of a box are those down to the next box, or to the next text below the verdict: a verdict may
    be asked for before the cell that tests the note.
    """
    shown, asked = None, ""
    for cell in load(number)["cells"]:
        if "✎ From the notes" in source(cell):
            if shown is not None:
                yield shown, asked
            shown, asked = set(), ""
        elif shown is not None and asked and cell["cell_type"] == "markdown":
            yield shown, asked
            shown, asked = None, ""
        elif shown is not None:
            shown |= tags(cell) & set(rows.ROWS)
            asked = source(cell)[7:-2] if "judge" in tags(cell) else asked
    if shown is not None:
        yield shown, asked


@pytest.mark.parametrize("number", FILES)
def test_every_box_has_a_row_and_every_note_a_cell_of_its_rows(number):
    wanted = {note.id: set(note.rows) for note in notes(number)}
    for shown, asked in boxes(number):
        assert shown, f"a box of chapter {number} has no program with the tag of a row"
        assert not asked or wanted[asked] and wanted[asked] <= shown, asked
