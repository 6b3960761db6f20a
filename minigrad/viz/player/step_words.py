"""What each operation does with a gradient, in words: `12.0 × 3.0 (saved other, b) = 36.0`.

A table for the common operations; all others say what came in and what went out. The words of a
rule are only used when its sum gives what was really sent: a hook may have changed it.
"""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ..graph.model import Op, Saved
from ..graph.symbols import stem_of
from .record import Grad


class Rule(NamedTuple):
    """Write `words` with the gradient {g} and saved slots; `sum` works on single numbers."""

    words: str
    sum: Callable[..., float] | None = None


SAME = Rule("{g}", lambda g: g)
NEGATIVE = Rule("−{g}", lambda g: -g)
TIMES_SELF = Rule("{g} × {self}", lambda g, self: g * self)
RULES: dict[str, tuple[Rule, ...]] = {  # by operation, one rule for each entry of next_functions
    "Add": (SAME, SAME),
    "Sub": (SAME, NEGATIVE),
    "Rsub": (NEGATIVE, SAME),
    "Mul": (Rule("{g} × {other}", lambda g, other: g * other), TIMES_SELF),
    "Div": (Rule("{g} ÷ {other}", lambda g, other: g / other),
            Rule("−{g} × {self} ÷ {other}²", lambda g, self, other: -g * self / other**2)),
    "Neg": (NEGATIVE,),
    "Pow": (Rule("{g} × {exponent} × {self} to the power ({exponent} − 1)",
                 lambda g, self, exponent: g * exponent * self ** (exponent - 1)),),
    "Exp": (Rule("{g} × {result}", lambda g, result: g * result),),
    "Log": (Rule("{g} ÷ {self}", lambda g, self: g / self),),
    "Sin": (Rule("{g} × cos of {self}", lambda g, self: g * math.cos(self)),),
    "Cos": (Rule("−{g} × sin of {self}", lambda g, self: -g * math.sin(self)),),
    "Tanh": (Rule("{g} × (1 − {result}²)", lambda g, result: g * (1 - result**2)),),
    "Sigmoid": (Rule("{g} × {result} × (1 − {result})", lambda g,
                     result: g * result * (1 - result)),),
    "Sqrt": (Rule("{g} ÷ (2 × {result})", lambda g, result: g / (2 * result)),),
    "Relu": (Rule("{g} where {result} is above 0, else 0", lambda g, result: g if result > 0
                  else 0.0),),
    "Sum": (Rule("{g} to every element"),),
    "Mean": (Rule("{g} ÷ {share} to every element", lambda g, share: g / share),),
    "Mm": (Rule("{g} @ {mat2} transposed"), Rule("{self} transposed @ {g}")),
    "Mv": (Rule("every product of {g} and {vec}"), Rule("{self} transposed @ {g}")),
    "Dot": (Rule("{g} × {tensor}", lambda g, tensor: g * tensor), TIMES_SELF),
    "Addmm": (SAME, Rule("{g} @ {mat2} transposed"), Rule("{mat1} transposed @ {g}")),
    **dict.fromkeys(("T", "Transpose"), (Rule("{g}, transposed"),)),
    **dict.fromkeys(("View", "UnsafeView", "Reshape", "Unsqueeze", "Squeeze"),
                    (Rule("{g}, in the old shape"),)),
    **dict.fromkeys(("Clone", "ToCopy"), (SAME,)),
}


def told(op: Op, entry: int, arrived: Grad, sent: Grad) -> str:
    """How `sent`, the message to one entry of next_functions, came from what arrived."""
    plain = f"{arrived.text} in, {sent.text} out"
    rules = RULES.get(stem_of(op.name), ())
    # the rules know of no factors
    if entry >= len(rules) or {"alpha", "beta"} & dict(op.settings).keys():
        return plain
    known = _known(op, arrived, sent)
    try:
        left = rules[entry].words.format_map({slot: words for slot, (words, _) in known.items()})
    except KeyError:  # a slot was empty or can't be read
        return plain
    if not _holds(rules[entry], known, sent):
        return plain
    # it was broadcast
    if rules[entry].sum is not None and math.prod(sent.shape) < math.prod(arrived.shape):
        left += f", added up to shape {sent.shape}"
    if sent.numbers is None:
        return f"{left}, {sent.text}"
    return f"{sent.text}, unchanged" if left == sent.text else f"{left} = {sent.text}"


def _known(op: Op, arrived: Grad, sent: Grad) -> dict[str, tuple[str, Any]]:
    """Everything that a rule may name: its words, and its numbers if they are known."""
    known: dict[str, tuple[str, Any]] = {slot: (words, _numbers(words))
                                         for slot, words in op.settings}
    for item in op.saved:
        known[item.slot] = (_saved(item), _numbers(item.tensor.values) if item.tensor else None)
    known["g"] = ("the gradient" if arrived.numbers is None else arrived.text, arrived.numbers)
    share = math.prod(sent.shape) / max(math.prod(arrived.shape), 1)
    known["share"] = (f"{share:g}", (share,))
    return known


def _saved(item: Saved) -> str:
    if item.tensor is None:
        return f"saved {item.slot}"
    values = " ".join(item.tensor.values.split())
    name = f", {item.tensor.name}" if item.tensor.name else ""
    return f"{values} (saved {item.slot}{name})" if values else f"the saved {item.slot}{name}"


def _numbers(words: str) -> tuple[float, ...] | None:
    try:
        return tuple(float(word.strip("[],")) for word in words.split()) or None
    except ValueError:
        return None


def _holds(rule: Rule, known: dict, sent: Grad) -> bool:
    """False only when the sum can be done and gives something else."""
    if rule.sum is None or sent.numbers is None:
        return True
    terms = [known[name][1] for name in rule.sum.__code__.co_varnames]
    if any(term is None or len(term) not in (1, len(sent.numbers)) for term in terms):
        return True
    try:
        right = [rule.sum(*(term[at % len(term)] for term in terms))
                 for at in range(len(sent.numbers))]
    except (ArithmeticError, ValueError, TypeError):  # 0 / 0 and the like; complex numbers
        return True
    # Saved numbers are known to four digits, as the picture shows them.
    return not any(abs(one - number) > 1e-6 + 5e-3 * abs(one)
                   for one, number in zip(right, sent.numbers))
