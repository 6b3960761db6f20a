"""minigrad.viz is a tool of its own: no engine, a distribution, and a page beside other tools."""
import ast
import json
import os
import re
import runpy
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import minigrad
from tests import ROOT

VIZ = ROOT / "minigrad" / "viz"
MODULES = sorted(path.relative_to(VIZ) for path in VIZ.rglob("*.py"))
ALONE = """
import importlib, sys, types

class Blocked:
    def find_spec(self, name, path=None, target=None):
        first, _, rest = name.partition(".")
        if first in ("numpy", "torch") or first == "minigrad" and rest.partition(".")[0] != "viz":
            raise ImportError(f"{name} was asked for")

sys.meta_path.insert(0, Blocked())
sys.modules["minigrad"] = types.ModuleType("minigrad")  # as where minigrad/viz is installed alone
sys.modules["minigrad"].__path__ = [sys.argv[1]]
for name in sys.argv[2:]:
    importlib.import_module(name)
"""


def test_no_module_imports_the_engine():
    names = [".".join(("minigrad", "viz", *path.with_suffix("").parts)).removesuffix(".__init__")
             for path in MODULES]
    ran = subprocess.run([sys.executable, "-c", ALONE, str(ROOT / "minigrad"), *names], cwd="/",
                         capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_no_function_imports_the_engine():
    for path in MODULES:
        for node in ast.walk(ast.parse((VIZ / path).read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                assert node.level <= len(path.parts), (path, node.lineno)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                names = {getattr(node, "module", None), *(one.name for one in node.names)} - {None}
                assert not {name.partition(".")[0] for name in names} & {"minigrad", "numpy", "torch"}, path


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    hatchling = pytest.importorskip("hatchling.build", reason="pip install hatchling")
    folder, before = tmp_path_factory.mktemp("wheel"), Path.cwd()
    os.chdir(VIZ)
    try:
        name = hatchling.build_wheel(str(folder))
    finally:
        os.chdir(before)
    return zipfile.ZipFile(folder / name)


def test_the_wheel_holds_the_pictures_alone(wheel):
    named = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert named == {f"minigrad/viz/{path.as_posix()}" for path in MODULES} | {"minigrad/viz/py.typed"}
    about = next(name for name in wheel.namelist() if name.endswith("METADATA"))
    told = wheel.read(about).decode("utf-8")
    assert re.findall(r"^Requires-Dist: ([\w-]+)", told, re.MULTILINE) == ["graphviz-pure"]
    assert f"Version: {minigrad.__version__}\n" in told


def test_both_distributions_have_one_version_and_one_licence():
    about = (VIZ / "pyproject.toml").read_text(encoding="utf-8")
    assert f'\nversion = "{minigrad.__version__}" ' in about
    assert (VIZ / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_the_examples_show_the_same_on_pytorch():
    torch = pytest.importorskip("torch")
    documented = runpy.run_path(str(ROOT / "pictures" / "make.py"))["documented"]
    (page, pictures), (ours, drawn) = documented(torch), documented()
    assert page == ours
    assert {name: words(svg) for name, svg in pictures.items()} == {
        name: words(svg) for name, svg in drawn.items()}


def words(svg):
    return re.sub(r"mg[0-9a-f]{8}", "", "".join(re.findall(r"(?s)<desc.*?</desc>|<text.*?</text>", svg)))


def test_the_comparison_is_complete():
    folder = ROOT / "pictures" / "compare"
    made = json.loads((folder / "compare.json").read_text(encoding="utf-8"))
    rows = [one for model in made["models"] for one in model["tools"].values()]
    assert len(made["models"]) == 10
    assert len(rows) == 40
    assert {one["file"] for one in rows if "file" in one} == {path.name for path in folder.glob("*.svg")}
    assert all(one["letters"] >= 11 for model in made["models"]
               for tool, one in model["tools"].items() if tool == "minigrad.viz")
