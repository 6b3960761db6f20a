"""The cause that anomaly mode finds: a backward formula that returned nan."""

from __future__ import annotations

import math
from typing import Any

from .explain_scene import Scene
from .explain_table import Told, cause
from .explanation import Fix
from .facts import is_tensor
from .places import place_of
from .read import saved_by


@cause("nan", r"Function '(\w+)' returned nan values in its (\d+)th output")
def nan(scene: Scene, match: Any) -> Told:
    alike = [node for node in scene.in_run_order() if node.name() == match[1]]
    guilty = [scene.failed] if scene.failed is not None else alike
    node = guilty[0] if len(guilty) == 1 else None
    who = scene.node(node) if node else f"one of {len(guilty)} {match[1]}" if guilty else match[1]
    recorded = f", recorded in {place_of(node)}" if node and place_of(node) else ""
    saved = [f"`{slot}` = {' '.join(str(value.tolist()).split())}"
             for slot, _, value, _ in (saved_by(node) if node else [])
             if is_tensor(value) and math.prod(value.shape) <= 6]
    had = f"; it had saved {', '.join(saved)}" if saved else ""
    return Told(
        [f"{scene.here} got nan from {who}{recorded}, in the gradient of its input {match[2]}{had}.",
         "Such a nan is 0 times infinity, infinity minus infinity, or a nan that arrived. Often it is the "
         "slope of sqrt, log or a division at 0, in a branch that where() didn't choose."],
        [Fix("Make the input safe before the operation: `torch.where(ok, x, 1)` inside, and where() again "
             "outside.", "one more operation and its mask in memory"),
         Fix("Keep away from the edge: `(x + 1e-12).sqrt()`.", "the value and the gradient change a little")],
        guilty)
