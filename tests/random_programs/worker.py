"""Runs programs one after the other in this process: a job comes in on a line, its trace goes
out on a line."""
import _thread
import importlib
import json
import re
import signal
import sys
import threading
import warnings
from functools import partial

from .observe import message, observe, plain, tidy

SECONDS = 10         # a program that takes longer is stopped
GIVES_GRADIENTS = re.compile(r"((?:t\d+,? ?)+) = torch\.autograd\.grad\(")


class Stopped(BaseException):
    """Raised in a program that runs too long; no `except Exception` can catch it."""


def serve(module):
    """Read lines {"statements": [source, ...], "every": bool} and write a trace for each."""
    answers = sys.stdout
    sys.stdout = sys.stderr
    torch = load(module)
    signal.signal(signal.SIGINT, _stop)
    print(json.dumps({"ready": getattr(torch, "__version__", "?")}), file=answers, flush=True)
    for line in sys.stdin:
        job = json.loads(line)
        print(json.dumps(run(torch, job["statements"], job["every"]), separators=(",", ":")),
              file=answers,
              flush=True)


def load(module):
    torch = importlib.import_module(module)
    for part in ("utils.checkpoint", "autograd.functional", "optim"):
        importlib.import_module(f"{module}.{part}")
    if hasattr(torch, "set_num_threads"):
        torch.set_num_threads(1)
    if hasattr(torch, "set_warn_always"):        # also the warnings PyTorch gives once per process
        torch.set_warn_always(True)
    else:
        importlib.import_module(f"{module}.errors").given_warnings = Forgetful()
    return torch


class Forgetful(set):
    """Remembers nothing: so every warning is given again."""

    def add(self, message):
        pass


def run(torch, statements, every=True):
    """Return the trace: for each statement its error, its warnings and what changed in what can
    be seen."""
    namespace, seen, trace, gradients = {"torch": torch, "log": [],
                                         "show": partial(plain, torch)}, {}, [], []
    _reset(torch)
    clock = threading.Timer(SECONDS,
                            _thread.interrupt_main)        # not every system has signal.alarm
    clock.start()
    try:
        for number, source in enumerate(statements):
            step = _step(source, namespace)
            if tracks_integers(torch, namespace):
                step["tracks_integers"] = True
            returned = GIVES_GRADIENTS.search(source)
            if returned and "error" not in step:
                gradients += [namespace[name] for name in re.findall(r"t\d+", returned[1])
                              if namespace[name] is not None]
            if every or number == len(statements) - 1:
                now = observe(torch, namespace, gradients)
                step.update(_changes(seen, now))
                seen = now
            trace.append(step)
    except Stopped:
        trace.append({"error": f"stopped after {SECONDS} s"})
    finally:
        clock.cancel()
        namespace.clear()
        _reset(torch)
    return trace


def _changes(before, now):
    changed = {name: {field: value for field, value in fields.items()
                      if field not in before.get(name, ())
                      or repr(before[name][field]) != repr(value)}
               for name, fields in now.items()}
    changed = {name: fields for name, fields in changed.items() if fields}
    gone = [name for name in before if name not in now]
    return {key: value for key, value in (("changed", changed), ("gone", gone)) if value}


def _step(source, namespace):
    step = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(compile(source, "<program>", "exec"), namespace)
        except Exception as error:
            step["error"] = message(error)
    if caught:
        step["warnings"] = [f"{w.category.__name__}: {tidy(str(w.message))}" for w in caught]
    return step


def tracks_integers(torch, namespace):
    """Return whether a tensor requires a gradient that cannot have one."""
    return any([isinstance(value, torch.Tensor) and not value.is_floating_point()
                and value.requires_grad
                for value in namespace.values()])


def _reset(torch):
    torch.set_grad_enabled(True)
    torch.manual_seed(0)


def _stop(*_):
    raise Stopped


if __name__ == "__main__":
    serve(sys.argv[1])
