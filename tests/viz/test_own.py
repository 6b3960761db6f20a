"""minigrad.viz is a tool of its own: no engine, a distribution, and a page beside other tools."""
import ast
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import zipfile

import pytest

import minigrad
from minigrad.book.build.address import REPOSITORY
from tests import ROOT

VIZ = ROOT / "minigrad" / "viz"
MODULES = sorted(path for path in (found.relative_to(VIZ) for found in VIZ.rglob("*.py"))
                 if path.parts[0] != "packaging")
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
def built(tmp_path_factory):
    """Return a function that builds the wheel of a folder and returns its files and its metadata."""
    hatchling = pytest.importorskip("hatchling.build", reason="pip install hatchling")

    def build(source, monkeypatch, address=""):
        folder = tmp_path_factory.mktemp("wheel")
        monkeypatch.setenv("MINIGRAD_REPOSITORY", address)
        monkeypatch.chdir(source)
        wheel = zipfile.ZipFile(folder / hatchling.build_wheel(str(folder)))
        about = next(name for name in wheel.namelist() if name.endswith("METADATA"))
        files = {name for name in wheel.namelist() if ".dist-info/" not in name}
        return files, wheel.read(about).decode("utf-8")
    return build


def needs(about):
    return sorted(re.findall(r"^Requires-Dist: ([^;\n]+)$", about, re.MULTILINE))


def test_no_file_belongs_to_two_distributions(built, monkeypatch):
    pictures, about = built(VIZ, monkeypatch)
    assert pictures == {f"minigrad/viz/{path.as_posix()}" for path in MODULES} | {"minigrad/viz/py.typed"}
    assert needs(about) == ["graphviz-pure==0.2.2"]
    version = f"Version: {minigrad.__version__}\n"
    assert version in about
    book, about = built(ROOT, monkeypatch)
    assert "minigrad/__init__.py" in book
    assert not [name for name in book if name.startswith("minigrad/viz/") or not name.startswith("minigrad/")]
    assert needs(about) == [f"minigrad-viz=={minigrad.__version__}", "numpy>=2.0"]
    assert version in about


@pytest.mark.parametrize("folder", [VIZ, ROOT], ids=["minigrad-viz", "minigrad-book"])
def test_the_page_of_the_package_index_needs_no_file_of_the_repository(built, monkeypatch, folder):
    text = (folder / "README.md").read_text(encoding="utf-8")
    pictures = len(re.findall(r"!\[", text))
    if not REPOSITORY:
        _, about = built(folder, monkeypatch)
        assert not re.findall(r"\]\((?!https:|#)", about)
        assert about.count("*Picture: ") == pictures
        assert "Project-URL: " not in about
    address = "https://github.com/Some-One/minigrad"
    _, about = built(folder, monkeypatch, address)
    assert f"Project-URL: Source, {address}\n" in about
    assert not re.findall(r"\]\((?!https:|#)", about)
    drawn = re.findall(rf"!\[[^]]+\]\({address}/raw/main/([^)]+)\)", about)
    assert len(drawn) == pictures
    assert all((ROOT / path).exists() for path in drawn)
    assert ("git+https://..." in text) == (f'"git+{address}#subdirectory=minigrad/viz"' in about)


def test_both_distributions_have_one_version_and_one_licence():
    about = (VIZ / "pyproject.toml").read_text(encoding="utf-8")
    assert f'\nversion = "{minigrad.__version__}" ' in about
    assert f'"minigrad-viz=={minigrad.__version__}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert (VIZ / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_the_pictures_are_found_in_another_folder(tmp_path):
    """As where one distribution is installed for all users, and the other for one."""
    shutil.copytree(VIZ, tmp_path / "pictures" / "minigrad" / "viz")
    shutil.copytree(ROOT / "minigrad", tmp_path / "engine" / "minigrad", ignore=shutil.ignore_patterns("viz"))
    for first, second in (("pictures", "engine"), ("engine", "pictures")):
        ran = subprocess.run([sys.executable, "-c", APART], cwd=tmp_path, capture_output=True, text=True,
                             env={**os.environ, "PYTHONPATH": os.pathsep.join([first, second])})
        assert ran.stdout == "MulBackward0\n", ran.stderr


APART = """
import minigrad as torch
from minigrad.viz import draw
x = torch.ones(2, requires_grad=True)
print("MulBackward0" * ("MulBackward0" in draw(x * x).text))
"""


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
