"""The package as somebody else installs it: complete, typed, and standing on NumPy and the pictures alone.

Run it from another folder, with the Python of an environment that holds `pip install ./minigrad/viz .` and
nothing else.
"""
import sys
from importlib.metadata import distributions
from pathlib import Path

others = {dist.metadata["Name"].lower() for dist in distributions()}
others -= {"minigrad-book", "minigrad-viz", "graphviz", "graphviz-pure", "numpy"}
others -= {"pip", "setuptools", "wheel"}
if others:
    sys.exit(f"check_package: it brought {sorted(others)} along")

import minigrad  # noqa: E402  (what is installed is looked at first)

home = Path(minigrad.__file__).parent
source = Path(__file__).resolve().parents[1] / "minigrad"
if source == home.resolve():
    sys.exit("check_package: this is the source, not the installed package")
files = [path.relative_to(source) for path in sorted(source.rglob("*")) if path.is_file()]
files = [path for path in files if path.parts[0] != "viz"]      # check_viz.py looks at these
missing = [str(path) for path in files if "__pycache__" not in path.parts and not (home / path).exists()]
if missing:
    sys.exit(f"check_package: not installed: {missing}")
if not (home / "py.typed").exists():
    sys.exit("check_package: py.typed is missing, so type checkers would not look at the hints")

known = set(sys.stdlib_module_names) | {"minigrad", "numpy", "__main__"}
known |= {"sitecustomize", "usercustomize"}        # a system's own, such as Debian's
strangers = {name.partition(".")[0] for name in sys.modules} - known
strangers = {name for name in strangers if not name.startswith("_")}
if strangers:
    sys.exit(f"check_package: `import minigrad` also imports {sorted(strangers)}")

x = minigrad.tensor([1.0, 2.0], requires_grad=True)
(x * x).sum().backward()
if x.grad.tolist() != [2.0, 4.0]:
    sys.exit(f"check_package: the gradient of the sum of squares at [1, 2] came out as {x.grad}")
print("check_package: complete, typed, and NumPy and the pictures are all it needs")
