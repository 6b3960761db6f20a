"""What a mode object does inside itself, after its block, and as a decorator."""
from __future__ import annotations

import re
import threading
import warnings

from . import error_of


def _modes(torch):
    graph = torch.autograd.graph

    def hooks():
        return graph.saved_tensors_hooks(lambda t: t, lambda t: t)

    return {
        "no_grad": torch.no_grad,
        "enable_grad": torch.enable_grad,
        "set_grad_enabled(False)": lambda: torch.set_grad_enabled(False),
        "set_grad_enabled(True)": lambda: torch.set_grad_enabled(True),
        "inference_mode()": torch.inference_mode,
        "inference_mode(False)": lambda: torch.inference_mode(False),
        "detect_anomaly": torch.autograd.detect_anomaly,
        "set_detect_anomaly(True)": lambda: torch.autograd.set_detect_anomaly(True),
        "set_detect_anomaly(False)": lambda: torch.autograd.set_detect_anomaly(False),
        "saved_tensors_hooks": hooks,
        "save_on_cpu": graph.save_on_cpu,
        "disable_saved_tensors_hooks": lambda: graph.disable_saved_tensors_hooks("disabled"),
        "allow_mutation_on_saved_tensors": graph.allow_mutation_on_saved_tensors,
    }


def _state(torch):
    """Return what is switched on, as words."""
    words = []
    if torch.is_grad_enabled():
        words.append("grad")
    if torch.is_inference_mode_enabled():
        words.append("inference")
        return " ".join(words)
    with torch.enable_grad():
        x = torch.ones(1, requires_grad=True)
        if "traceback_" in (x * 1).grad_fn.metadata:
            words.append("anomaly")
        y = x * 1
        result = (y * y).sum()
    with torch.no_grad():
        y.add_(1)       # hooks keep no version, so that the pass does not refuse the write
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")     # anomaly mode would show the lines of the program
        refusal = error_of(result.backward)
    if "inplace operation" not in refusal:
        words.append("saved by hooks")
    if error_of(lambda: _enter_hooks(torch)) == "RuntimeError: disabled":
        words.append("hooks disabled")
    return " ".join(words)


def _enter_hooks(torch):
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        pass


def _in_thread(function):
    """Return what a function returns in a new thread, whose switches are as at the start."""
    found = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


def _trace(torch, make, depth, start):
    """Return the state after each step into blocks of one object, and out of them."""
    states = []

    def nest(mode, left):
        with mode:
            states.append(_state(torch))
            if left > 1:
                nest(mode, left - 1)
                states.append(_state(torch))

    def run():
        torch.set_grad_enabled(start)
        mode = make()
        states.append(_state(torch))
        for _ in range(2):      # one object for two blocks, one after the other
            try:
                nest(mode, depth)
            except Exception as error:
                states.append(type(error).__name__)     # the text is that of this version of Python
            states.append(_state(torch))
        return states

    try:
        return _in_thread(run)
    finally:
        torch.autograd.set_detect_anomaly(False)


def nested_in_itself(torch):
    return {f"{name}, {depth} deep, recording {start}": _trace(torch, make, depth, start)
            for name, make in _modes(torch).items()
            for depth in (1, 2, 3) for start in (True, False)}


def one_object_of_two_kinds_of_use(torch):
    """Use an object as a decorator while its own block is open."""
    mode = torch.no_grad()

    @mode
    def called():
        return torch.is_grad_enabled()

    with mode:
        inside = called(), torch.is_grad_enabled()
    return inside, called(), torch.is_grad_enabled()


def set_grad_enabled_kept_and_used_later(torch):
    def run():
        kept = torch.set_grad_enabled(False)
        torch.set_grad_enabled(True)
        states = [torch.is_grad_enabled()]
        with kept:
            states.append(torch.is_grad_enabled())
        return [*states, torch.is_grad_enabled()]
    return _in_thread(run)


def what_with_binds(torch):
    bound = {}
    for name, make in _modes(torch).items():
        if name == "allow_mutation_on_saved_tensors":
            continue        # PyTorch binds a private object
        with make() as value:
            bound[name] = value is None
        torch.set_grad_enabled(True)
        torch.autograd.set_detect_anomaly(False)
    return bound


def printed(torch):
    def text(mode):
        return re.sub("0x[0-9a-f]+|minigrad|torch", "...", repr(mode))
    try:
        return [text(torch.set_grad_enabled(False)), str(torch.set_grad_enabled(mode=True)),
                text(torch.autograd.set_detect_anomaly(False)), text(torch.autograd.detect_anomaly())]
    finally:
        torch.set_grad_enabled(True)
        torch.autograd.set_detect_anomaly(False)


def decorated_class(torch):
    results = []
    for decorate in (torch.no_grad, torch.no_grad(), torch.enable_grad(), torch.inference_mode()):
        @decorate
        class Model:
            def __init__(self, size):
                self.size, self.seen = size, _state(torch)

        model = Model(size=3)
        results.append([type(model).__name__, model.size, model.seen, isinstance(Model, type)])
    return results


def switched_by_no_bool(torch):
    def result(call):
        text = error_of(call)
        torch.set_grad_enabled(True)
        torch.autograd.set_detect_anomaly(False)
        return text
    return [result(lambda switch=switch, value=value: switch(value))
            for switch in (torch.set_grad_enabled, torch.autograd.set_detect_anomaly)
            for value in (1, "no", None, 0.5, torch.tensor(True))]
