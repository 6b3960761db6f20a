"""The README's pictures are what the program in pictures/make.py draws today."""
import re
import runpy
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_pictures_are_current():
    made = runpy.run_path(str(ROOT / "pictures" / "make.py"))["made"]()
    shown = re.findall(r"\]\(pictures/(.*?)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert sorted(shown) == sorted(made)
    for name, svg in made.items():
        stored = (ROOT / "pictures" / name).read_text(encoding="utf-8")
        assert stored == svg, f"{name} is old: python pictures/make.py"
