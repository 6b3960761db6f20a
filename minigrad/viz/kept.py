"""What an operation keeps for its backward: saved tensors and settings, found under `_saved_...`.

Once a backward pass has freed a value, asking for it raises an error: that is how we know that it is gone.
"""
from __future__ import annotations

import re
from typing import Any

from .facts import is_tensor, number

# Which input a saved value belongs to; only needed to give a constant its value back.
ARGUMENT_OF = {"self": 0, "other": 1, "mat2": 1, "exponent": 1, "vec": 1, "batch2": 1, "weight": 1,
               "target": 1}
ARGUMENT_OF_ADDMM = {"mat1": 1, "mat2": 2, "mat": 1, "vec": 2, "batch1": 1, "batch2": 2}
SLOT_ORDER = "self mat1 batch1 input other mat2 batch2 vec exponent weight result".split()

DULL = re.compile(r".*(sizes?|strides?|numel|shape|options|dtype)$|reduction$|ignore_index$|storage_offset$")
VERSIONS = re.compile(r"is at version (\d+); expected version (\d+)")


def saved_by(node: Any) -> list[tuple[str, str, Any, tuple[int, int] | None]]:
    """(slot, state, value, versions) for everything that a node keeps; empty slots are left out."""
    found = []
    slots = [name[len("_saved_"):] for name in dir(node) if name.startswith("_saved_")]
    for slot in sorted(slots, key=lambda name: (_place(name), name)):
        found += _ask(node, "_saved_" + slot, slot)
    if not slots and hasattr(type(node), "save_for_backward"):  # a custom Function
        found += _ask(node, "saved_tensors", "saved_tensors")
    return found


def _ask(node: Any, attribute: str, slot: str) -> list[tuple[str, str, Any, tuple[int, int] | None]]:
    try:
        value = getattr(node, attribute)
    except Exception as error:  # freed, changed; or an unpack hook of the program raised whatever it liked
        message = str(error)
        if match := VERSIONS.search(message):
            return [(slot, "changed", None, (int(match[2]), int(match[1])))]
        return [(slot, "freed" if "freed" in message else "unreadable", None, None)]
    if isinstance(value, (tuple, list)) and any(is_tensor(item) for item in value):
        return [(f"{slot}[{at}]", "kept", item, None) for at, item in enumerate(value) if is_tensor(item)]
    return [] if value is None or (slot == "saved_tensors" and not value) else [(slot, "kept", value, None)]


def _place(slot: str) -> int:
    return SLOT_ORDER.index(slot) if slot in SLOT_ORDER else len(SLOT_ORDER) - 1


def constants_of(name: str, alive: dict[str, Any]) -> dict[int, Any]:
    """Saved tensors that take no gradient, by the position of the argument they were."""
    positions = ARGUMENT_OF_ADDMM if name.startswith(("Addm", "Addb", "Baddbmm")) else ARGUMENT_OF
    found = {positions[slot]: value for slot, value in alive.items() if slot in positions}
    return {at: value for at, value in found.items() if is_tensor(value) and not value.requires_grad}


def is_dull(slot: str, value: Any) -> bool:
    """Shapes, defaults and flags, which every operation keeps and few readers want to see."""
    if isinstance(value, int) and value == 2**63 - 1:  # a slice to the end
        return True
    return value is False or value == 1 and slot in ("alpha", "beta", "step") or bool(DULL.match(slot))


def setting(value: Any) -> str:
    if isinstance(value, int) and value >= 2**63:  # PyTorch shows some negative numbers as unsigned
        value -= 2**64
    return number(value)
