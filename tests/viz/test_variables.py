"""draw, play, diff and explain read the caller's variables, and no variable can make them fail.

Each hostile thing below is a variable of a program whose graph has nothing to do with it.
"""
from __future__ import annotations

import importlib
import importlib.util
import linecache
import re
import weakref

import pytest

from minigrad.viz import diff, draw, explain, play
from minigrad.viz.drawing import render

BACKENDS = ["minigrad"] + ["torch"] * (importlib.util.find_spec("torch") is not None)
HAS_PICTURES = render.dot_program().exists()
EVERYTHING = "versions memory places settings"
CALLS = {"draw": "draw(loss)", "draw, maths": f"draw(loss, view='maths', show='{EVERYTHING}')",
         "play": "play(loss)", "diff": "diff(loss, other)",
         "explain": "explain(a)", "explain, constant": "explain(c)", "explain, error": "explain(error)"}

PROGRAM = """
class Box: pass
box = Box()
w = torch.tensor([1.0, 2.0], requires_grad=True)
a = torch.tensor([2.0, 3.0], requires_grad=True)
c = torch.tensor([1.0, 5.0])
box.part = a * 2
d = box.part.detach()
loss = (a * c * d).sum()
other = (a * a).sum()
freed = (a * a).sum()
freed.backward()
try:
    freed.backward()
except RuntimeError as raised:
    error = raised
"""


class Anything:
    """Answers every question about it with something."""

    def __getattr__(self, name):
        return Anything()

    def __eq__(self, other):
        return Anything()

    __hash__ = None

    def __bool__(self):
        raise ValueError("neither true nor false")


class Refusing:
    """Refuses every question."""

    def __getattribute__(self, name):
        raise RuntimeError(f"no {name}")

    def __eq__(self, other):
        raise RuntimeError("no ==")

    __hash__ = None

    def __len__(self):
        raise RuntimeError("no len")

    def __iter__(self):
        raise RuntimeError("no iter")

    def __repr__(self):
        raise RuntimeError("no repr")


class RefusingType(type):
    def __getattribute__(cls, name):
        raise RuntimeError(f"no {name}")


class OfARefusingType(metaclass=RefusingType):
    pass


class LikeATensor:
    """Has the names of a tensor, and not one of them answers."""

    @property
    def grad_fn(self):
        raise ValueError("no grad_fn")

    is_leaf = requires_grad = shape = dtype = grad = _version = grad_fn


class HalfATensor(LikeATensor):
    grad_fn, requires_grad, is_leaf = None, True, True


class LikeAModel:
    def named_parameters(self):
        yield "w", LikeATensor()
        yield 3, HalfATensor()
        raise RuntimeError("no more")


class Key(str):
    def __repr__(self):
        raise RuntimeError("no repr")


class LikeAModule(dict):
    """A model whose parameters have the names of the keys."""

    def named_parameters(self):
        return self.items()


def moody(torch):
    """A tensor of a subclass that answers nothing."""
    class Moody(torch.Tensor):
        def __getattribute__(self, name):
            raise RuntimeError(f"no {name}")

        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            raise RuntimeError("not today")

    return torch.ones(2).as_subclass(Moody) if hasattr(torch.Tensor, "as_subclass") else LikeATensor()


def dead_proxy():
    return weakref.proxy(Anything())


def circle():
    held = []
    held.append(held)
    return held


STALE = {  # programs that leave something behind that PyTorch refuses to let anybody look at
    "parts": "p, q = w\nwith torch.no_grad():\n    w -= 0.1",
    "rows": "rows = w * 1\nfor i, row in enumerate(rows):\n    rows[i] = w[i] * i",
    "chunks": "parts = list((w * 1).chunk(2))\nwith torch.no_grad():\n    w *= 2\n"
              "m = w * 1\nhalves = m.split(1)\nm += 1",
    "inference": "with torch.inference_mode():\n    t = a * 2",
    "a half-built model": "class M(torch.nn.Module):\n    def __init__(self):\n        pass\nm = M()",
    "a part of the formula": "p, q = w\nloss = (a * p.detach().clone() * 2).sum()\n"
                             "with torch.no_grad():\n    w -= 0.1",
    "a part that was cut off": "p, q = w * 1\nk = p.detach().clone()\nloss = (a * k).sum()\n"
                               "with torch.no_grad():\n    w -= 0.1\nn = w * 1\np, q = n\nn += 1",
}
def kinds_of_pytorch(torch, own):
    if torch.__name__ != "torch":
        return {}
    return {"lazy": torch.nn.LazyLinear(2), "meta": torch.ones(2, device="meta", requires_grad=True),
            "sparse": torch.ones(2, 2, requires_grad=True).to_sparse()}


WORDS = ["\x00\x1b[31m", "a\nb", "\ud800", "<b>&\"'", "x" * 5000, "`", "\u202egrad", "{}%s\\N"]
THINGS = {  # variables, made by a function of the backend and of the program's own variables
    "anything": lambda torch, own: {"x": Anything(), "xs": [Anything()], "box": Anything()},
    "refuses": lambda torch, own: {"x": Refusing(), "xs": [Refusing()], "box": Refusing()},
    "its type refuses": lambda torch, own: {"T": OfARefusingType, "box": type.__call__(OfARefusingType)},
    "like a tensor": lambda torch, own: {"x": LikeATensor(), "xs": [LikeATensor()], "box": LikeATensor()},
    "half a tensor": lambda torch, own: {"x": HalfATensor(), "xs": (HalfATensor(),)},
    "like a model": lambda torch, own: {"model": LikeAModel()},
    "moody": lambda torch, own: {"x": moody(torch), "xs": [moody(torch)], "box": moody(torch)},
    "kinds of PyTorch": kinds_of_pytorch,
    "dead": lambda torch, own: {"x": dead_proxy(), "box": dead_proxy()},
    "circle": lambda torch, own: {"x": circle(), "box": circle()},
    "modules": lambda torch, own: {"importlib": importlib, "self": weakref},
    "keys": lambda torch, own: {"x": {Key("k"): own["d"], 3: own["d"]}},
    "no names": lambda torch, own: {3: own["d"], None: 1, (): 2},
    "__name__": lambda torch, own: {"__name__": None},
    "words": lambda torch, own: dict.fromkeys(WORDS, own["d"]),
    "words as keys": lambda torch, own: {"x": dict.fromkeys(WORDS, own.pop("d")), "y": {WORDS[0]: own["c"]}},
    "words in a model": lambda torch, own: {"x": LikeAModule.fromkeys(WORDS, own.pop("d"))},
    "a long word": lambda torch, own: {"d" * 5000: own.pop("d")},
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("hostile", [*STALE, *THINGS])
@pytest.mark.parametrize("backend", BACKENDS)
def test_no_variable_makes_them_fail(backend, hostile, call):
    torch = importlib.import_module(backend)
    own = {"__name__": "__main__", "torch": torch}
    parts = [PROGRAM, STALE.get(hostile, ""), CALLS[call]]
    file = f"{hostile} {call}.py"
    linecache.cache[file] = (1, None, "\n".join(parts).splitlines(keepends=True), file)
    exec(compile(PROGRAM, file, "exec"), own)
    exec(compile(parts[1], file, "exec"), own)
    own.update(THINGS[hostile](torch, own) if hostile in THINGS else {})
    shown = eval(compile(CALLS[call], file, "eval"),
                 {**own, "draw": draw, "play": play, "diff": diff, "explain": explain})
    said = repr(shown)
    assert re.search(r"\bc," if call == "explain, constant" else r"\b(a,|a\.grad|of a\b)", said)
    assert "No explanation" not in said
    assert "d" * 100 not in said
    assert said.replace("\n", "").isprintable()
    if "word" in hostile and HAS_PICTURES:
        assert shown._repr_mimebundle_()["text/html"].encode()
