"""Statements with one thing made wrong: a dimension, a type, a keyword, an argument too many."""
import re

from .kinds import kind
from .values import expression
from .writer import Expr

# What a person gets wrong more often comes more often.
NUMBERS = ("7", "7", "-7", "-7", "5", "None", "'a'", "1.5", "[0]", "(0, 1)", "torch.tensor(1)")
TENSORS = ("torch.ones(7)", "torch.ones(7)", "torch.ones(5, 5)", "torch.ones(2, 2, 2, 2)", "{}.long()",
           "{}.bool()", "{}.double()", "{}.half()", "{}[None]", "{}.sum()",
           "torch.tensor([])", "torch.tensor(2)", "torch.zeros(0, 3)", "None", "'a'", "3", "2.5", "[1, 2]",
           "{}.tolist()")
# (keywords that a function does not take are the parser's business, and tested with it)
EXTRA = (", dim=0)", ", dim=9)", ", keepdim=True)", ", dtype=torch.float64)")
FITTING = ("sum", "mean", "prod", "amax", "var", "cumsum", "softmax", "logsumexp")


@kind("mutant", 2)
def mutant(w):
    """An expression whose source was changed at one place."""
    source = expression(w, 1).src
    if ".unflatten(" in source:         # PyTorch's errors about it carry the stack of its C++ functions
        return None
    spots = {"number": list(re.finditer(r"(?<![\w.\]])\d+\b(?!\.)", source)),
             "tensor": list(re.finditer(r"\bt\d+\b", source))}
    roll = w.below(10)
    if roll < 4 and spots["number"]:
        source = _replace(w, source, spots["number"], NUMBERS)
    elif roll < 8 and spots["tensor"]:
        source = _replace(w, source, spots["tensor"], TENSORS)
    elif source.endswith(")") and source.split("(")[-2].split(".")[-1] in FITTING:
        source = (source[:-1] + w.one_of(EXTRA)).replace("(, ", "(")
    return f"{w.keep(Expr('', (1,), 'float32', False))} = {source}"


def _replace(w, source, spots, wrong):
    spot = w.one_of(spots)
    return source[:spot.start()] + w.one_of(wrong).replace("{}", spot.group()) + source[spot.end():]
