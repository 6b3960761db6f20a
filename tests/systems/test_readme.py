"""The pictures of the pages are what the program in pictures/make.py draws today."""
import re
import runpy

from tests import ROOT

MAKE = runpy.run_path(str(ROOT / "pictures" / "make.py"))


def stored(name):
    return (ROOT / "pictures" / name).read_text(encoding="utf-8")


def test_the_pictures_are_current():
    made = MAKE["made"]()
    shown = re.findall(r"\]\(pictures/(.*?)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert sorted(shown) == sorted(made)
    for name, svg in made.items():
        assert stored(name) == svg, f"{name} is old: python pictures/make.py"


def test_the_examples_of_the_pictures_are_run():
    page, pictures = MAKE["documented"]()
    text = MAKE["PAGE"].read_text(encoding="utf-8")
    assert page == text, "minigrad/viz/README.md is old: python pictures/make.py"
    assert sorted(re.findall(r"\]\(../../pictures/(.*?)\)", text)) == sorted(pictures)
    assert {f"viz/{path.name}" for path in (ROOT / "pictures" / "viz").iterdir()} == set(pictures)
    for name, svg in pictures.items():
        assert stored(name) == svg, f"{name} is old: python pictures/make.py"
