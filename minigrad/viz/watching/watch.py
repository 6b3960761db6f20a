"""`watch()`: write down what a program does while it computes, and what its backward passes carry.

On PyTorch a TorchFunctionMode sees every call of an operation and every pass. On minigrad an
observer is called with each recorded node, and the functions that start a pass or a step are
replaced for the time of the watch. Neither library is imported here: what the program has not
imported is not watched.
"""
from __future__ import annotations

from contextlib import ExitStack
from traceback import walk_tb
from types import TracebackType

from .here import everywhere, here
from .on_minigrad import watch_minigrad
from .on_torch import watch_torch
from .passes import watched_pass
from .run import Run
from .write_records import ended_with


class watch(Run):
    """Watch what a program does: its lines, its passes and steps and, of given models, their calls.

    Pictures and explanations then name lines, and `show="gradients"` shows what passed. With a
    model the result is a page about the run: what was found, the modules, a table of the
    parameters, and the autograd graph of each module.

    It works on minigrad and on PyTorch, if imported before, for the thread that enters it, and for
    the backward passes of threads that don't watch. It changes no result, error or version, and
    leaves no hook behind. What it wrote down lives as long as the nodes and tensors concerned; it
    keeps none of them alive. On PyTorch it doesn't see what runs inside a backward pass, such as
    hooks and a custom backward, except for calls of modules.

    The price: a loop of steps of a small MLP takes 11 times as long, and 18 times with its
    model; a step of a small GPT of 27 ms takes 2.6 times as long. An optimizer's step needs a copy
    of its parameters while it runs, but for those of more than a million numbers: how far such a
    one moves is estimated from every k-th number. PyTorch's TransformerEncoderLayer, in evaluation
    without gradients, doesn't take its fast path, so that the last digits may differ.

    Example:
        with watch(model, optimizer) as run:
            loss = loss_of(model(x), y)
            loss.backward()
            optimizer.step()
        run  # in a notebook; else print(run), or run.save("step.html")
        run["encoder.0"]  # the autograd graph of a module
        draw(loss, show="gradients")

    Args:
        models: a model, a list of models, or a dict of them by name; without a dict the names are
            those of the program's variables.
        optimizers: in the same form. They are found without it, too; it gives them names.

    Yields:
        The run, which is this object; `run.passes` lists the lines of the backward passes,
        `run.calls` the calls of modules, `run.steps` the steps of optimizers. `run.over_steps` has
        the norms of each step, at most 128 of each kind:
        `list(run.over_steps.parameters["model.0.weight"].lines["gradient"])` is (step, norm) pairs.

    Raises:
        TypeError: something is given that is no model, or no optimizer.
    """

    def __enter__(self) -> watch:
        if not here.watches:
            here.stack = ExitStack()
            here.switched = None
            here.seen.clear()  # a cell that runs again is looked at as it was the first time
            for attach in (watch_torch, watch_minigrad):
                here.stack.enter_context(attach())
        here.watches.append(self)
        everywhere.append(self)
        return self

    def __exit__(self, kind: object = None, error: BaseException | None = None,
                 trace: TracebackType | None = None) -> None:
        here.watches.remove(self)
        everywhere.remove(self)
        self.error = ended_with(error)
        if error is not None and self.error:
            self.error += "; ask explain(error) why" * bool(self.cause_of(error))
            if any(frame.f_code is watched_pass.__code__ for frame, _ in walk_tb(trace)):
                self.failed.pop()  # it is told as the error that ended the watch
        self.closes()
        if not here.watches:
            here.calls.clear()
            here.steps.clear()
            here.stack.close()


def attach() -> None:
    """Watch PyTorch from now on, if it was imported after the watch began."""
    if here.watches:
        here.stack.enter_context(watch_torch())
