"""Causes in what losses and optimizers are given: parameters, sparse gradients, targets."""
from __future__ import annotations

import ast
import re
from collections.abc import Callable, Generator, Iterator
from typing import Any

from ..drawing.explanation import Fix
from ..faults.answer import place
from ..faults.evidence import Case
from ..faults.made import line_of_path
from ..graph.facts import is_tensor
from ..graph.modules import is_model
from ..graph.norms import numbers
from ..program.frame_variables import variables
from ..program.given import held_by, is_optimizer
from ..program.names import unregistered
from .scene import Scene
from .table import Told, cause, row

SECOND = "a second optimizer, whose step() and zero_grad() are to be called, too"


def _in_frames(scene: Scene, name: str, fits: Callable[[Any], bool]) -> Any:
    """A variable of the innermost frame in which it fits."""
    held = (variables(frame).get(name) for frame, _ in reversed(scene.frames))
    return next(filter(fits, held), None)


@cause("sparse gradient", r"(\w+) does not support sparse gradients",
       "(weight_decay) option is not compatible with sparse gradients")
def sparse(scene: Scene, match: re.Match) -> Told:
    optimizer = _in_frames(scene, "self", is_optimizer)
    held = held_by(optimizer) if optimizer is not None else []
    found = [one for one in held if one.grad is not None and getattr(one.grad, "is_sparse", False)]
    names = [scene.of(one, "a parameter") for one in found]
    lines = [place(line_of_path(Case(one, scene.names), name)) for one, name in zip(found, names)]
    made = " and ".join(f"{name}{line}" for name, line in zip(names, lines)) or "a parameter"
    kind = type(optimizer).__name__ if found else match[1]
    own = Fix(f"Give these to `torch.optim.SparseAdam([{', '.join(names) or '...'}])`, and the "
              f"others to {kind}.", SECOND)
    fixes = [Fix("Leave out `sparse=True`: the gradient then has the shape of the whole table.",
                 "a gradient as large as the table, and steps that may move all its rows"), own]
    if match[1] == "weight_decay":
        fixes = [fixes[0], Fix("Leave out `weight_decay`.", "nothing draws the weights to 0")]
    return Told([f"{scene.here} has {kind} take a sparse gradient, which it can't: that of {made}.",
                 "An embedding with sparse=True has one, which holds the rows alone that were "
                 "used."], fixes, found, found)


@cause("no parameters", "optimizer got an empty parameter list")
def no_parameters(scene: Scene, match: re.Match) -> Told:
    first = f"{scene.here} gives an optimizer no parameter."
    for text, value in scene.expressions:
        if isinstance(value, Iterator):
            kind = "a generator" if isinstance(value, Generator) else "an iterator"
            return Told([first, f"{text} is {kind} that has been read to its end before."],
                        [Fix(f"Make {text} a list where it is assigned: `list(...)`.", "none")],
                        show=[])
    for text, model in scene.expressions:
        if not is_model(model):
            continue
        if total := len(list(model.parameters())):
            frozen = sum(not one.requires_grad for one in model.parameters())
            return Told([first, f"{text} has {total} parameters, of which {frozen} do not require "
                         "a gradient."], [Fix("Let those that are to be trained require one "
                                              "before this line.",
                                              "the operations keep what they save in memory until "
                                              "the pass")] * (frozen == total), show=[])
        lost = next(unregistered(text, model), None)
        kind = "Parameter" if lost is not None and is_tensor(lost.part) else "Module"
        kind += {"dict": "Dict"}.get(lost.container, "List") if lost is not None else ""
        found = (f": {lost.owner}.{lost.attribute} is a {lost.container}, in which parameters "
                 "don't count" if lost is not None else "")
        return Told([first, f"{text} has no parameters{found}."],
                    [Fix(f"Make it an `nn.{kind}`.", "none")] if lost is not None else [], show=[])
    return Told([first, "What it was given was empty when this line ran."], show=[])


row("what is no list of parameters",
    r"params argument given to the optimizer should be an iterable of Tensors or dicts, but got",
    "gives an optimizer a single tensor.", "It takes several, or a generator of them.",
    "Put it into a list: `[{it}]`.", about="tracked")
row("what is no parameter",
    r"optimizer can only optimize Tensors, but one of the params is (\S+)",
    "gives an optimizer a value of type {0} among its parameters.",
    "A dictionary, such as state_dict(), is read as its keys, and a list of generators as "
    "generators.",
    "Give it `model.parameters()`, or those of several in one list: "
    "`[*a.parameters(), *b.parameters()]`.")
row("a parameter twice", r"some parameters appear in more than one parameter group",
    "gives an optimizer a parameter in two groups.",
    "Each step would change it twice, with two learning rates.",
    "Leave it out of one of the groups: `[p for p in model.parameters() if p is not special]`.")
row("state of another optimizer",
    r"loaded state dict (?:contains a parameter group that doesn't match the size of optimizer's "
    r"group|has a different number of parameter groups)",
    "loads the state of an optimizer that held other parameters.",
    "The state is kept by the number of a parameter, so both need as many groups, and each group "
    "as many parameters.",
    "Make the optimizer as it was made when its state was saved, and change its groups after that.")


@cause("a target of another shape",
       r"(?i)target size \(torch\.Size\(\[(.*?)\]\)\) .*? input size \(torch\.Size\(\[(.*?)\]\)\)")
def target_shape(scene: Scene, match: re.Match) -> Told:
    target, scores = ([int(one) for one in part.split(",") if one.strip()]
                      for part in match.groups())
    given = scene.calls_of("binary_cross_entropy_with_logits") + scene.calls_of(
        "binary_cross_entropy")
    names = [ast.unparse(one) for one in given[0].args[:2]] if given else ["scores", "target"]
    same = [one for one in target if one != 1] == [one for one in scores if one != 1]
    fixes = [Fix(f"Give the target the shape of the scores: `{names[-1]}.view_as({names[0]})`.",
                 "none: it shares the memory")] if same and len(names) == 2 else []
    return Told([f"{scene.here} gives a loss a target of shape ({match[1]}) and scores of shape "
                 f"({match[2]}).",
                 "This loss compares each score with the target at its place, so both need one "
                 "shape."], fixes)


@cause("no probabilities", "all elements of (input|target) should be between 0 and 1")
def outside(scene: Scene, match: re.Match) -> Told:
    value, which = _in_frames(scene, match[1], is_tensor), match[1]
    first = f"{scene.here} gives binary_cross_entropy a number outside of 0 and 1 as its {which}."
    fix = Fix("Bring the targets between 0 and 1.", "another function is trained")
    if which == "input":
        fix = Fix("Give the scores to `F.binary_cross_entropy_with_logits`, without sigmoid.",
                  "another function is trained")
    found = numbers(value)
    if found is None:
        return Told([first, "It takes probabilities."], [fix])
    its = scene.of(value, f"its {which}")
    if found.nans:
        return Told([f"{scene.here} gives binary_cross_entropy NaN as its {which}.",
                     f"{found.nans} of the {found.size} numbers of {its} are NaN, which is not "
                     "between 0 and 1."], [], [value])
    low, high = float(value.detach().min()), float(value.detach().max())
    return Told([first, f"The numbers of {its} are between {low:.3g} and {high:.3g}; it takes "
                 "probabilities."], [fix], [value])
