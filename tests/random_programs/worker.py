"""Runs programs one after the other in this process and answers with what was seen: a line in, a line out."""
import _thread
import importlib
import json
import re
import signal
import sys
import threading
import warnings

from .observe import message, observe, tidy

# Statements that name what a backward pass made.
GIVES_GRADIENTS = re.compile(r"= torch\.autograd\.grad\(|^g = \w+\.grad$")
SECONDS = 10         # a program that takes longer is stopped


class Stopped(BaseException):
    """Raised into a program that runs too long; no `except Exception` may swallow it."""


def serve(module):
    """Read {"statements": [source, ...], "every": bool} lines and write a trace for each."""
    answers = sys.stdout
    sys.stdout = sys.stderr
    torch = load(module)
    signal.signal(signal.SIGINT, _stop)
    print(json.dumps({"ready": getattr(torch, "__version__", "?")}), file=answers, flush=True)
    for line in sys.stdin:
        job = json.loads(line)
        print(json.dumps(run(torch, job["statements"], job.get("every", True)), separators=(",", ":")),
              file=answers, flush=True)


def load(module):
    torch = importlib.import_module(module)
    for part in ("utils.checkpoint", "autograd.functional", "optim"):
        try:
            importlib.import_module(f"{module}.{part}")
        except ImportError:
            pass
    if hasattr(torch, "set_num_threads"):
        torch.set_num_threads(1)
    if hasattr(torch, "set_warn_always"):        # also the warnings PyTorch gives once per process
        torch.set_warn_always(True)
    return torch


def run(torch, statements, every=True):
    """The trace: for each statement its error, its warnings and what changed in what can be seen."""
    namespace, seen, trace, gradients, uncounted = {"torch": torch, "log": []}, {}, [], [], []
    # Where tensors of inference mode are used outside it, what PyTorch's kernels write themselves is counted.
    counted = not any(["inference_mode" in source for source in statements])
    _reset(torch)
    clock = threading.Timer(SECONDS, _thread.interrupt_main)        # (not every system has signal.alarm)
    clock.start()
    try:
        for number, source in enumerate(statements):
            step = _step(source, namespace)
            if tracks_integers(torch, namespace):
                step["tracks_integers"] = True
            if GIVES_GRADIENTS.search(source) and "error" not in step:
                _start_counting(torch, namespace, source, gradients, uncounted)
            if every or number == len(statements) - 1:
                now = observe(torch, namespace, gradients, uncounted if counted else None)
                changed = {}
                for name in now:
                    before = seen.get(name, {})
                    fresh = {k: v for k,
                             v in now[name].items() if k not in before or repr(before[k]) != repr(v)}
                    if fresh:
                        changed[name] = fresh
                gone = [name for name in seen if name not in now]
                step.update({k: v for k, v in (("changed", changed), ("gone", gone)) if v})
                seen = now
            trace.append(step)
    except Stopped:
        trace.append({"error": f"stopped after {SECONDS} s"})
    finally:
        clock.cancel()
        namespace.clear()
        _reset(torch)
    return trace


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
    """Whether something requires a gradient that cannot have one."""
    return any([isinstance(value, torch.Tensor) and not value.is_floating_point() and value.requires_grad
                for value in namespace.values()])


def _start_counting(torch, namespace, source, gradients, uncounted):
    """Let the versions of new gradients be 0, and note them in `gradients`.

    Whether a module, for some formula, filled the memory by in-place calls, and whether it added two
    gradients in place because nobody else held one, are not facts about the program; nor is what a gradient
    is a view of.
    """
    names = [name.strip() for name in source.strip().split(" = ")[0].split("\n")[-1].split(",")]
    known = {value.untyped_storage().data_ptr() for name, value in namespace.items()
             if name not in names and isinstance(value, torch.Tensor)}
    for value in [namespace[name] for name in names if name]:
        if value is None or value.is_inference():
            continue
        gradients.append(value if value._base is None else value._base)
        if "create_graph=True" in source:       # a node may have saved it, with its version
            uncounted.append(gradients[-1])
            continue
        if value.numel() and value.untyped_storage().data_ptr() in known:
            continue
        if hasattr(torch, "_C"):
            torch._C._autograd._unsafe_set_version_counter((value,), (0,))
        else:
            value._get_counter().value = 0


def _reset(torch):
    torch.set_grad_enabled(True)
    torch.manual_seed(0)


def _stop(*_):
    raise Stopped
