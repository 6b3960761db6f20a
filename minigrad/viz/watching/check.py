"""`python -m minigrad.viz check train.py`: run a script as it is, and write a page about its steps.

The script runs as `__main__`, with its own arguments and folder; what it prints, its errors and its
exit code are its own. Models are found when they are called, optimizers when they step. After some
steps the script is stopped. What the check itself has to say goes to the error output.
"""
from __future__ import annotations

import argparse
import io
import sys
import time
import traceback
from collections import Counter
from importlib.abc import MetaPathFinder
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from ..graph.modules import inner_modules
from ..program.given import optimizers_in
from ..program.names import _in_frames, _models
from ..program.program_text import Entered
from .calls import Model, own, register
from .events import Step
from .here import here
from .watch import attach, watch
from .write_records import frame_here, program_frames

STEPS = 3
PATIENCE = 10  # times as many steps of one optimizer are taken while another waits for its own
USAGE = """python -m minigrad.viz check [--steps N] [--save PAGE] SCRIPT [ARGUMENT ...]

Run SCRIPT with its arguments, stop it after N steps of its optimizers, and write a page that says
what the steps did. What follows `--` is for the script alone, as in: check train.py -- --steps 9"""


class Stopped(BaseException):
    """Ends the script once its optimizers have stepped; no `except Exception` catches it."""


class Check(watch):
    """A watch that finds models and optimizers by itself, and ends the program after some steps."""

    def __init__(self, steps: int) -> None:
        super().__init__()
        self.most, self.count, self.stopped = steps, Counter[int](), False

    def adopted(self, module: Any) -> tuple[Model, str] | None:
        if not any(own(part, "_parameters") for part in inner_modules(module).values()):
            return None  # a loss, or an activation
        for name, model in _models(_in_frames(program_frames())):
            for path, part in inner_modules(model).items():
                if part is module:
                    self.roots.append(register(model, name))
                    return self.roots[-1], path
        self.roots.append(register(module, type(module).__name__))
        return self.roots[-1], ""

    def name_of(self, optimizer: Any) -> str:
        return next((name for name, one in _optimizers() if one is optimizer), "")

    def stepped(self, optimizer: Any, step: Step) -> None:
        super().stepped(optimizer, step)
        self.count[id(optimizer)] += 1
        waiting = [one for one in (*self.count, *(id(one) for _, one in _optimizers()))
                   if self.count[one] < self.most]
        if (frame := frame_here()) is not None:
            self.judge(frame)  # its variables may be gone when the script ends
        if not waiting or max(self.count.values()) >= PATIENCE * self.most:
            self.stopped = True
            raise Stopped

    def opening(self) -> str:
        """What was watched, and that the script was stopped, if it did not end by itself."""
        more = (f" The script was stopped after {self._first()}: what it does later was not seen, "
                f"and `--steps {10 * self.most}` shows more.")
        return super().opening() + more * self.stopped

    def nothing_found(self) -> str:
        words = super().nothing_found()
        return words.replace("found.", f"found in {self._first()}.", 1) if self.stopped else words

    def _first(self) -> str:
        count = sum(self.taken_by.values())
        return f"the first {count} steps" if count > 1 else "the first step"

    def closes(self) -> None:
        """Nothing is left to find: around this watch are no variables of the program."""


def _optimizers() -> list[tuple[str, Any]]:
    """The optimizers in the variables of the program that hold something."""
    return [(name, one) for name, one in optimizers_in(program_frames())
            if any(group.get("params") for group in one.param_groups)]


# ---------------------------------------------------------------- running the script

def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="check", usage=USAGE, allow_abbrev=False)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--save", type=Path)
    ours, theirs = (arguments, []) if "--" not in arguments else (
        arguments[:arguments.index("--")], arguments[arguments.index("--") + 1:])
    known, rest = parser.parse_known_args(ours)
    if not rest or known.steps < 1:
        parser.error("--steps takes a whole number, 1 or more" if rest else "the script is missing")
    script, *given = rest
    page = known.save or Path(f"{Path(script).stem}.check.html")
    if page.suffix not in (".html", ".txt"):
        parser.error("--save takes the name of a page, such as step.html, or of a .txt")
    try:
        with io.open_code(str(Path(script).resolve())) as file:
            code = compile(file.read(), str(Path(script).resolve()), "exec")
    except OSError as error:
        print(f"check: can't read {script!r}: {error.strerror}", file=sys.stderr)
        return 2
    except (SyntaxError, ValueError) as error:
        traceback.print_exception(type(error), error, None)
        return 1
    run = Check(known.steps)
    result = _run(code, script, [*given, *theirs], run)
    _report(run, page, time.perf_counter())
    return result


def _run(code: Any, script: str, given: list[str], run: Check) -> int:
    """Run a script under a watch; returns its exit code."""
    program = ModuleType("__main__")
    program.__dict__.update(__file__=code.co_filename, __builtins__=__builtins__, __cached__=None)
    before = sys.argv, sys.path[:], sys.modules["__main__"], sys.meta_path[:]
    sys.argv, sys.path[:1] = [script, *given], [str(Path(code.co_filename).parent)]
    sys.modules["__main__"] = program
    sys.meta_path.insert(0, _Late())
    try:
        with run:
            exec(code, program.__dict__)
            run.judge(Entered(code, program.__dict__, program.__dict__))
        return 0
    except Stopped:
        return 0
    except SystemExit as end:
        if end.code is not None and not isinstance(end.code, int):
            print(end.code, file=sys.stderr)
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException as error:
        own_frames = error.__traceback__.tb_next if error.__traceback__ else None
        sys.excepthook(type(error), error.with_traceback(own_frames), own_frames)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    finally:
        sys.argv, sys.path[:], sys.modules["__main__"], sys.meta_path[:] = before


class _Late(MetaPathFinder):
    """Begins to watch PyTorch when the script has imported it."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        loader: Any = spec.loader if spec is not None else None
        original: Any = getattr(loader, "exec_module", None)

        def exec_module(module: ModuleType) -> None:
            del loader.exec_module
            original(module)
            attach()

        if original is not None:
            loader.exec_module = exec_module
        return spec


def _report(run: Check, page: Path, end: float) -> None:
    """Write the page, and say in a few lines what is on it and what watching cost."""
    run.save(page)
    say = [run.opening(), *(f"{one.cause}: {one.sentence}" for one in run.verdicts)]
    say += [run.nothing_found()] * (not run.verdicts and bool(run.rows))
    say += [run.over_steps.trouble()] * bool(run.over_steps.trouble())
    say += ["No model was called."] * (not run.roots)
    say += ["No optimizer took a step."] * (not run.steps)
    if run.calls:
        whole = end - run.began
        say.append(f"Since the first call of a model {1000 * whole:.0f} ms have passed, "
                   f"{1000 * here.spent:.0f} ms of them in watching: "
                   f"{whole / max(whole - here.spent, 1e-9):.1f} times as long as without.")
    say.append(f"The page is in {page}.")
    print(*(f"check: {line}" for line in say), sep="\n", file=sys.stderr)
