"""The table of causes: which message leads to which explanation."""
from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..drawing.explanation import Fix
from ..drawing.text_twin import bytes_of
from ..graph.facts import base_of, can_be_read, is_node, is_tensor
from ..program.custom_functions import where_it_returns
from ..program.names import as_code

NAMELESS = r"(?:the|a) tensor(?: of shape \([^)]*\))?|the result|an input|a leaf|(?:in|out)put \d+"
# a may also be a variable
OPENING = re.compile(r"^(the|a(?= tensor| leaf| backward| value)|an|input|line) ")
COUNTED = "argument|channel|column|element|gradient|row|target|tensor"


class Row(NamedTuple):
    name: str
    pattern: re.Pattern
    tell: Callable  # (scene, match) -> Told


TABLE: list[Row] = []


@dataclass
class Told:
    """What a cause has to say."""

    sentences: list[str]
    fixes: list[Fix] = field(default_factory=list)
    guilty: list[Any] = field(default_factory=list)  # nodes and tensors to mark
    show: list[Any] | None = None  # the tensors to draw; None: the roots of the pass
    versions: bool = False

    def __post_init__(self) -> None:
        self.sentences = [OPENING.sub(lambda word: word[0].capitalize(), one)
                          for one in self.sentences]
        self.fixes = [Fix(*(re.sub(r"`[^`]*`", in_code, part) for part in fix))
                      for fix in self.fixes]


def in_code(code: re.Match) -> str:
    """In code to write, a tensor without a name is x."""
    return re.sub(NAMELESS, "x", code[0])


def cause(name: str, *patterns: str) -> Callable:
    """Enter a function `tell(scene, match)` into the table, for messages of these patterns."""

    def enter(tell: Callable) -> Callable:
        TABLE.extend(Row(name, re.compile(pattern, re.DOTALL), tell) for pattern in patterns)
        return tell

    return enter


# --- causes that need no code: a pattern, two sentences and fixes

def row(name: str, pattern: str, happened: str, why: str, *fixes: str | tuple[str, str],
        about: str = "line") -> None:
    """Enter a cause. In its words `{0}`, `{1}` ... are replaced by what the pattern found.

    Args:
        name: of the cause.
        pattern: for the message.
        happened: what the line did, as the rest of a sentence that begins with the line.
        why: why that is refused.
        fixes: each with its price; a fix without one costs nothing.
        about: which tensor or node is marked and drawn, a key of `ABOUT`. The words may name it
            with `{it}`, the node that made it with `{maker}`, its bytes with `{size}`, its shape
            with `{shape}`, and how many numbers it has with `{numbers}`.
    """

    def tell(scene: Any, match: re.Match) -> Told:
        found = [one for one in ABOUT[about](scene, match) if one is not None]
        it = found[0] if found else None
        tensor: Any = None if is_node(it) else it
        otherwise = OTHERWISE.get(about, "the tensor").format(*match.groups())
        readable = tensor is not None and can_be_read(tensor)
        shape = tuple(tensor.shape) if readable else ()
        said = {"it": scene.node(it) if about == "node" else scene.of(it, otherwise),
                "maker": scene.node(tensor.grad_fn).partition(" ")[0] if readable
                else "an operation",
                "size": bytes_of(tensor.element_size() * math.prod(shape)) if readable
                else "its size", "numbers": math.prod(shape), "shape": shape}

        def words(text: str) -> str:
            return re.sub(rf"\b1 ({COUNTED})s\b", r"1 \1", text.format(*match.groups(), **said))

        sentences = [f"{scene.here} {words(happened)}", words(why)]
        if about == "node" and len(found) == 1 and (where := where_it_returns(it)):
            sentences[1] += f" {where}"
        # in code it is written as the program writes it
        if about == "several" and otherwise == said["it"]:
            said["it"] = scene.started_at or otherwise
        said["it"] = as_code(said["it"])
        own = about == "leaf" and (tensor is None or id(tensor) in scene.names.modules
                                   or type(tensor).__name__ == "Parameter")
        told = [Fix(words(fix), "none") if isinstance(fix, str) else Fix(*map(words, fix))
                for fix in fixes[:1 if own else None]]  # a copy changes no module
        guilty = [] if about == "line" else found[:1]
        show = None if about in OF_THE_PASS else found[about == "unreadable":]
        return Told(sentences, told, guilty, show)

    TABLE.append(Row(name, re.compile(pattern, re.DOTALL), tell))


def _first(fits: Callable[[Any], bool]) -> Callable:
    return lambda scene, match: scene.tensors(fits)[:1]


def _written(scene: Any, match: re.Match) -> list[Any]:
    tensor = scene.written()
    tensor = scene.subject() if tensor is None else tensor
    return [tensor, base_of(tensor) if tensor is not None else None]


def _owner(scene: Any, match: re.Match) -> list[Any]:
    """The tensor to whose `.grad` the statement assigns."""
    targets = getattr(scene.statement, "targets", ())
    owners = [scene.value(target.value) for target in targets
              if getattr(target, "attr", "") == "grad"]
    return [owner for owner in owners if is_tensor(owner)][:1]


def _unreadable(scene: Any, match: re.Match) -> list[Any]:
    tensor = scene.subject(lambda one: not can_be_read(one))
    return [tensor, base_of(tensor)]


def _node(scene: Any, match: re.Match) -> list[Any]:
    """The node that failed, or those that the message names, or a custom Function's only one."""
    if scene.failed is not None:
        return [scene.failed]
    named = [node for node in scene.nodes
             if {node.name(), node.name().removesuffix("Backward")} & set(match.groups())]
    custom = [node for node in scene.nodes if hasattr(type(node), "save_for_backward")]
    return named or (custom if len(custom) == 1 else [])


ABOUT = {
    # all tensors of the line, and none of them marked
    "line": lambda scene, match: scene.tensors(),
    "computed": _first(lambda tensor: not tensor.is_leaf),
    "tracked": _first(lambda tensor: tensor.requires_grad),
    "constant": _first(lambda tensor: not tensor.requires_grad),
    "inference": _first(lambda tensor: tensor.is_inference()),
    "root": lambda scene, match: scene.roots[:1],
    "several": lambda scene, match: [one for one in scene.roots
                                     if is_tensor(one) and math.prod(one.shape) != 1][:1],
    "output": lambda scene, match: scene.roots[int(match[1]):][:1],
    "written": _written,
    "owner": _owner,
    "leaf": lambda scene,
    match: [one for one in _written(scene, match)[::-1] if one is not None][:1],
    "unreadable": _unreadable,
    "node": _node,
}
OF_THE_PASS = ("node", "several", "output")  # all the roots of the pass are drawn
# what a tensor without a name is called
OTHERWISE = {"several": "the result", "output": "output {0}"}
