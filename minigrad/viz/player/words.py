"""What each operation does with a gradient, in words: `12.0 x 3.0 (saved other, b) = 36.0`.

A table for the common operations; all others say what came in and what went out. A rule has the words and
the sum itself. The words are only written down when the sum gives what was really sent, so a gradient that
somebody's hook changed is never explained by a formula that doesn't hold.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..model import Op, Saved
from .record import Grad

TIMES, DIVIDED, MINUS = "\N{MULTIPLICATION SIGN}", "\N{DIVISION SIGN}", "\N{MINUS SIGN}"


class Rule(NamedTuple):
    """`words` may name the gradient {g} and saved slots; `sum` works on single numbers (None: unchecked)."""

    words: str
    sum: Callable[..., float] | None = None


UNCHANGED = Rule("{g}", lambda g: g)
RULES: dict[str, tuple[Rule, ...]] = {  # by operation, one rule for each entry of next_functions
    "Add": (UNCHANGED, Rule("{g} {x} {alpha}", lambda g, alpha: g * alpha)),
    "Sub": (UNCHANGED, Rule("{-}{g} {x} {alpha}", lambda g, alpha: -g * alpha)),
    "Rsub": (Rule("{-}{g}", lambda g: -g), UNCHANGED),
    "Mul": (Rule("{g} {x} {other}", lambda g, other: g * other),
            Rule("{g} {x} {self}", lambda g, self: g * self)),
    "Div": (Rule("{g} {/} {other}", lambda g, other: g / other),
            Rule("{-}{g} {x} {self} {/} {other}\N{SUPERSCRIPT TWO}",
                 lambda g, self, other: -g * self / other**2)),
    "Neg": (Rule("{-}{g}", lambda g: -g),),
    "Pow": (Rule("{g} {x} {exponent} {x} {self} to the power ({exponent} {-} 1)",
                 lambda g, self, exponent: g * exponent * self ** (exponent - 1)),),
    "Exp": (Rule("{g} {x} {result}", lambda g, result: g * result),),
    "Log": (Rule("{g} {/} {self}", lambda g, self: g / self),),
    "Sin": (Rule("{g} {x} cos of {self}", lambda g, self: g * math.cos(self)),),
    "Cos": (Rule("{-}{g} {x} sin of {self}", lambda g, self: -g * math.sin(self)),),
    "Tanh": (Rule("{g} {x} (1 {-} {result}\N{SUPERSCRIPT TWO})", lambda g, result: g * (1 - result**2)),),
    "Sigmoid": (Rule("{g} {x} {result} {x} (1 {-} {result})", lambda g, result: g * result * (1 - result)),),
    "Sqrt": (Rule("{g} {/} (2 {x} {result})", lambda g, result: g / (2 * result)),),
    "Relu": (Rule("{g} where {result} is above 0, else 0", lambda g, result: g if result > 0 else 0.0),),
    "Abs": (Rule("{g} {x} the sign of {self}", lambda g, self: g * ((self > 0) - (self < 0))),),
    "Sum": (Rule("{g} to every element"),),
    "Mean": (Rule("{g} {/} {share} to every element", lambda g, share: g / share),),
    "Mm": (Rule("{g} @ {mat2} transposed"), Rule("{self} transposed @ {g}")),
    "Mv": (Rule("every product of {g} and {vec}"), Rule("{self} transposed @ {g}")),
    "Dot": (Rule("{g} {x} {tensor}", lambda g, tensor: g * tensor),
            Rule("{g} {x} {self}", lambda g, self: g * self)),
    "Addmm": (UNCHANGED, Rule("{g} @ {mat2} transposed"), Rule("{mat1} transposed @ {g}")),
    **dict.fromkeys(("T", "Transpose"), (Rule("{g}, transposed"),)),
    "Permute": (Rule("{g}, its dimensions put back in order"),),
    **dict.fromkeys(("View", "UnsafeView", "Reshape", "Unsqueeze", "Squeeze"),
                    (Rule("{g}, in the old shape"),)),
    "Expand": (Rule("{g}, added up over what was expanded"),),
    **dict.fromkeys(("Clone", "ToCopy"), (UNCHANGED,)),
}


def told(op: Op, entry: int, arrived: Grad, sent: Grad) -> str:
    """How `sent`, the message to one entry of next_functions, came from what arrived."""
    rules = RULES.get(re.sub(r"Backward\d*$", "", op.name), ())
    plain = f"{arrived.text} in, {sent.text} out"
    if entry >= len(rules):
        return plain
    rule = rules[entry]
    known = _known(op, arrived, sent)
    form = rule.words if "alpha" in dict(op.settings) else rule.words.replace(" {x} {alpha}", "")
    try:
        left = form.format_map({slot: words for slot, (words, _) in known.items()})
    except KeyError:  # a slot was empty or can't be read
        return plain
    if not _holds(rule, known, sent):
        return f"{plain} (not the usual {left}: a hook changed it)"
    if rule.sum is not None and math.prod(sent.shape) < math.prod(arrived.shape):  # it was broadcast
        left += f", added up to shape {sent.shape}"
    if sent.numbers is None:
        return f"{left}, {sent.text}"
    return f"{sent.text}, unchanged" if left == sent.text else f"{left} = {sent.text}"


Known = dict[str, tuple[str, "tuple[Any, ...] | None"]]


def _known(op: Op, arrived: Grad, sent: Grad) -> Known:
    """Everything that a rule may name: its words, and its numbers if they are known."""
    known: Known = {"x": (TIMES, None), "/": (DIVIDED, None), "-": (MINUS, None)}
    known["g"] = ("the gradient" if arrived.numbers is None else arrived.text, arrived.numbers)
    known["alpha"] = ("1", (1.0,))
    for slot, words in op.settings:
        known[slot] = (words, _numbers(words))
    for item in op.saved:
        known[item.slot] = (_saved(item), _numbers(item.tensor.values) if item.tensor else None)
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
        return tuple(float(word) for word in re.sub(r"[\[\],]", " ", words).split()) or None
    except ValueError:
        return None


def _holds(rule: Rule, known: Known, sent: Grad) -> bool:
    """False only when the sum can be done and gives something else."""
    if rule.sum is None or sent.numbers is None:
        return True
    names = rule.sum.__code__.co_varnames[:rule.sum.__code__.co_argcount]
    terms = [known[name][1] for name in names]
    count = len(sent.numbers)
    if any(term is None or len(term) not in (1, count) for term in terms):
        return True
    try:
        return all(_near(rule.sum, [term[at % len(term)] for term in terms], sent.numbers[at])
                   for at in range(count))
    except (ArithmeticError, ValueError, TypeError):  # 0 / 0 and the like; complex numbers
        return True


def _near(sum_: Callable[..., float], terms: list[float], sent: float) -> bool:
    """Saved numbers are known to four digits, as the picture shows them; doubt about the rest is allowed."""
    right = sum_(*terms)
    if isinstance(right, complex) or not math.isfinite(right + sent):
        return True
    doubt = 1e-6 + 5e-3 * abs(right)
    for at, term in enumerate(terms):
        doubt += abs(sum_(*terms[:at], term * (1 + 6e-4), *terms[at + 1:]) - right)
    return abs(right - sent) <= doubt


def total(messages: Sequence[Grad]) -> Grad | None:
    """The sum of small messages; None where the numbers are not known."""
    if not messages or any(message.numbers is None for message in messages):
        return None
    columns = zip(*(message.numbers for message in messages))
    return Grad(messages[0].shape, tuple(map(sum, columns)))
