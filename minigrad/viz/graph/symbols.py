"""Operations as people write them: + and @, and the shapes that broadcasting stretches."""
import re
from functools import cache

from .model import Graph, Input, Op

SYMBOLS = {
    "Add": "+", "Sub": "\N{MINUS SIGN}", "Mul": "\N{MULTIPLICATION SIGN}",
    "Div": "\N{DIVISION SIGN}",
    "Pow": "**", "Mm": "@", "Mv": "@", "Dot": "@", "Bmm": "@", "Neg": "\N{MINUS SIGN}( )",
    "T": "transpose",
}
# Operations that stretch their inputs to a common shape; the gradient is summed back on the way.
STRETCHES = {"Add", "Sub", "Rsub", "Mul", "Div", "Pow", "Maximum", "Minimum", "Where", "Atan2",
             "Lerp", "Addmm", "Addcmul", "Addcdiv"}


@cache
def symbol(name: str) -> str:
    """MulBackward0 -> the multiplication sign; LogSoftmaxBackward0 -> log_softmax."""
    stem = stem_of(name)
    return SYMBOLS.get(stem) or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", stem).lower()


@cache
def stem_of(name: str) -> str:
    """MulBackward0 -> Mul."""
    return re.sub(r"Backward\d*$", "", name)


def stretched(graph: Graph, op: Op, entry: Input) -> str:
    """What broadcasting does to an input: "(3,)->(2, 3)"."""
    if entry.op is None or not op.shapes or stem_of(op.name) not in STRETCHES:
        return ""
    shapes = graph.ops[entry.op].shapes
    before, after = (shapes[entry.output_nr] if entry.output_nr < len(shapes)
                     else None), op.shapes[0]
    if before is None or before == after or "Addmm" in op.name and entry is not op.inputs[0]:
        return ""
    return f"{before}\N{RIGHTWARDS ARROW}{after}"
