"""What every chapter of the book keeps to: its order, its budgets, its tags.

Each rule is a function from a chapter (a number and a notebook) to a list of complaints. test_chapters.py
applies them all, and shows each to complain about a small chapter that breaks it.
"""
import re
from statistics import median

from minigrad.book.chapters import CHAPTERS, of
from minigrad.book.misconceptions import MISCONCEPTIONS

KNOWN_TAGS = {"setup", "viz", "aha", "widget", "book", "predict", "reveal", "exercise", "solution", "check",
              "raises-exception", "instructor"}
ID_TAGS = re.compile(r"err-[a-z-]+|claim-\d+|\d+[a-z]|[A-E]\d+")
CALLOUTS = ("▶ Predict", "◆ Rule", "⚠ Trap", "✎", "⌛ Old code")
WIDEST, LONGEST, MEDIAN_LINES, MOST_WORDS = 79, 15, 4, 90
FEWEST_CELLS, MOST_CELLS = 25, 45


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
    found += [] if f"⏱ {minutes} min" in first else [f"the first cell doesn't say '⏱ {minutes} min'"]
    good = tags(setup) == {"setup"} and source(setup) == want
    return found + ([] if good else ["the second cell is not the setup"])


def ends_as_all_chapters_do(number, notebook):
    last, before = notebook["cells"][-1], source(notebook["cells"][-2])
    found = [] if tags(last) == {"instructor"} else ["the last cell is not for the teacher"]
    found += [f"no {word!r} before it" for word in ("## Recap", "**Exit ticket.**") if word not in before]
    return found + ([] if "| belief |" in source(last) else ["the teacher's cell has no table of beliefs"])


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
    return [] if number == 0 or FEWEST_CELLS <= count <= MOST_CELLS else [
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
    least = {"predict": 3, "exercise": 3, "aha": 1, "widget": 1, "raises-exception": 1} if number else {
        "predict": 1, "exercise": 1}
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
    """Stub, solution and check of one exercise follow each other."""
    kinds = ("exercise", "solution", "check")
    want = [(kind, one.id) for one in of(number).EXERCISES for kind in kinds]
    found = [(kind, exercise_of(cell)) for cell in code_cells(notebook)
             for kind in kinds if kind in tags(cell)]
    return [] if found == want else [f"{found}, where the chapter has {want}"]


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
    """After a real error come the table that explains it and a cell that runs."""
    cells = notebook["cells"]
    found = []
    for at, cell in enumerate(cells):
        if "raises-exception" in tags(cell):
            found += [] if any(tag.startswith("err-") for tag in tags(cell)) else ["an error without a name"]
            after = source(cells[at + 1]) if at + 1 < len(cells) else ""
            found += [] if "| It says | It means | Fix" in after else ["an error without its table"]
    return found


def pictures_can_be_read(number, notebook):
    found = []
    for cell in code_cells(notebook, "viz") + code_cells(notebook, "aha"):
        data = [output["data"] for output in cell["outputs"] if "data" in output]
        if not any("image/svg+xml" in one and "Graph" in "".join(one.get("text/plain", "")) for one in data):
            found.append(f"no picture with its words: {source(cell)[:40]!r}")
    return found


def tags_are_known(number, notebook):
    return [f"an unknown tag {tag!r}" for cell in notebook["cells"] for tag in sorted(tags(cell))
            if tag not in KNOWN_TAGS and not ID_TAGS.fullmatch(tag)]


def callouts_are_known(number, notebook):
    """Five kinds, each with its sign and its word; a trap names the belief that it is."""
    found = []
    for text in texts(notebook):
        for mark in re.findall(r"^> \*\*(.+?)\*\*", text, re.MULTILINE):
            if not mark.startswith(CALLOUTS):
                found.append(f"an unknown callout {mark!r}")
        for trap in re.findall(r"^> \*\*⚠ Trap\*\*(.*(?:\n>.*)*)", text, re.MULTILINE):
            ids = re.findall(r"\bM\d\d\b", trap)
            if not ids or not set(ids) <= set(MISCONCEPTIONS):
                found.append(f"a trap without a belief: {trap[:50]!r}")
    return found


RULES = [opens_as_all_chapters_do, ends_as_all_chapters_do, headings_in_order, cells_within_budget,
         code_within_budget, words_within_budget, enough_to_do, questions_are_those_of_the_chapter,
         exercises_are_those_of_the_chapter, checks_are_right_and_reveals_are_silent, solutions_are_marked,
         an_error_is_read_out, pictures_can_be_read, tags_are_known, callouts_are_known]
