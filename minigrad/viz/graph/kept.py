"""What an operation keeps for its backward: saved tensors and settings, found under `_saved_...`.

Where a saved tensor has an unpack hook, reading it would run the program's own function, so it is
never read: `_raw_saved_...` says whether there is a hook. Asking for a value that a backward pass
has freed raises.
"""
from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from .facts import called, is_tensor, number
from .model import PACKED, RECOMPUTED, UNREAD
from .once import once

OWN_TYPES = ("builtins", "torch", "numpy", __name__.partition(".")[0])

# Which argument a saved value was; only needed to say what is known of a constant.
ARGUMENT_OF = {slot: at for at, slots in enumerate((
    "self input query x1",
    "other mat2 exponent vec batch2 weight target tensor tensor1 vec1 key x2 grid end min weight0",
    "tensor2 vec2 bias value max weight1", "weight2", "weight3", "hx_", "cx_"))
               for slot in slots.split()}
SPECIAL = {"Lerp": {"weight": 2}, **dict.fromkeys(
    ("Addmm", "SparseAddmm", "Addmv", "Addbmm", "Baddbmm"),
    {"mat1": 1, "mat2": 2, "mat": 1, "vec": 2, "batch1": 1, "batch2": 2})}
# Arguments that may be left out, and the slot that shows it: a normalisation without weight has no
# bias.
OPTIONAL = {"LayerNorm": {1: "weight", 2: "bias"}, "BatchNorm": {1: "weight", 2: "weight"},
            "GroupNorm": {1: "weight", 2: "weight"}, "RmsNorm": {1: "weight"},
            "Clamp": {1: "min", 2: "max"},
            "Convolution": {2: "bias_sym_sizes_opt"}, "EmbeddingBag": {1: "per_sample_weights"}}
SLOT_ORDER = "self mat1 batch1 input other mat2 batch2 vec exponent weight result".split()

DEFAULTS = {"alpha": 1, "beta": 1, "step": 1, "dilation": 1, "groups": 1, "stride": 1, "padding": 0,
            "output_padding": 0, "padding_idx": -1}
DULL = re.compile(r".*(sizes?(_opt)?|strides?|numel|shape|options|dtype|reduction|ignore_index|"
                  r"_offset|sym_argsize_\d)$")
VERSIONS = re.compile(r"is at version (\d+); expected version (\d+)")


class Row(NamedTuple):
    """One saved value; `versions` as in `Saved`."""

    slot: str
    state: str
    value: Any = None
    versions: tuple[int, int] | None = None


def saved_by(node: Any, settings: bool = True) -> list[Row]:
    """Everything that a node keeps, or all but `settings`; empty slots are left out."""
    # a custom Function; all else on it is the program's own
    if hasattr(type(node), "save_for_backward"):
        return _ask(node, "saved_tensors")
    kind: Any = type(node)
    return [row for slot in _slots(kind, settings) for row in _ask(node, slot)]


def kept_by(node: Any) -> dict[str, Any]:
    """By their slots, the values of a node that can still be read."""
    return {row.slot: row.value for row in saved_by(node) if row.state == "kept"}


@cache
def _slots(kind: type, settings: bool) -> list[str]:
    """What operations of this kind save, in the order in which it is shown."""
    slots = sorted(name[len("_saved_"):] for name in dir(kind) if name.startswith("_saved_")
                   and (settings or hasattr(kind, f"_raw{name}")))
    places = {name: at for at, name in enumerate(SLOT_ORDER)}
    return sorted(slots, key=lambda name: places.get(name, places["result"]))


@once
def _ask(node: Any, slot: str) -> list[Row]:
    attribute = slot if slot == "saved_tensors" else "_saved_" + slot
    try:
        raw = getattr(node, f"_raw_{attribute.lstrip('_')}", None)
        items = raw if isinstance(raw, (tuple, list)) else [raw]
        hooks = [hook for one in items if (hook := getattr(one, "unpack_hook", None)) is not None]
        if hooks:
            module = str(getattr(hooks[0], "__module__", ""))
            return [Row(slot, RECOMPUTED if module.endswith(".utils.checkpoint") else PACKED)]
        value = getattr(node, attribute)
    except Exception as error:  # freed, or changed
        message = str(error)
        if match := VERSIONS.search(message):
            return [Row(slot, "changed", versions=(int(match[2]), int(match[1])))]
        return [Row(slot, "freed" if "freed" in message else "unreadable")]
    if isinstance(value, (tuple, list)) and any(is_tensor(item) for item in value):
        return [Row(f"{slot}[{at}]", "kept", item) for at, item in enumerate(value)
                if is_tensor(item)]
    return [] if value is None or (slot == "saved_tensors"
                                   and not value) else [Row(slot, "kept", value)]


@cache
def stem_of(name: str) -> str:
    """"BatchNorm" of "torch::autograd::NativeBatchNormBackward0"."""
    return re.sub(r"^(Native|Cudnn|Miopen|Fused)|Backward\d*$", "", name.rpartition("::")[2])


@cache
def positions_of(name: str) -> dict[str, int]:
    """Which argument of an operation each slot keeps."""
    return {**ARGUMENT_OF, **SPECIAL.get(stem_of(name), {})}


def constants_of(name: str, rows: Sequence[Row]) -> dict[int, Any]:
    """What is known of the arguments that take no gradient, by position.

    It is the tensor, or the words that say why there is none; "" says that the argument was left
    out.
    """
    stem, positions = stem_of(name), positions_of(name)
    # no bias
    given = {row.slot for row in rows if type(row.value) is not tuple or row.value != (0,)}
    found: dict[int, Any] = {at: "" for at, slot in OPTIONAL.get(stem, {}).items()
                             if slot not in given}
    for row in rows:
        if (at := positions.get(row.slot)) is None:
            continue
        if row.state in UNREAD:
            found[at] = row.state
        elif row.state == "changed":
            found[at] = "value changed since it was saved"
        elif is_tensor(row.value) and not row.value.requires_grad:
            found[at] = row.value
    return found


def is_dull(slot: str, value: Any) -> bool:
    """Shapes, defaults and flags, which every operation keeps and few readers want to see."""
    if type(value) in (tuple, list) and value and slot in DEFAULTS:
        return set(value) == {DEFAULTS[slot]}
    default = DEFAULTS.get(slot, 2**63 - 1)  # the end of a slice
    return value is False or type(value) in (int,
                                             float) and value == default or bool(DULL.match(slot))


def setting(value: Any) -> str:
    """A setting as people write it. No code of the program's own types runs: they are named."""
    if type(value) in (tuple, list):
        return f"({', '.join(map(setting, value))}{',' * (len(value) == 1)})"
    if type(value).__module__.partition(".")[0] not in OWN_TYPES:
        return called(value)
    return number(signed(value) if type(value) is int else value)


def signed(value: int) -> int:
    """PyTorch keeps some negative numbers without their sign."""
    return value - 2**64 if value >= 2**63 else value
