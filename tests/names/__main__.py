"""Ask an installed PyTorch for its public names."""
from __future__ import annotations

import warnings
from importlib import import_module
from types import ModuleType

from tests import ROOT

FILE = ROOT / "minigrad" / "more" / "pytorch_names.txt"
OWNERS = """torch torch.Tensor torch.autograd torch.autograd.functional torch.autograd.graph torch.cuda
    torch.nn torch.nn.Module torch.nn.functional torch.nn.init torch.nn.utils torch.optim
    torch.optim.lr_scheduler torch.utils torch.utils.data""".split()


def names_of(owner):
    """Return the public names of a module or class, without what it imports from elsewhere."""
    return [name for name in dir(owner) if not name.startswith("_")
            and is_of_pytorch(getattr(owner, name, None))]


def is_of_pytorch(value):
    if isinstance(value, ModuleType):
        return value.__name__.startswith("torch.")
    home = getattr(value, "__module__", None) or "torch"
    return home.startswith(("torch", "builtins"))


def main():
    import torch

    warnings.simplefilter("ignore")
    assert torch.__version__.startswith("2.13.0")
    lines = []
    for path in OWNERS:
        package, _, last = path.rpartition(".")
        owner = (getattr(import_module(package), last) if last in ("Tensor", "Module")
                 else import_module(path))
        lines.append(f"{path}: {' '.join(names_of(owner))}\n")
    FILE.write_text("".join(lines), encoding="utf-8", newline="\n")
    print(f"{sum(len(line.split()) - 1 for line in lines)} names, {FILE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
