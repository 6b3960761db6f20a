"""The pictures as a user of PyTorch installs them: `minigrad/viz` alone, without minigrad's engine.

Run it from another folder, with the Python of an environment that holds `pip install ./minigrad/viz`. With
PyTorch beside it, every public function is called on PyTorch's tensors; without, they are only imported.
"""
import sys
from importlib.metadata import distributions
from importlib.util import find_spec
from pathlib import Path


def need(true, complaint):
    if not true:
        sys.exit(f"check_viz: {complaint}")


if not find_spec("torch"):
    others = {name for dist in distributions() if (name := dist.metadata["Name"].lower()) not in
              ("minigrad-viz", "graphviz", "graphviz-pure", "pip", "setuptools", "wheel")}
    need(not others, f"it brought {sorted(others)} along")

from minigrad import viz  # noqa: E402  (what is installed is looked at first)

home, source = Path(viz.__file__).parent, Path(__file__).resolve().parents[1] / "minigrad/viz"
need(home.resolve() != source, "this is the source, not the installed package")
installed, wanted = ({path.relative_to(folder).as_posix() for path in folder.rglob("*.py")} | {"py.typed"}
                     for folder in (home, source))
wanted = {name for name in wanted if not name.startswith("packaging/")}
need(installed == wanted, f"installed and source differ in {sorted(installed ^ wanted)}")
need((home / "py.typed").exists(), "py.typed is missing, so type checkers would not look at the hints")
need([path.name for path in home.parent.iterdir() if path.name != "__pycache__"] == ["viz"],
     "something else of minigrad was installed")
loaded = {name for name in sys.modules if name.partition(".")[0] in ("minigrad", "numpy", "torch")}
need(all(name == "minigrad" or name.startswith("minigrad.viz") for name in loaded),
     f"`import minigrad.viz` also imports {sorted(loaded)}")
if not find_spec("torch"):
    print("check_viz: the pictures alone, without an engine and without NumPy")
    sys.exit()

import torch  # noqa: E402

w = torch.tensor([0.5, -1.0], requires_grad=True)
x = torch.tensor([1.0, 2.0])
with viz.watch():
    h = w * x
    target = h.detach()
    loss = ((torch.tanh(h) - target) ** 2).sum()
    drawn = viz.draw(loss, show="places")
    need("tensor loss" in drawn.text and "TanhBackward0" in drawn.text, f"draw shows {drawn.text}")
    need("check_viz.py:" in drawn.text, f"watch found no line: {drawn.text}")
    need("detach()" in drawn.text, f"draw shows no cut: {drawn.text}")
    need(drawn.svg.startswith("<svg") and len(viz.play(loss).svgs) > 5, "no picture")
try:
    loss.backward()
except RuntimeError as error:
    told = viz.explain(error)
    need("check_viz.py" in told.text and told.fixes, f"explain says {told.text}")
changed = viz.diff((w * w).sum(), (w ** 2).sum())
need("PowBackward0" in changed.text, f"diff shows {changed.text}")
told = viz.why(torch.ones(2, requires_grad=True))
need("None" in told.text, f"why says {told.text}")
viz.install()()
engine = [name for name in sys.modules if name.startswith("minigrad.") and "minigrad.viz" not in name]
need(not engine, f"{engine} were imported")
print(f"check_viz: every function works on PyTorch {torch.__version__}, without an engine")
