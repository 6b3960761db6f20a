"""What every chapter of the book keeps to: its order, its budgets, its tags.

Each rule is a function from a chapter (a number and a notebook) to a list of complaints. test_chapters.py
applies them all, and shows each to complain about a small chapter that breaks it.
"""
import json
import re
from statistics import median

from minigrad.book.chapters import CHAPTERS, exercise, of
from minigrad.book.engine.exercises import ENGINE_EXERCISES
from minigrad.book.misconceptions import MISCONCEPTIONS
from tests import ROOT

NOTEBOOKS = ROOT / "notebooks"
FILES = {int(path.name[:2]): path for path in sorted(NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))}
KNOWN_TAGS = {"setup", "viz", "aha", "widget", "book", "predict", "reveal", "exercise", "solution", "check",
              "raises-exception", "instructor"}
ID_TAGS = re.compile(r"err-[a-z-]+|claim-\d+|\d+[a-z]|[A-E]\d+|M\d\d")
CALLOUTS = ("▶ Predict", "◆ Rule", "⚠ Trap", "✎", "◀ Old code")
TELLS = {  # what answers a question, and may not stand before its comparison
    "0.1": "grad_fn=|a note of how", "1.1": r"1\.6278|a number close",
    "1.2": "takes over|fewer correct digits|[Tt]oo small", "1.3": "0 in row 0|changes nothing",
    "1.4": "(three|3|few) evaluations|between 2 and 3",
    "2.1": "added|adds to", "2.2": "keeps nothing|never stored|not stored|isn.t stored",
    "2.3": "overwrites|holds zeros", "3.1": "built earlier|while your lines",
    "3.2": "only if it ran|of its own|Each result",
    "3.3": "truth values|no operation was recorded|has no node",
    "4.1": r"16\.2|ten times|factor",
    "4.2": r"\b2[68]\b|runs once|twice\b.*early", "4.3": r"2ⁿ|\b1024\b|billion|doubl",
    "5.1": r"\[2, 3\]|second row is left",
    "5.2": r"losses\.sum|14\.65", "5.3": r"\[4, 0\.4|0\.02\b", "6.1": r"save[sd] its result",
    "6.2": r"half-filled|1\.22", "6.3": r"\[19|run again|nodes stay", "7.1": "keeps no gradient|both times",
    "7.2": "through a frozen", "7.3": "cannot be saved|read an inference",
    "8.1": "changed since|whose version|saved at version", "8.2": r"\b200\b|was not counted|reads the edited",
    "8.3": "old weight|product saved|a saved value",
    "9.1": r"0\.99|skips|left out|leaves out", "9.2": "to and fro|goes past|swing|spring|coincide",
    "9.3": r"0\.7944|their sum|sum of both",
    "10.1": r"evaluation mode|other numbers|still drops|eval\(\)` and",
    "10.2": "keeps? the (nodes|graph)|adds its nodes|freed", "10.3": r"[Rr]ight after `?(loss\.)?backward",
    "11.1": r"at most once|have been added|\b7\b", "11.2": r"order in which|\b40\b|\b160\b",
    "11.3": "one pass delivers|each pass delivers|not the sum", "11.4": "vanish|explode|factor of|0.411",
    "12.1": "[Ii]nfinit|∞|corner", "12.2": "receives a 0|receives the message 0|sends 0 to|0 times",
    "12.3": "after the ReLU|dead ReLU|moved: True",
    "13.1": "no graph|n.t recorded|element 0", "13.2": r"\b360\b|to the same drawer",
    "13.3": r"\[4, 2|v @ H|12\]", "13.4": "counts as a constant|no error is raised",
    "14.1": "at the numbers in|tries no others|nobody looked", "14.2": "stores none|stores no gradient",
    "14.3": "factors are equal|reach the drawer|1 of 14|13 mutants",
    "15.1": "is healthy|no line", "15.2": "nine times|too large",
    "15.3": r"\b14\b|earlier steps|nodes more",
    "16.1": "since 2018|no effect", "16.2": "favours|add up to 1"}
WIDEST, LONGEST, MEDIAN_LINES, MOST_WORDS = 79, 15, 4, 90
FEWEST_CELLS, MOST_CELLS = 25, 45
SHORT = (0, 16)  # the chapter before the first, and the appendix


def load(number):
    return json.loads(FILES[number].read_text(encoding="utf-8"))


def source(cell):
    return "".join(cell["source"])


def tags(cell):
    return set(cell["metadata"].get("tags", ()))


def code_cells(notebook, *wanted):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code" and source(cell).strip()
            and set(wanted) <= tags(cell)]


def texts(notebook, teacher=False):
    return [source(cell) for cell in notebook["cells"]
            if cell["cell_type"] == "markdown" and (teacher or "instructor" not in tags(cell))]


def printed(cell):
    return "".join("".join(output.get("text", "")) for output in cell["outputs"])


def opens_as_all_chapters_do(number, notebook):
    title, minutes = CHAPTERS[number]
    first, setup = source(notebook["cells"][0]), notebook["cells"][1]
    want = f"import minigrad as torch\nfrom minigrad.book import *\nchapter({number})"
    title = f"# {number} · {title}"
    found = [] if first.startswith(title + "\n") else [f"the title is not {title!r}"]
    found += [] if f"\n{minutes} minutes · " in first else [f"the first cell doesn't say '{minutes} minutes'"]
    good = tags(setup) == {"setup"} and source(setup) == want
    return found + ([] if good else ["the second cell is not the setup"])


def ends_as_all_chapters_do(number, notebook):
    last, before = notebook["cells"][-1], source(notebook["cells"][-2])
    found = [] if tags(last) == {"instructor"} else ["the last cell is not for the teacher"]
    found += [f"no {word!r} before it" for word in ("## Recap", "**Exit ticket.**") if word not in before]
    found += [f"there is no chapter {named}" for named in re.findall(r"chapters? (\d+)", before)
              if int(named) not in CHAPTERS]
    return found + [f"the teacher's cell has no {part}" for part in ("0–", "**Oral exam.**")
                    if part not in source(last)]


def notes_refer_to_what_is_there(number, notebook):
    """Not to letters of options, which are generated, nor to papers that a teacher doesn't have."""
    notes = re.findall(r"\|[^|\n]*\d+\.\d [A-D]\b|[A-Z]{3,}[A-Z ]*\b|\b[A-E]\d\b|false statement",
                       source(notebook["cells"][-1]))
    return [f"the teacher's cell speaks of {words!r}" for words in notes]


def nothing_answers_before_it_is_asked(number, notebook):
    """No text, caption or comment before a comparison says what is asked."""
    found, before = [], ""
    for cell in notebook["cells"]:
        if tags(cell) & {"solution", "instructor"}:
            continue
        if "reveal" in tags(cell):
            key = re.search(r'"([\d.]+)"', source(cell))[1]
            told = re.search(TELLS[key], before)
            found += [f"{told[0]!r} stands before the comparison of {key}"] if told else []
        before += source(cell) + "\n"
    return found


def captions_stand_by_their_picture(number, notebook):
    """Whoever writes a caption sees the picture: it is one of the two cells before."""
    found = []
    for at, cell in enumerate(notebook["cells"]):
        if "caption" in source(cell).casefold() and "> **✎" in source(cell):
            near = notebook["cells"][at - 2:at]
            found += [] if "**✎ Your caption**" in source(cell) and any(
                tags(one) & {"viz", "aha"} for one in near) else [f"no picture by {source(cell)[:40]!r}"]
    return found


def signs_are_in_every_font(number, notebook):
    """A sign that emoji fonts alone have is an empty box where there is none."""
    return [f"{sign!r} needs an emoji font" for text in texts(notebook, teacher=True)
            for sign in re.findall("[\u231a\u231b\u23e9-\u23f3\U0001f000-\U0001faff]", text)]


def shapes_are_explained_once(number, notebook):
    """A legend in the picture and a table below it would explain the same shapes in other words."""
    legend = any("legend=True" in source(cell) for cell in code_cells(notebook))
    return ["a legend and a table"] if legend and "| you see |" in "\n".join(texts(notebook)) else []


def headings_in_order(number, notebook):
    levels = [len(line.split()[0]) for text in texts(notebook, teacher=True)
              for line in text.splitlines() if re.match(r"#{1,6} ", line)]
    found = [] if levels.count(1) == 1 else [f"{levels.count(1)} headings of the first level"]
    return found + [f"a heading of level {b} after one of level {a}"
                    for a, b in zip(levels, levels[1:], strict=False) if b > a + 1]


def cells_within_budget(number, notebook):
    cells = [cell for cell in notebook["cells"]
             if not tags(cell) & {"predict", "reveal", "check", "solution", "instructor"}]
    count = len(cells)
    return [] if number in SHORT or FEWEST_CELLS <= count <= MOST_CELLS else [
        f"{count} cells, apart from predictions and solutions"]


def code_within_budget(number, notebook):
    lengths = [len(source(cell).splitlines()) for cell in code_cells(notebook)]
    found = [f"{length} lines in one cell" for length in lengths if length > LONGEST + 2]
    found += [f"{len(line)} columns: {line.strip()[:40]}" for cell in code_cells(notebook)
              for line in source(cell).splitlines() if len(line) > WIDEST]
    middle = median(len(source(cell).splitlines()) for cell in code_cells(notebook)
                    if "solution" not in tags(cell))
    return found + ([] if middle <= MEDIAN_LINES else [f"{middle} lines in the middle cell"])


def words_within_budget(number, notebook):
    return [f"{words(text)} words in the cell that begins {text[:40]!r}"
            for text in texts(notebook) if words(text) > MOST_WORDS]


def words(text):
    """Without tables, which are looked up rather than read."""
    lines = [line for line in text.splitlines() if not line.lstrip("> ").startswith("|")]
    return len(re.findall(r"\w[\w'’.]*", " ".join(lines)))


def enough_to_do(number, notebook):
    counts = {kind: len(code_cells(notebook, kind)) for kind in ("predict", "exercise", "aha", "widget")}
    counts["raises-exception"] = len(code_cells(notebook, "raises-exception"))
    least = {"predict": 3, "exercise": 3, "aha": 1}
    if 1 <= number <= 8:    # later on there is not always an error to raise, nor a lab that would help
        least |= {"widget": 1, "raises-exception": 1}
    if number in SHORT:
        least = {"predict": 1, "exercise": 1}
    found = [f"{counts[kind]} cells tagged {kind}, not {fewest}" for kind, fewest in least.items()
             if counts[kind] < fewest]
    return found + [f"{counts[kind]} cells tagged {kind}" for kind in ("aha", "raises-exception")
                    if counts[kind] > 1]


def questions_are_those_of_the_chapter(number, notebook):
    found = []
    want = [question.id for question in of(number).QUESTIONS]
    for kind in ("predict", "reveal"):
        asked = [re.match(rf'{kind}\("([\d.]+)"\)$', source(cell))
                 for cell in code_cells(notebook, "book", kind)]
        ids = [match and match[1] for match in asked]
        found += [] if ids == want else [f"{kind}: {ids}, where the chapter has {want}"]
    return found


def exercises_are_those_of_the_chapter(number, notebook):
    """Stub, solution and check of one exercise follow each other; the slice of the engine comes last."""
    kinds = ("exercise", "solution", "check")
    found = [(kind, exercise_of(cell)) for cell in code_cells(notebook)
             for kind in kinds if kind in tags(cell)]
    slices = [key for key in (f"{number}e",) if key in ENGINE_EXERCISES and ("exercise", key) in found]
    want = [(kind, key) for key in [*(one.id for one in of(number).EXERCISES), *slices] for kind in kinds]
    return [] if found == want else [f"{found}, where the chapter has {want}"]


def exercises_in(notebook):
    """The exercises with a stub in this notebook, its slice of the engine included."""
    return [exercise(exercise_of(cell)) for cell in code_cells(notebook, "exercise")]


def exercise_of(cell):
    """Which exercise a cell belongs to: by its tag, or by what it checks."""
    called = re.match(r'check\("(\w+)"', source(cell))
    return called[1] if called else next((tag for tag in tags(cell) if re.fullmatch(r"\d+[a-z]", tag)), None)


def checks_are_right_and_reveals_are_silent(number, notebook):
    return [f"{source(cell)} printed {printed(cell)!r}" for cell in code_cells(notebook, "check")
            if not printed(cell).startswith("✓")] + [
        f"{source(cell)} printed {printed(cell)!r}" for cell in code_cells(notebook, "reveal")
        if "no prediction yet" not in printed(cell)]


def solutions_are_marked(number, notebook):
    return [f"a solution without its marks: {source(cell)[:40]!r}"
            for cell in code_cells(notebook, "solution")
            if not source(cell).startswith("### BEGIN SOLUTION\n")
            or not source(cell).rstrip().endswith("### END SOLUTION")
            or not cell["metadata"].get("nbgrader", {}).get("solution")]


def an_error_is_read_out(number, notebook):
    """After a real error, and the comparison with what was predicted, comes the table that explains it."""
    cells = notebook["cells"]
    found = []
    for at, cell in enumerate(cells):
        if "raises-exception" in tags(cell):
            found += [] if any(tag.startswith("err-") for tag in tags(cell)) else ["an error without a name"]
            after = next((source(one) for one in cells[at + 1:] if "reveal" not in tags(one)), "")
            found += [] if "| It says | It means | Fix" in after else ["an error without its table"]
    return found


def pictures_can_be_read(number, notebook):
    found = []
    for cell in code_cells(notebook, "viz") + code_cells(notebook, "aha"):
        data = [output["data"] for output in cell["outputs"] if "data" in output]
        if not any(("image/svg+xml" in one
                    and re.search("Graph|Jacobian", "".join(one.get("text/plain", ""))))
                   or ' alt="' in "".join(one.get("text/html", "")) for one in data):
            found.append(f"no picture with its words: {source(cell)[:40]!r}")
    return found


def tags_are_known(number, notebook):
    return [f"an unknown tag {tag!r}" for cell in notebook["cells"] for tag in sorted(tags(cell))
            if tag not in KNOWN_TAGS and not ID_TAGS.fullmatch(tag)]


def callouts_are_known(number, notebook):
    """Five kinds, each with its sign and its word; a trap carries its belief in a tag, not in its words."""
    found = []
    for cell in notebook["cells"]:
        if cell["cell_type"] != "markdown" or "instructor" in tags(cell):
            continue
        for mark in re.findall(r"^> \*\*(.+?)\*\*", source(cell), re.MULTILINE):
            if not mark.startswith(CALLOUTS):
                found.append(f"an unknown callout {mark!r}")
        if "> **⚠ Trap**" in source(cell) and not tags(cell) & set(MISCONCEPTIONS):
            found.append(f"a trap without a belief: {source(cell)[:50]!r}")
        found += [f"{code} is a code that no learner knows"
                  for code in re.findall(r"\bM\d\d\b", source(cell))]
    return found


RULES = [opens_as_all_chapters_do, ends_as_all_chapters_do, notes_refer_to_what_is_there,
         nothing_answers_before_it_is_asked, captions_stand_by_their_picture, signs_are_in_every_font,
         shapes_are_explained_once, headings_in_order,
         cells_within_budget, code_within_budget, words_within_budget, enough_to_do,
         questions_are_those_of_the_chapter, exercises_are_those_of_the_chapter,
         checks_are_right_and_reveals_are_silent, solutions_are_marked, an_error_is_read_out,
         pictures_can_be_read, tags_are_known, callouts_are_known]
