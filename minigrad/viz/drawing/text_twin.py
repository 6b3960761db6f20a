"""The text twin: the same picture in sentences.

One line per box, inputs first, each with the id that the drawing uses. No line holds an address.
"""
from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from html import escape

from ..graph.model import UNREAD, Arrow, Box, Graph, Picture, Saved, Tensor, Weight
from ..graph.modules import frame_lines, frames, inside
from . import style

COUNTED = (("module", "modules"), ("leaf", "leaves"), ("operation", "operations"),
           ("constant", "constants"))

UNSEEN = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
                    # control characters, also of direction; lone surrogates
                    "\ud800-\udfff\ufffe\uffff]")


def twin(picture: Picture) -> str:
    lines = [f"{picture.title}: {_counts(picture)}."]
    incoming: dict[int, list[Arrow]] = defaultdict(list)
    outgoing: dict[int, list[Arrow]] = defaultdict(list)
    for arrow in picture.arrows:
        incoming[arrow.head].append(arrow)
        outgoing[arrow.tail].append(arrow)
    for at, box in enumerate(picture.boxes):
        mark = f"[{mark_word(box)}] " if mark_word(box) else ""
        words = _WORDS[box.kind](picture, box, incoming[at], outgoing[at])
        lines.append(f"{picture.id_of(at)} {mark}{words}")
    for frame in filter(None, frames(picture)):
        held = listed(map(picture.id_of, inside(picture, frame)))
        lines.append(f"Frame {', '.join(frame_lines(picture, frame[-1]))}: {held}.")
    lines += [f"Note: {note}" for note in picture.notes]
    lines += [f"Caption: {picture.caption}"] * bool(picture.caption)
    return visible("\n".join(lines))


def visible(words: str) -> str:
    """The same, with characters written out that break a picture or turn its lines around."""
    return UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), words)


def first_sentence(message: str) -> str:
    """That of the message of an error, without a full stop."""
    return re.split(r"(?<=[a-z)])[.:](?: |$)", message, maxsplit=1)[0].partition("\n")[0]


def escaped(words: str) -> str:
    """The same in HTML."""
    return escape(visible(words))


def label_of(picture: Picture, position: int) -> str:
    """A few words for one box, shown when the pointer rests on it."""
    box = picture.boxes[position]
    if box.kind in ("leaf", "tensor", "constant", "fold"):
        return " ".join(filter(None, [mark_word(box), box.title]))
    if box.made:
        return f"{box.title}, made {', '.join(box.made)}"
    return " ".join([box.title, *box.lines])


def arrow_words(arrow: Arrow) -> str:
    return " ".join(filter(None, [mark_word(arrow), arrow.label]))


def mark_word(marked: Box | Arrow) -> str:
    return style.MARKS[marked.mark].word if marked.mark else ""


def saved_words(saved: Saved) -> str:
    """What a tab says: `self = x (3,)`, `other = 2.0`, `result (freed)`."""
    if saved.versions:
        at_saving, now = saved.versions
        return f"! {saved.slot} (changed: now v{now}, saved at v{at_saving})"
    tensor = saved.tensor
    if tensor is None or saved.state == "freed":
        return f"{saved.slot} ({saved.state})"
    shape = "nested" if tensor.shape is None else str(tensor.shape)
    words = [tensor.name, tensor.values if tensor.shape == () and tensor.values else shape]
    equals = " = " if tensor.name or words[1] == tensor.values else " "
    words.append("" if tensor.version is None else f"v{tensor.version}")
    words.append("" if tensor.held is None else bytes_of(tensor.held[1]))
    words.append("" if saved.state == "kept" else f"({saved.state})")
    return f"{saved.slot}{equals}{' '.join(filter(None, words))}"


def is_weight(box: Box, saved: Saved) -> bool:
    """Whether a saved value is a parameter that stands on the operation anyway."""
    key = saved.tensor.key if saved.tensor is not None and saved.state == "kept" else None
    return key is not None and any(weight.tensor.key == key for weight in box.weights)


def weight_words(box: Box, weight: Weight, depth: int) -> list[str]:
    """`weight (16, 8)`: its name is the rest of that of the frame around the operation."""
    tensor, frame = weight.tensor, [part.partition(",")[0] for part in box.module[:depth][-1:]]
    names = [tensor.name, *(name for name, _ in tensor.ties)] if tensor.name else [""]
    here = next((name for name in names if frame and name.startswith(f"{frame[0]}.")), names[0])
    name = here.removeprefix(f"{frame[0]}." if frame else "")
    size = "" if tensor.held is None else bytes_of(tensor.held[1])
    version = "" if tensor.version is None else f"v{tensor.version}"
    words = [name, str(tensor.shape), version, size, *traits(replace(tensor, ties=()))]
    kept = [item.tensor.key for item in box.saved if item.tensor is not None
            and is_weight(box, item)]
    words += ["saved"] * (tensor.key in kept)
    words += ["takes no gradient"] * (tensor.kind == "constant")
    rest = [f"tied to {other}" for other in names if other != here]
    first = " ".join(filter(None, words)) + f", {weight.uses} uses" * (weight.uses > 1)
    return [first, *rest, *weight.lines]


def drawer_words(weight: Weight) -> str:
    grad = weight.tensor.grad
    return ".grad None" if grad == "None" else ".grad filled"


def in_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table in plain text."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ["  ".join(word.ljust(width) for word, width in zip(row, widths)).rstrip()
            for row in rows]


def bytes_of(size: int) -> str:
    return f"{size:,} byte{'s' * (size != 1)}"


def memory_note(graph: Graph) -> str:
    """How much memory the saved values hold together; what hooks hold is not known."""
    saved = [item for op in graph.ops for item in op.saved]
    pieces = dict(item.tensor.held for item in saved if item.tensor and item.tensor.held)
    count = f"{len(pieces)} piece{'s' * (len(pieces) > 1)} of memory"
    note = f"Saved values hold {bytes_of(sum(pieces.values()))} in {count}, each counted once."
    asked = pieces or any(op.leaf is not None and op.leaf.held for op in graph.ops)
    unread = ", ".join(_state_words(saved, *UNREAD)) if asked else ""
    return " ".join([note] * bool(pieces) + [f"Not counted: {unread}."] * bool(unread))


def _state_words(saved: list[Saved], *states: str) -> list[str]:
    """How many values are in each of these states: "2 saved values freed"."""
    count = Counter(item.state for item in saved)
    return [f"{count[word]} saved value{'s' * (count[word] > 1)} {word}" for word in states
            if count[word]]


def _counts(picture: Picture) -> str:
    count = Counter("operation" if box.kind == "op" else box.kind for box in picture.boxes)
    forward = picture.view == "modules"
    count["module"] = count["fold"] * forward
    count["leaf"] += len({weight.tensor.key for box in picture.boxes for weight in box.weights
                          if weight.tensor.kind == "leaf"})
    words = [f"{count[kind]} {many if count[kind] > 1 else kind}" for kind, many in COUNTED
             if count[kind]]
    words += _state_words([item for box in picture.boxes for item in box.saved], "freed", "changed",
                          *UNREAD)
    words += [f"{picture.hidden} more folded away"] * (picture.hidden > 0 and not forward)
    return ", ".join(words) or "nothing recorded"


def _tensor(picture: Picture, box: Box, incoming: list, outgoing: list) -> str:
    named = [f"{box.kind} {box.tensor.name}".strip(), *_facts(box.tensor)] if box.tensor else []
    words = named or [box.title, *box.lines]
    words += [_ARRIVED[arrow.kind].format(end=_end(picture, arrow), tail=picture.id_of(arrow.tail),
                                          label=arrow.label) for arrow in incoming
              if arrow.kind in _ARRIVED]
    return ", ".join(words)


def _facts(tensor: Tensor) -> list[str]:
    return [fact for fact in (
        "" if tensor.shape is None else f"shape {tensor.shape}",
        f"value {' '.join(tensor.values.split())}" if tensor.values else "",
        "" if tensor.version is None else f"version {tensor.version}",
        *traits(tensor),
        "" if tensor.held is None else bytes_of(tensor.held[1]),
        "" if tensor.grad is None else f".grad is {' '.join(tensor.grad.split())}") if fact]


def traits(tensor: Tensor) -> list[str]:
    """That it is a view, that a model has it in two places, and that it has hooks."""
    view = f"view of {tensor.view_of}" if tensor.view_of else "a view"
    ties = [f"tied to {name}" for name, _ in tensor.ties] if tensor.name else []
    hooks = f"{tensor.hooks} hook{'s' * (tensor.hooks > 1)}"
    return [view] * (tensor.view_of is not None) + ties + [hooks] * (tensor.hooks > 0)


def _operation(picture: Picture, box: Box, incoming: list, outgoing: list) -> str:
    made = [f"made {' '.join(', '.join(box.made).split())}"] * bool(box.made)
    words = ", ".join([f"operation {box.title}", *made, *box.lines])
    sources = [_end(picture, arrow) for arrow in incoming]
    if picture.view == "maths":
        gives = [picture.id_of(arrow.head) for arrow in outgoing if arrow.kind == "value"]
        return f"{words}, takes {listed(sources)}; gives {listed(gives)}"
    follows = "takes" if picture.view == "modules" else "next functions:"
    words += f"; {follows} {', '.join(sources)}" if sources or not box.weights else ""
    for weight in box.weights:
        drawer = [drawer_words(weight)] * (weight.tensor.grad is not None)
        through = [f"through {', '.join(weight.through)}"] * bool(weight.through)
        told = [*weight_words(box, weight, picture.depth), *through, *drawer]
        words += f"; parameter {', '.join(told)}"
    rows = [saved_words(item) for item in box.saved if not is_weight(box, item)]
    saved = f"saved: {', '.join(rows)}" if rows else "saves nothing" if not box.saved else ""
    return f"{words}; {saved}" if picture.saved and saved else words


def _end(picture: Picture, arrow: Arrow) -> str:
    """Where an arrow comes from, with what stands on it: n1, None (n2), n1 [+ added]."""
    tail = picture.id_of(arrow.tail)
    words = arrow_words(arrow)
    return (f"None ({tail})" if arrow.kind == "none" else tail) + (f" [{words}]" if words else "")


def _accumulate(picture: Picture, box: Box, incoming: list, outgoing: list) -> str:
    leaf = listed(_end(picture, arrow) for arrow in incoming)
    return ", ".join([f"{box.title}, adds what arrives to the .grad of {leaf}", *box.lines[1:]])


def _folded(picture: Picture, box: Box, incoming: list, outgoing: list) -> str:
    words = ": ".join(filter(None, [box.title, ", ".join(box.lines)]))
    sources = dict.fromkeys(picture.id_of(arrow.tail) for arrow in incoming)
    return f"{words}; behind it: {listed(sources)}" if sources else words


def listed(words: Iterable[str]) -> str:
    *most, last = list(words) or ["nothing"]
    return f"{', '.join(most)} and {last}" if most else last


_ARRIVED = {"grad_fn": "its grad_fn is {end}", "value": "made by {end}",
            "cut": "cut off from {tail}: {label}"}
_WORDS = {"leaf": _tensor, "tensor": _tensor, "constant": _tensor, "op": _operation,
          "accumulate": _accumulate, "fold": _folded}
