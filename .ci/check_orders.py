"""The two distributions, installed and removed in every order: what is installed works, and nothing is left.

    python .ci/check_orders.py WHEELS PACKAGES

WHEELS is a folder with a wheel of each, PACKAGES one with what they need. This Python has the pip. Each order
begins in a fresh environment; the last ones are editable, from the sources.
"""
import subprocess
import sys
import sysconfig
import tempfile
import venv
from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = {"viz": ROOT / "minigrad" / "viz", "book": ROOT}
ORDERS = ["+viz +book -viz -book", "+viz +book -book -viz", "+book +viz -viz -book", "+book +viz -book -viz",
          "editable +viz +book -book +book"]
LOOK = """
import sys
from importlib.util import find_spec

wanted = sys.argv[1:]
found = [name for name, module in (("viz", "minigrad.viz"), ("book", "minigrad.tensor"))
         if find_spec("minigrad") and find_spec(module)]
assert found == wanted, f"{found} can be imported"
if "viz" in wanted:
    from minigrad.viz import diff, draw, explain, install, play, watch, why
    assert ("numpy" in sys.modules) is ("book" in wanted)
if "book" in wanted:
    import minigrad
    x = minigrad.ones(2, requires_grad=True)
    y = (x * x).sum()
    if "viz" in wanted:
        assert "MulBackward0" in draw(y).text
    y.backward()
    assert x.grad.tolist() == [2, 2]
"""


def main(wheels, packages):
    for order in ORDERS:
        with tempfile.TemporaryDirectory() as folder:
            check(order.split(), Path(folder), Path(wheels), Path(packages).resolve())
    print(f"check_orders: {len(ORDERS)} orders, and after each step both do what they should")


def check(order, folder, wheels, packages):
    venv.create(folder, with_pip=False)
    python = next(path for path in (folder / "bin/python", folder / "Scripts/python.exe") if path.exists())
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder)}))
    (site / "packages.pth").write_text(f"{packages}\n", encoding="utf-8")
    editable = order[0] == "editable"
    there = []
    for step in order[editable:]:
        sign, name = step[0], step[1:]
        if sign == "-":
            pip(python, "uninstall", "-y", f"minigrad-{name}")
            there.remove(name)
        else:
            what = ["-e", SOURCES[name]] if editable else [next(wheels.glob(f"minigrad_{name}-*.whl"))]
            pip(python, "install", "--no-deps", *what)
            there.append(name)
        look = [python, "-c", LOOK, *sorted(there, reverse=True)]
        seen = subprocess.run(look, cwd=folder, capture_output=True, encoding="utf-8")
        owned = [{str(dist.locate_file(path)) for path in dist.files}
                 for dist in distributions(path=[str(site)]) if dist.metadata["Name"].startswith("minigrad-")]
        if seen.returncode or len(owned) != len(there) or len(set().union(*owned)) < sum(map(len, owned)):
            sys.exit(f"check_orders: {' '.join(order)}: at {step}: {seen.stderr or 'both own a file'}")
    left = [path for path in site.rglob("minigrad*/**/*") if path.is_file()]
    if left and not there:
        sys.exit(f"check_orders: {' '.join(order)} left {left}")


def pip(python, *words):
    """Run the pip of this Python for another one."""
    subprocess.run([sys.executable, "-m", "pip", "--python", python, words[0], "-qq", *words[1:]], check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
