"""For `why`: a gradient that is None."""
from __future__ import annotations

import ast
import math
from contextlib import suppress
from typing import Any

from ..drawing.explanation import Fix
from ..graph.facts import is_tensor, storage_of, whole_number
from ..graph.modules import members
from ..graph.node_records import record_of
from ..graph.walk import in_forward_order, leaves_of
from ..program.called import called_passes
from ..program.custom_functions import where_it_returns
from ..program.cuts import SHARED, Source, sources_of
from ..program.lines import line_words
from ..program.ran import has_run
from ..program.stored import Assigned
from ..watching.calls import calls_with
from ..watching.cut_notes import made_from, reached_by_grad
from ..watching.events import FEWEST, taken_of
from ..watching.pass_notes import missed_by, noted_of, was_passed
from .answer import Answer, place
from .cut import EQUAL, cut_answer, cuts_in_text, cuts_on_the_way
from .evidence import Case
from .extreme_numbers import WATCH
from .recorded import by_records, in_checkpoint, used_before

RETURN = Fix("Return a gradient for this input from the backward of the Function.",
             "the time to compute it")


def not_connected(case: Case) -> Answer | None:
    found = by_text(case)
    if found is not None and found.cause == "not used" and (before := used_before(case)):
        return Answer("not in the last pass", f"{found.sentence[:-1]}, but {before}.",
                      show=[case.tensor])
    vague = found is not None and found.cause in ("not known", "not used")
    found = by_records(case) or found if vague else found
    path, model = case.common.model_of.get(id(case.tensor), ("", None))
    if found is None or found.cause != "not used" or case.roots or model is None or (
            not calls_with(case.tensor)) or case.common.once("passed", model, lambda: any(
                was_passed(one) for _, one in members(model))):
        return found
    none = f"no pass that went through parameters of {path} ran to its end"
    steps = taken_of(case.tensor)
    if steps.count >= FEWEST and steps.still == steps.count:
        return Answer("not used", f"{case.name}.grad is None: each of {steps.count} steps that "
                      f"took {case.name} found no gradient, and {none}.", show=[case.tensor])
    return Answer("no pass", f"{case.name}.grad is None: {none} while the program was watched.",
                  show=[case.tensor])


def cut_by_text(case: Case) -> Answer | None:
    """A cut that the text tells, where no pass is known to have filled the gradient."""
    if any(event.kind == "pass" for event in case.history):
        return None
    found = by_text(case)
    return found if found is not None and found.cause == "cut" else None


def by_text(case: Case) -> Answer | None:
    name, tensor = case.name, case.tensor
    given = f"A pass from {case.roots[0][0]} gives {name} no gradient" if case.roots else ""
    opening = given if tensor.grad is not None else f"{name}.grad is None"
    if any(case.leads_to(root) for _, root in case.roots) or not case.roots and case.results:
        return None
    for cut, part in cuts_in_text(case):
        return cut_answer(case, cut, ast.unparse(part), opening)
    if tensor.grad is None and (found := in_a_function(case)):
        return found
    for text, root in case.roots:
        if again := value_again(case, root):
            return cut_answer(case, again, text, opening)
    if case.results and case.loss is None and case.ran:
        return None
    if not case.roots and (gone := graph_gone(case)):
        return gone
    if not case.roots:
        fix = Fix(f"Compute the result from {name} itself: not from an earlier copy, not under "
                  f"no_grad.", "none")
        return Answer("not used",
                      f"{name} is a leaf that requires a gradient, and none of the variables "
                      "here was computed from it while operations were recorded.", [fix], [tensor],
                      [tensor], case.common.looked_at())
    text, root = case.roots[0]
    if (older := older_leaf(case, root)) is not None:
        fix = Fix(f"Run the line that computes {text} again, and then the pass: both use the new "
                  f"{name}.", "one forward pass")
        return Answer("made anew",
                      f"{opening}: {text} was computed from another leaf of shape "
                      f"{tuple(older.shape)}, which no variable holds any more. If {name} was made "
                      f"anew after {text}, that leaf is the older {name}.", [fix], [older],
                      [root, tensor])
    fixes = [Fix(f"Compute {text} from {name}.", "none")]
    words = " No cut was found on the way." * bool(case.program.body)
    if open_cut := next(cuts_on_the_way(case), None):
        fixes, words = [WATCH], (f" On the way, a value goes on through {open_cut.word}"
                               f"{place(open_cut.line)}; what it was computed from is not known.")
    where = "on which backward() is called" if case.loss is None else "the given loss"
    return Answer("not used", f"{opening}: no recorded operation leads from {name} to {text}, "
                  f"{where}.", fixes, [tensor], [root, tensor],
                  f"{case.common.looked_at()}{words}")


def in_a_function(case: Case) -> Answer | None:
    """A cut on the way to a pass of a called function that filled the .grad of others."""
    _, model = case.common.model_of.get(id(case.tensor), ("", None))
    filled = model is not None and any(one.grad is not None for _, one in members(model))
    for trail, part in [] if not filled else case.common.once("called passes", case.program,
                                        lambda: list(called_passes(case.program))):
        for cut in sources_of(trail, Assigned(part, ""), case.leads_to):
            return cut_answer(case, cut, ast.unparse(part), f"{case.name}.grad is None")
    return in_checkpoint(case)


def graph_gone(case: Case) -> Answer | None:
    """A pass that was watched, or that a function of the text made, and whose graph is gone."""
    noted = [event for event in case.history if event.kind in ("pass", "emptied")]
    if noted and noted[-1].kind == "emptied":
        line = noted[-1].line
        return Answer("emptied",
                      f"A pass filled {case.name}.grad; since then it was emptied{place(line)}.",
                      show=[case.tensor], line=line)
    if none := [one for one in noted_of(case.tensor, "sent") if one.kind[1] == "none"]:
        node, line, returns = none[-1].node, none[-1].line, none[-1].line_before
        where = f" Its backward returns in {line_words(returns)}." if returns else ""
        return Answer("None on the way", f"{case.name}.grad is None: {node}{place(line)} received "
                      f"a gradient and returned None for this input.{where}", [RETURN],
                      [case.tensor], line=returns or line)
    known = {event.line for event in case.training.events}
    if all(kind != "backward" or line in known for kind, line in case.training.everywhere):
        return None
    return Answer("not known", f"{case.name}.grad is None, and no variable here was computed from "
                               f"{case.name}. A function that calls backward() has left no graph "
                               "to look at, so the reason is not known.",
                  [WATCH], show=[case.tensor])


def value_again(case: Case, root: Any) -> Source | None:
    """A value computed from the tensor that is behind a result again, with no edge between the two.

    It is in the same memory, or has the same numbers, where these can hardly be equal by chance.
    """
    nodes = in_forward_order([root.grad_fn]) if root.grad_fn is not None else []
    ends = [root] if root.grad_fn is None else leaves_of(nodes)
    ends += [value for node in nodes for value in case.kept(node).values()
             if is_tensor(value) and not value.requires_grad]
    for _, source in case.results if ends else ():
        memory = storage_of(source)
        for end in ends:
            if memory is not None and storage_of(end) == memory:
                return Source(SHARED, source)
            if _same_numbers(end, source):
                return Source(EQUAL, source)
    return None


def _same_numbers(one: Any, other: Any) -> bool:
    if math.prod(one.shape) != math.prod(other.shape) or whole_number(one) or whole_number(other):
        return False
    with suppress(Exception):  # on another device, sparse, without numbers
        first, second = one.detach().flatten().tolist(), other.detach().flatten().tolist()
        return first == second and any(number % 1 for number in first)
    return False


def older_leaf(case: Case, root: Any) -> Any:
    """A leaf of the tensor's shape and dtype behind a result that no variable holds; or None."""
    nodes = in_forward_order([root.grad_fn]) if root.grad_fn is not None else []
    like = [leaf for leaf in leaves_of(nodes) if leaf.shape == case.tensor.shape
            and leaf.dtype == case.tensor.dtype and made_from(leaf) is None]
    return next((leaf for leaf in like if not case.names.of(leaf)), None)


def no_pass(case: Case) -> Answer | None:
    found = None if case.ran or not reached_by_grad(case.tensor) else by_records(case)
    if case.ran or found:
        return found
    if case.result is None:
        return Answer("no pass", f"{case.name}.grad is None: no pass has filled it.", [Fix(
            f"Compute a result from {case.name}, and call backward() on it.", "none")])
    key, result = case.result
    if not case.program.body and any(one.is_leaf and one.requires_grad and one.grad is not None
                                     for one in case.names.tensors.values()):
        return by_records(case) or Answer(
            "not known", f"{case.name}.grad is None: {key} was computed from {case.name}, and "
            "other variables have a gradient. Which results passes started from isn't known.",
            [WATCH], show=[result], more=case.common.looked_at())
    return Answer("no pass",
                  f"{key} was computed from {case.name}, and no pass has gone through what lies "
                  "between.", [Fix(f"Call backward() on {key} first.", "none")], show=[result])


def not_among_inputs(case: Case) -> Answer | None:
    for event in case.training.events:
        given = [one.value for one in getattr(event.call, "keywords", ()) if one.arg == "inputs"]
        parts = getattr(given[0], "elts", given) if event.kind == "backward" and given else []
        values = [case.program.value(part) for part in parts]
        if values and all(is_tensor(one) and one is not case.tensor for one in values):
            fix = Fix(f"Add {case.code} to inputs=.", "one more gradient is computed and kept")
            return Answer("inputs",
                          f"{case.name}.grad is None: the pass{place(event.line)} fills the .grad "
                          f"of its inputs={', '.join(map(ast.unparse, parts))} alone, and "
                          f"{case.name} is none of them.", [fix], [case.tensor])
    return None


def failed_pass(case: Case) -> Answer | None:
    line = missed_by(case.tensor) if case.tensor.is_leaf else record_of(case.node).get("failed")
    return line and Answer("failed pass", f"{case.name}.grad is None: the pass{place(line)} ended "
                           f"with an error before it came to {case.name}.", show=[case.tensor],
                           line=line)


def emptied(case: Case) -> Answer:
    name, key = case.name, case.result[0] if case.result else "a result"
    empties = [one for one in case.training.of_kind("empty") if not case.training.left_others(one)]
    passes = case.training.of_kind("grad")
    noted = [event for event in case.history if event.kind in ("pass", "emptied")][-1:]
    opening = f"{key} was computed from {name}, and a pass has gone through that graph"
    read = Fix(f"Read {name}.grad after backward() and before zero_grad().", "none")
    if noted and noted[0].kind == "emptied":
        where = place(noted[0].line)
        return Answer("emptied", f"{opening}; since then {name}.grad was emptied{where}.", [read])
    if passes and not empties and not case.training.of_kind("backward"):
        return Answer("grad()",
                      f"{name}.grad is None: the pass{place(passes[-1].line)} was a grad(), which "
                      "returns gradients and leaves .grad alone.",
                      [Fix(f"Call backward() on {key} in its place.", "none")])
    if certain := [event for event in empties if has_run(case.program, event.call)]:
        return Answer("emptied", f"{opening}; since then {name}.grad was set to None, as "
                      f"zero_grad(){place(certain[-1].line)} does.", [read])
    custom = [node for node in case.narrow if hasattr(type(node), "save_for_backward")]
    if custom and not empties and not passes:
        node = custom[0]
        return Answer("None on the way",
                      f"{name}.grad is None, although {opening}: {case.named(node)}, a "
                      "custom Function on every path, may have returned None for this input. "
                      f"{where_it_returns(node)}".strip(),
                      [RETURN], [node], more="watch() tells what it returned.")
    others = [word for word, events in (("zero_grad()", empties), ("a grad()", passes)) if events]
    said = f"it may have been {' or '.join(others)}" if others else "what took it away is not known"
    return Answer("emptied", f"{opening}, but {name}.grad is None: {said}.",
                  [read] if empties else [WATCH])
