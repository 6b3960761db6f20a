"""The lines that registered hooks on tensors while they were watched."""
from typing import Any

from ..graph.records import Line, note, record_of
from ..graph.walk import is_accumulate
from .here import WhileAlive, here, measured
from .records import line_here

_hooks: WhileAlive[Line] = WhileAlive()  # by leaf


@measured
def note_hook(tensor: Any) -> None:
    """A hook was registered on a tensor."""
    line = line_here()
    if here.watches and line is not None:
        if tensor.grad_fn is None:
            _hooks.set(tensor, line)
        else:
            note(tensor.grad_fn, hooked=line)


def hook_line(node: Any) -> Line | None:
    """The line that registered a hook on what a node made, or on its leaf; None if none did."""
    return _hooks.get(node.variable) if is_accumulate(node) else record_of(node).get("hooked")
