"""For `why`: a gradient that is None or adds up over passes, and a parameter that no step changes."""
from __future__ import annotations

import ast

from . import records
from .evidence import Answer, Case, place
from .explain_lines import line_words
from .explanation import Fix
from .facts import is_tensor, numbers, version_of
from .places import line_of
from .source import Assigned
from .trail import Source

MEMORY = "what the operations save stays in memory until the pass"
ANOTHER = "another function is trained"
CUTS = {  # how a value went on, what that does, what to do instead, and the price of that
    "no_grad": ("under no_grad", "where nothing is recorded", "Move this line out of no_grad.", MEMORY),
    "inference_mode": ("under inference_mode", "where nothing is recorded",
                       "Move this line out of inference_mode.", MEMORY),
    "integers": ("as whole numbers", "which have no slope",
                 "Use a smooth operation, such as softmax for argmax.", ANOTHER),
    "booleans": ("as booleans", "which have no slope",
                 "Use a smooth operation, such as sigmoid for a comparison.", ANOTHER),
    "torch.tensor()": ("through torch.tensor()", "which copies the numbers alone",
                       "Use the tensor itself, or torch.stack([...]) for several.", MEMORY),
    "same memory": ("as memory that it shares", "which has no history", "Use the tensor itself.", MEMORY),
}
OTHER = ("through {}", "which passes the value on without its history", "Leave out {} here.", MEMORY)


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
        off = "" if case.recording() else " Operations are not recorded at the moment (no_grad)."
        fix = Fix(f"Compute the result from {name} itself: not from an earlier copy, not under "
                  "no_grad.", "none")
        return Answer("not used", f"{name} is a leaf that requires a gradient, and none of the variables "
                      "here was computed from it while operations were "
                      f"recorded.{off}", [fix], [tensor], [tensor],
                      case.looked_at())
    text, root = case.roots[0]
    stranger = next((leaf for leaf in case.leaves(root)
                     if leaf.shape == tensor.shape and not case.names.of(leaf)), None)
    if stranger is not None:
        fix = Fix(f"Run the forward pass again after {name} was made anew, and make the optimizer after it.",
                  "another forward pass; the averages of an optimizer start anew")
        return Answer("replaced", f"{name}.grad is None: {text} was computed from another leaf of the same "
                      "shape, which no variable here holds, and not from "
                      f"{name}.", [fix], [tensor], [root, tensor])
    fix = Fix(f"Compute {text} from {name}, or leave {name} out of the optimizer.", "none")
    where = "on which backward() is called" if case.loss is None else "the given loss"
    return Answer("not used", f"{name}.grad is None: {text}, {where}, was not computed from {name}.", [fix],
                  [tensor], [root, tensor], f"{case.looked_at()} No cut was found on the way.")


def cut_answer(case: Case, cut: Source, text: str, opening: str) -> Answer:
    how, does, fix, price = (words.format(cut.word) for words in CUTS.get(cut.word, OTHER))
    source = cut.value if isinstance(cut.value, str) else case.names.of(cut.value) or "a value"
    found = cut.value if is_tensor(cut.value) else case.tensor
    return Answer("cut", f"{opening}: {source} went into {text} {how}{place(cut.line)}, {does}.",
                  [Fix(fix, price)], [found], [*(root for _, root in case.roots), found], cut=cut)


def no_pass(case: Case) -> Answer | None:
    if case.ran:
        return None
    key, result = case.result
    none = "" if case.training.says("backward", "grad") else " No line here calls backward()."
    return Answer("no pass", f"{key} was computed from {case.name}, and no pass has gone through what lies "
                  f"between.{none}", [Fix(f"Call backward() on {key} first.", "none")], show=[result])


def not_among_inputs(case: Case) -> Answer | None:
    for event in case.training.events:
        given = [one.value for one in getattr(event.call, "keywords", ()) if one.arg == "inputs"]
        parts = getattr(given[0], "elts", given) if event.kind == "backward" and given else []
        values = [case.program.value(part) for part in parts]
        if values and all(is_tensor(one) and one is not case.tensor for one in values):
            fix = Fix(f"Add {case.code} to inputs=, or leave inputs= out.",
                      "the gradients of more leaves are computed and kept")
            return Answer("inputs", f"{case.name}.grad is None: the pass{place(event.line)} fills the .grad "
                          f"of its inputs={', '.join(map(ast.unparse, parts))} alone, and {case.name} is "
                          "none of them.", [fix], [case.tensor])
    return None


def lost_on_the_way(case: Case) -> Answer | None:
    if (node := case.turn(lambda passed: passed is None)) is None:
        return None
    fix = Fix("Return a gradient for this input from the backward of the Function.", "the time to compute it")
    return Answer("None on the way", f"{case.name}.grad is None: {case.called(node)}{place(case.line(node))} "
                  "received a gradient and returned None for this input.", [fix], [node])


def emptied(case: Case) -> Answer:
    name, key = case.name, case.result[0]
    empties, passes = case.training.of_kind("empty"), case.training.of_kind("grad")
    if passes and not empties and not case.training.of_kind("backward"):
        return Answer("grad()", f"{name}.grad is None: the pass{place(passes[-1].line)} was a grad(), which "
                      "returns gradients and leaves .grad alone.",
                      [Fix(f"Use what grad() returns, or call backward() on {key}.", "none")])
    line = place(empties[-1].line) if empties else ""
    return Answer("emptied", f"{key} was computed from {name}, and a pass has gone through that graph; since "
                  f"then {name}.grad was set to None, as zero_grad(){line} does, or the pass was a grad(), "
                  "which leaves .grad alone.", [Fix(f"Read {name}.grad after backward() and before "
                                                    "zero_grad().", "none")])


# --- sums over passes, and steps

def doubled(case: Case) -> Answer | None:
    """A gradient that was written to, where the text calls backward() again without emptying it."""
    count, name = version_of(case.tensor.grad) or 0, case.name
    event = case.training.adding() if count else None
    if event is None or not event.loops and count < case.uses:  # one pass sums over the uses in place, too
        return None
    seen = dict.fromkeys(line_words(line) for _, line in records.writes_of(case.tensor.grad) or ())
    more = f"watch() saw these writes: {'; '.join(seen)}." if len(seen) > 1 else (
        "A write may also be something else, such as clipping: watch() records the line of each.")
    times = "once" if count == 1 else f"{count} times"
    holder = next((held for held, _, _ in case.training.holders), None)
    empty = f"{holder}.zero_grad()" if holder else f"{case.code}.grad = None"
    return Answer("doubled", f"{name}.grad is a sum over passes: it has been written to in place {times} "
                  f"since it was made, and nothing empties it between one backward(){place(event.line)} and "
                  "the next.",
                  [Fix(f"Write `{empty}` before each backward().",
                       "none, unless gradients are meant to add up over several batches")], [case.tensor],
                  more=more)


def not_held(case: Case) -> Answer | None:
    """Optimizers, none of which holds the tensor."""
    if case.training.holders or not (names := case.training.strangers):
        return None
    which = f"{names[0]} does not hold" if len(names) == 1 else f"None of {', '.join(names)} holds"
    return Answer("no optimizer", f"{which} {case.name}{made(case, names[0])}, so no step() of "
                  f"{names[0] if len(names) == 1 else 'theirs'} changes it.",
                  [Fix(f"Call `{names[0]}.add_param_group({{'params': [{case.code}]}})`, or make the "
                       "optimizer from all parameters, after the model is complete.",
                       "the memory for its averages, such as Adam's")], [case.tensor])


def made(case: Case, name: str) -> str:
    """The line that made an optimizer."""
    assigned = case.program.assigned(name)
    return place(line_of(assigned.expression)) if assigned else ""


def rate_zero(case: Case) -> Answer | None:
    rates = [group["lr"] for _, _, group in case.training.holders if "lr" in group]
    if not rates or any(float(rate) for rate in rates):
        return None
    name = case.training.holders[0][0]
    return Answer("lr 0", f"The learning rate of {case.name} in {name}{made(case, name)} is 0, so step() "
                  "leaves it as it is.", [Fix("Give its group a rate above 0, `group['lr'] = 0.01`, and look "
                                    "at the scheduler, if there is one.", "none")], [case.tensor])


def step_without(case: Case) -> Answer | None:
    """Every step() comes after something that empties the gradients, and before the next backward()."""
    steps = [event for event in case.training.of_kind("step") if case.training.holds(event)]
    early = [case.training.before(event) for event in steps]
    if not steps or not all(one and one.kind == "empty" for one in early):
        return None
    return Answer("step without gradient", f"step(){place(steps[-1].line)} never finds a gradient of "
                  f"{case.name}: the gradients are emptied{place(early[-1].line)}, and no backward() comes "
                  "between.",
                  [Fix("Write the calls in this order: zero_grad(), backward(), "
                       "step().", "none")], [case.tensor])


def no_step(case: Case) -> Answer | None:
    if not case.training.holders or case.training.says("step"):
        return None
    name = case.training.holders[0][0]
    return Answer("no step", f"{case.name}.grad is there, and {name} holds {case.name}, but no line here "
                  f"calls {name}.step().", [Fix(f"Call `{name}.step()` after backward().", "none")])


def healthy(case: Case) -> Answer:
    found, facts = numbers(case.tensor.grad), ["", ""]
    if found and found.size:
        facts[0] = f": {found.size} finite number{'s' * (found.size != 1)}, the largest {found.largest:.4g}"
    for name, _, group in case.training.holders[:1]:
        facts[1] = f"; {name} holds {case.name} with lr {group.get('lr')}"
    count = version_of(case.tensor.grad) or 0
    more = (f"It has been written to in place {count} time{'s' * (count > 1)} since it was made: each pass "
            "adds to it until zero_grad(), and clipping writes to it, too.")
    more *= count >= max(1, case.uses)
    said = f"{case.name}.grad is there, and nothing wrong was found{''.join(facts)}."
    return Answer("healthy", said, more=more)
