"""The pictures of the pages are what the program in pictures/make.py draws today."""
import re
import runpy

import pytest

import minigrad
from tests import ROOT
from tests.helpers.stored_chapters import words_without_others

MAKE = runpy.run_path(str(ROOT / "pictures" / "make.py"))


def stored(name):
    return (ROOT / "pictures" / name).read_text(encoding="utf-8")


def test_the_pictures_are_current():
    made = MAKE["made"]()
    shown = re.findall(r"\]\(pictures/(.*?)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert sorted(shown) == sorted(made)
    for name, svg in made.items():
        assert stored(name) == svg, f"{name} is old: python pictures/make.py"


def test_the_first_program_ends_in_the_error_that_is_printed_below_it():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    printed = re.search(r"```text\nRuntimeError: (.*?) \.\.\.\n```", text, re.DOTALL)[1]
    with pytest.raises(RuntimeError) as caught:
        exec(MAKE["FIRST"].search(text)["code"], {})
    assert str(caught.value).startswith(" ".join(printed.split()))


def test_the_readme_is_short():
    assert len(words_without_others((ROOT / "README.md").read_text(encoding="utf-8"))) <= 800


def test_the_version_is_one():
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    named = re.search(r"^version: (.+)$", cited, re.MULTILINE)[1]
    newest = re.search(r"^## ([\d.]+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)[1]
    assert named == newest == minigrad.__version__


def test_the_examples_of_the_pictures_are_run():
    page, pictures = MAKE["documented"]()
    text = MAKE["PAGE"].read_text(encoding="utf-8")
    assert page == text, "minigrad/viz/README.md is old: python pictures/make.py"
    assert sorted(re.findall(r"\]\(../../pictures/(.*?)\)", text)) == sorted(pictures)
    assert {f"viz/{path.name}" for path in (ROOT / "pictures" / "viz").iterdir()} == set(pictures)
    for name, svg in pictures.items():
        assert stored(name) == svg, f"{name} is old: python pictures/make.py"


def test_the_findings_are_listed_in_order():
    page = (ROOT / "findings" / "README.md").read_text(encoding="utf-8")
    listed = [re.findall(r"^\* \[(.*?)\]\((.*?)\): ", topic, re.MULTILINE)
              for topic in page.split("\n## ")[1:]]
    assert all(topic and topic == sorted(topic) for topic in listed)
    names = [name for topic in listed for name, target in topic if name == target]
    assert sorted(names) == sorted(path.name for path in (ROOT / "findings").glob("*.sh"))
