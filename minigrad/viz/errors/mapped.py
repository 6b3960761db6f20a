"""Causes in functions that PyTorch's vmap() maps: random numbers, and statistics that are written.
"""
from __future__ import annotations

import ast
from typing import Any

from ..drawing.explanation import Fix
from ..graph.modules import inner_modules, is_model, joined
from ..program.frame_variables import variables
from ..program.lines import is_library, line_words
from ..program.names import as_code
from ..program.node_lines import only_line
from ..program.parsed import last_name
from .scene import Scene
from .table import Told, cause


@cause("random numbers in vmap()", r"called random operation while in randomness error mode")
def random_numbers(scene: Scene, match: Any) -> Told:
    what, _ = failed_module(scene)
    draws = f"in {what}, which draws random numbers" if what else "and draws random numbers"
    call, where = mapping(scene)
    return Told([f"{scene.here} failed inside of {call}(), {draws}.",
                 f"{call}(){where} runs its function once for all samples, and refuses that until "
                 "it is told whether each of them gets its own numbers."],
                [Fix(f'Pass `randomness="different"` to {call}(){where}.',
                     'each sample draws its own numbers; with "same" all get the same')])


@cause("written statistics in vmap()", r"got a batched tensor as input while the running_mean or")
def written_statistics(scene: Scene, match: Any) -> Told:
    call, where = mapping(scene)
    return of_norm(scene, f"inside of {call}()", f"{call}(){where} runs its function once for all "
                   "samples, and they would all write to the same averages.")


@cause("written statistics in a transform", r"would mutate a captured Tensor")
def written_captured(scene: Scene, match: Any) -> Told:
    refused = "A transform such as grad() refuses writes to what its function was not given."
    if "Norm" in failed_module(scene)[0]:
        return of_norm(scene, "inside of a transform", refused)
    return Told([f"{scene.here} writes in place, inside of a transform.", refused])


def of_norm(scene: Scene, within: str, refused: str) -> Told:
    what, path = failed_module(scene)
    return Told([f"{scene.here} failed {within}, in {what or 'a norm'}, which writes its running "
                 "averages in training mode.", refused],
                [Fix("Pass `track_running_stats=False` to the class where this layer is made.",
                     "it has no running averages: in evaluation it uses the batch, too"),
                 Fix(f"Call `{as_code(path) or 'layer'}.eval()` before this line.",
                     "it normalizes by its running averages, and doesn't update them")])


def failed_module(scene: Scene) -> tuple[str, str]:
    """("model.2 (Dropout)", "model.2") of the library's module that raised the error, or ""."""
    for frame, _ in reversed(scene.frames):
        if not is_library(frame):
            break
        module = variables(frame).get("self")
        if is_model(module):
            paths = [joined(name, inner) for name, model in scene.names.models
                     for inner, one in inner_modules(model).items() if one is module]
            kind = type(module).__name__
            return (f"{paths[0]} ({kind})", paths[0]) if paths else (f"a {kind}", "")
    return "", ""


def mapping(scene: Scene) -> tuple[str, str]:
    """The function that maps, and " in " with its line, where the text has one alone."""
    calls = [part for program in scene.programs for part in program.parts
             if isinstance(part, ast.Call) and last_name(part.func) in ("vmap", "jacfwd")]
    names = {last_name(call.func) for call in calls}
    line = only_line(calls)
    return (names.pop() if len(names) == 1 else "vmap",
            f" in {line_words(line)}" if line else "")
