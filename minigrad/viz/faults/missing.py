"""For `why`: a gradient that is None or adds up over passes, and a parameter that no step changes."""
from __future__ import annotations

import ast
from typing import Any

from ..drawing.explanation import Fix
from ..graph.facts import is_tensor, numbers, version_of
from ..graph.read import in_forward_order, is_accumulate
from ..program.places import line_of
from ..program.source import Assigned
from ..program.trail import Source
from ..watching import records
from .evidence import Answer, Case, place

MEMORY = "what the operations save stays in memory until the pass"
ANOTHER = "another function is trained"
CUTS = {  # how a value went on, what that does, what to do instead, and the price of that
    **dict.fromkeys(("no_grad", "inference_mode"), (
        "under {}", "where nothing is recorded", "Move this line out of {}.", MEMORY)),
    "integers": ("as whole numbers", "which have no slope",
                 "Use a smooth operation, such as softmax for argmax.", ANOTHER),
    "booleans": ("as booleans", "which have no slope",
                 "Use a smooth operation, such as sigmoid for a comparison.", ANOTHER),
    "torch.tensor()": ("through torch.tensor()", "which copies the numbers alone",
                       "Use the tensor itself, or torch.stack([...]) for several.", MEMORY),
}
OTHER = ("through {}", "which passes the value on without its history",
         "Use the tensor itself here, without {}.", MEMORY)


def not_connected(case: Case) -> Answer | None:
    name, tensor = case.name, case.tensor
    if any(case.leads_to(root) for _, root in case.roots) or not case.roots and case.results:
        return None
    for part in case.starts:
        for cut in case.cuts.trail.followed(Assigned(part, ""), case.leads_to):
            return cut_answer(case, cut, ast.unparse(part), f"{name}.grad is None")
    if case.results and case.loss is None and case.ran:
        return None
    if not case.roots:
        fix = Fix(f"Compute the result from {name} itself: not from an earlier copy, not under no_grad.",
                  "none")
        return Answer("not used", f"{name} is a leaf that requires a gradient, and none of the variables "
                      "here was computed from it while operations were recorded.", [fix], [tensor],
                      [tensor], case.looked_at())
    text, root = case.roots[0]
    if older := older_leaf(case, root):
        fix = Fix(f"Run the line that computes {text} again, and then the pass: both use the new {name}.",
                  "one forward pass")
        return Answer("made anew", f"{name}.grad is None: {text} was computed from another leaf of shape "
                      f"{tuple(older.shape)}, which no variable holds any more. If {name} was made anew "
                      f"after {text}, that leaf is the older {name}.", [fix], [older], [root, tensor])
    fix = Fix(f"Compute {text} from {name}.", "none")
    where = "on which backward() is called" if case.loss is None else "the given loss"
    return Answer("not used", f"{name}.grad is None: {text}, {where}, was not computed from {name}.", [fix],
                  [tensor], [root, tensor], f"{case.looked_at()} No cut was found on the way.")


def older_leaf(case: Case, root: Any) -> Any:
    """A leaf behind a result that no variable holds, of the shape and dtype of the tensor; or None."""
    nodes = in_forward_order([root.grad_fn]) if root.grad_fn is not None else []
    leaves = [node.variable for node in nodes if is_accumulate(node)]
    like = [leaf for leaf in leaves if leaf.shape == case.tensor.shape and leaf.dtype == case.tensor.dtype]
    return next((leaf for leaf in like if not case.names.of(leaf)), None)


def cut_answer(case: Case, cut: Source, text: str, opening: str) -> Answer:
    how, does, fix, price = (words.format(cut.word) for words in CUTS.get(cut.word, OTHER))
    source = (case.names.of(cut.value) or "a value") if is_tensor(cut.value) else cut.value.text
    found = cut.value if is_tensor(cut.value) else case.tensor
    return Answer("cut", f"{opening}: {source} went into {text} {how}{place(cut.line)}, {does}.",
                  [Fix(fix, price)], [found], [*(root for _, root in case.roots), found], cut=cut)


def no_pass(case: Case) -> Answer | None:
    if case.ran:
        return None
    key, result = case.result
    return Answer("no pass", f"{key} was computed from {case.name}, and no pass has gone through what lies "
                  "between.", [Fix(f"Call backward() on {key} first.", "none")], show=[result])


def not_among_inputs(case: Case) -> Answer | None:
    for event in case.training.events:
        given = [one.value for one in getattr(event.call, "keywords", ()) if one.arg == "inputs"]
        parts = getattr(given[0], "elts", given) if event.kind == "backward" and given else []
        values = [case.program.value(part) for part in parts]
        if values and all(is_tensor(one) and one is not case.tensor for one in values):
            fix = Fix(f"Add {case.code} to inputs=.", "one more gradient is computed and kept")
            return Answer("inputs", f"{case.name}.grad is None: the pass{place(event.line)} fills the .grad "
                          f"of its inputs={', '.join(map(ast.unparse, parts))} alone, and {case.name} is "
                          "none of them.", [fix], [case.tensor])
    return None


def lost_on_the_way(case: Case) -> Answer | None:
    if (node := case.turn(lambda passed: passed is None)) is None:
        return None
    fix = Fix("Return a gradient for this input from the backward of the Function.",
              "the time to compute it")
    return Answer("None on the way", f"{case.name}.grad is None: {case.named(node)} received a gradient "
                  "and returned None for this input.", [fix], [node])


def emptied(case: Case) -> Answer:
    name, key = case.name, case.result[0]
    empties, passes = case.training.of_kind("empty"), case.training.of_kind("grad")
    if passes and not empties and not case.training.of_kind("backward"):
        return Answer("grad()", f"{name}.grad is None: the pass{place(passes[-1].line)} was a grad(), which "
                      "returns gradients and leaves .grad alone.",
                      [Fix(f"Call backward() on {key} in its place.", "none")])
    line = place(empties[-1].line) if empties else ""
    return Answer("emptied", f"{key} was computed from {name}, and a pass has gone through that graph; since "
                  f"then {name}.grad was set to None, as zero_grad(){line} does, or the pass was a grad(), "
                  "which leaves .grad alone.", [Fix(f"Read {name}.grad after backward() and before "
                                                    "zero_grad().", "none")])


# --- sums over passes, and steps

def doubled(case: Case) -> Answer | None:
    """A gradient to which a watched pass added, or one that the text never empties between two passes."""
    name, event = case.name, case.training.adding()
    seen = records.record_of(case.node)
    line = seen.get("added")
    if line is None and (seen.get("passed") or event is None or not version_of(case.tensor.grad)):
        return None  # a second pass writes to .grad in place
    holder = next((held for held, _, _ in case.training.holders), None)
    empty = f"{holder}.zero_grad()" if holder else f"{case.code}.grad = None"
    fix = Fix(f"Write `{empty}` before each backward().",
              "none, unless gradients are meant to add up over several batches")
    if line is not None:
        return Answer("doubled", f"{name}.grad is a sum over passes: the pass{place(line)} added to the "
                      "gradient that an earlier one had left there.", [fix], [case.tensor])
    return Answer("not emptied", f"Nothing empties {name}.grad between one backward(){place(event.line)} "
                  "and the next, so it is a sum over passes as soon as a second one has run.", [fix],
                  [case.tensor], more=f"{case.writes()} watch() tells which pass added to it.")


def not_held(case: Case) -> Answer | None:
    """Optimizers, none of which holds the tensor."""
    if case.training.holders or not (names := case.training.strangers):
        return None
    origin = case.program.assigned(names[0])
    made = place(line_of(origin.expression)) if origin else ""
    fix = Fix(f"Call `{names[0]}.add_param_group({{'params': [{case.code}]}})` before the first step().",
              "the memory for its averages, such as Adam's")
    return Answer("no optimizer", f"No optimizer here holds {case.name}, so no step() changes it; {names[0]}"
                  f"{made} holds others.", [fix], [case.tensor])


def healthy(case: Case) -> Answer:
    found, held = numbers(case.tensor.grad), ""
    norm = "" if found.norm is None else f": its norm is {found.norm:.4g}"
    for name, _, group in case.training.holders[:1]:
        held = f"; {name} holds {case.name} with lr {group.get('lr')}"
        if not any(kind == "step" for kind, _ in case.training.everywhere):
            return Answer("no step", f"{case.name}.grad is there{held}, but no line calls {name}.step().",
                          [Fix(f"Call `{name}.step()` after backward().", "none")])
    return Answer("healthy", f"{case.name}.grad is there, and nothing wrong was found{norm}{held}.",
                  more=case.writes())
