"""`watch()`: write down the lines of a program while it computes, and what its backward passes carry.

On PyTorch a TorchFunctionMode sees every call of an operation and every pass. On minigrad an observer is
called with each recorded node, and the functions that start a pass or a step are replaced for the time of the
watch. Neither library is imported here: what the program has not imported is not watched.
"""
from __future__ import annotations

from contextlib import ExitStack

from .here import here
from .on_minigrad import watch_minigrad
from .on_torch import watch_torch
from .run import Run


class watch(Run):
    """Watch what a program does, so that pictures and explanations can name its lines.

    It works on minigrad and on PyTorch, if imported before, for the thread that enters it. It changes no
    result, error or version, and leaves no hook behind. What it wrote down lives as long as the nodes and
    tensors concerned; it keeps none of them alive. On PyTorch it doesn't see what runs inside a backward
    pass: hooks, checkpointed functions, a custom backward.

    The price: a training step of a small MLP takes 4 to 7 times as long, one that is busy with large matrices
    less than twice; and PyTorch's TransformerEncoderLayer, in evaluation without gradients, doesn't take its
    fast path, so that the last digits may differ.

    Example:
        with watch() as seen:
            loss = model(x).sum()
            loss.backward()
        draw(loss, show="gradients")

    Yields:
        This object; `seen.passes` lists the lines of the backward passes.
    """

    def __enter__(self) -> watch:
        if not here.watches:
            here.stack = ExitStack()
            for attach in (watch_torch, watch_minigrad):
                here.stack.enter_context(attach())
        here.watches.append(self)
        return self

    def __exit__(self, *error: object) -> None:
        here.watches.remove(self)
        self.closes()
        if not here.watches:
            here.calls.clear()
            here.steps.clear()
            here.stack.close()


def attach() -> None:
    """Watch PyTorch from now on, if it was imported after the watch began."""
    if here.watches:
        here.stack.enter_context(watch_torch())
