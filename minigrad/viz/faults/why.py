"""`why(x)`: why is this gradient None, zero, NaN, doubled or huge, and why doesn't this parameter
move?

Each cause is a function that looks at a `Case` and answers, or returns None; the first answer
counts. An answer states what was found. Where nothing is certain, it says what was looked at.
"""
from __future__ import annotations

from dataclasses import replace
from types import FrameType
from typing import Any

from ..drawing.explanation import Explanation, Fix
from ..drawing.fold import fold
from ..drawing.graph_views import engine_view
from ..graph.facts import called, is_tensor, unheard
from ..graph.model import Picture
from ..graph.modules import is_model
from ..graph.once import unchanged
from ..graph.walk import in_forward_order
from ..program.custom_functions import unchecked_words
from ..program.names import Names, find_names
from ..program.read import read
from ..program.where_it_runs import _caller
from . import (
    aliases,
    constants,
    copies,
    missing,
    networks,
    optimizer_steps,
    recorded,
    replaced,
    steps,
    summands,
    unused,
    used_up_iterators,
)
from .answer import Answer, mark, place
from .beside import beside
from .equal_rows import equal_rows
from .evaluation_mode import wrong_mode
from .evidence import Case
from .extreme_numbers import WATCH, bad_result, huge, not_finite, was_huge
from .gradient_hooks import (
    changed_again,
    hook_in_text,
    hooks_on_the_way,
    registered_again,
    written_gradient,
)
from .growing import grows
from .healthy import healthy
from .made import made_line
from .misnamed import misnamed
from .no_leaf import constant, interior
from .only_zeros import only_zeros
from .overwritten import overwrote, through_data, written_between
from .parameters import MADE, Parameters, own_backwards, table_of
from .recurrent import all_zero
from .schedules import rate_fell, rate_low, rate_rises, rate_squared
from .sequence_layers import batch_as_time, inverted_mask
from .untied import untied
from .unused import died_unlimited
from .vanishing import of_constants, one_number, vanishing
from .written_backwards import lost_on_the_way
from .zero import zero


def explain_refusal(error: RuntimeError) -> Explanation:
    """Explain an error. `errors` stands above this room, so the package puts its function here."""
    raise error


@unheard
@unchanged
def why(x: Any, loss: Any = None) -> Explanation | Parameters:
    """Explain the gradient of `x`: why it is None, zero, NaN, doubled or huge, or why `x` doesn't
    move.

    Example:
        z = encoder(data).detach()
        decoder(z).sum().backward()
        why(encoder.weight)  # ... went into ... through detach() (train.py:1, ...) ...
        why(encoder)  # a table of all its parameters, the worst first

    Args:
        x: a tensor, such as a parameter of a model; or a model.
        loss: the result whose gradient a pass computes; None looks for calls of `backward()` in
            the program, and for variables that were computed from `x`.

    Returns:
        An `Explanation`: what was found, the line of the program, the graph with the path from `x`
        marked, and fixes with their prices. Of a model a table: for each parameter its gradient,
        the last update against its size, its optimizer, whether it has moved, and why. Nothing is
        run and nothing changes. What a backward pass has freed is unknown, unless a variable holds
        it or the program ran under `watch()`, and so are updates without a `watch()`.

    Raises:
        TypeError: `x` is neither a tensor nor a model, or `loss` is not a tensor.
    """
    if not is_tensor(x) and not is_model(x):
        raise TypeError(f"why() takes a tensor or a model, not {called(x)}")
    if loss is not None and not is_tensor(loss):
        raise TypeError(f"why() takes a tensor, not {called(loss)}, as its loss")
    if is_model(x):
        names = find_names(x, frames=[_caller()])
        title = next((name for name, model in names.models if model is x), "")
        return table_of(x, names, answer, beside, loss, title)
    try:
        return why_of(x, loss, _caller())
    except RuntimeError as refusal:  # a view that can't be read any more: that is what to explain
        return explain_refusal(refusal)


def why_of(tensor: Any, loss: Any, frame: FrameType) -> Explanation:
    case = Case(tensor, find_names(None, frames=[frame]), loss)
    found = answer(case)
    sentences = [found.sentence, *filter(None, [found.more])]
    if found.cause == "vanishing" and (unchecked := unchecked_words(own_backwards(case))):
        sentences.insert(0, unchecked)
    hooks = hooks_on_the_way(case) if found.cause not in ("constant", "cut", "hooks") else ""
    if hooks and not any("has a hook" in one for one in sentences):
        sentences.append(hooks.strip())
    if found.cause in ("zero", "nan") and not any("hook" in one for one in sentences):
        sentences += filter(None, [hook_in_text(case)])
    title = f"The gradient of {case.name}"
    if not case.names.of(tensor):
        title = f"The gradient of a tensor that no variable holds, here called {case.name}"
    return Explanation(found.cause, title, sentences, list(found.fixes), picture_of(case, found))


def why_none(tensor: Any, names: Names) -> tuple[list[str], list[Fix], list[Any], list[Any]]:
    """(sentences, fixes, guilty, what to draw), for an error about a `.grad` that is None."""
    case = Case(tensor, names)
    found = answer(case)
    return [found.sentence], list(found.fixes), list(found.guilty), shown(case, found)


def answer(case: Case) -> Answer:
    tensor = case.tensor
    if found := networks.never_updated(case) or networks.rebound(case):  # a copy, frozen or not
        return found
    if not tensor.requires_grad:
        return constant(case)
    if not tensor.is_leaf and not getattr(tensor, "retains_grad", False):
        return interior(case)
    if case.loss is not None and tensor.grad is not None and not case.leads_to(case.loss) and (
            found := missing.by_text(case)):
        return found  # what is there came from others
    causes = MISSING if tensor.grad is None else THERE
    found = next(told for cause in causes if (told := cause(case)))
    if found.cause == "saturated":
        found = overwrote(case, found) or found
    elif found.cause == "zero" and (told := of_constants(case, found) or died_unlimited(case)):
        found = told._replace(more=f"It became 0 later. {found.sentence}" * (
            told.cause != "no slope"))
    if found.cause in BUILT and optimizer_steps.is_parameter(tensor) and (
            line := made_line(case)):
        found = found._replace(sentence=f"{found.sentence}{MADE.format(case.name, place(line))}")
    found = only_zeros(case, found)
    if case.was_watched:
        found = found._replace(fixes=[fix for fix in found.fixes if fix is not WATCH])
    return found


def emptied_since(case: Case) -> Answer | None:
    """What is known of a gradient that the last step took, and that was emptied since then."""
    events = case.history
    step = next((one for one in reversed(events) if one.kind == "step"), None)
    if step is None or step.grad is None or case.tensor.grad is not None and (
            events[-1].kind != "emptied" or not all_zero(case, case.tensor.grad)):
        return None
    causes = (changed_again, written_gradient, one_number, recorded.found_by_step,
              registered_again, *WATCHED, was_huge, networks.pattern, untied, wrong_mode,
              *SEQUENCES, equal_rows, *ADDED, grows, recorded.taken_by_step)
    return next(found for cause in causes if (found := cause(case)))


BUILT = ("zero", "no slope", "saturated", "vanishing")  # the cure is where the network is built
SEQUENCES = (batch_as_time, inverted_mask)
WATCHED = (misnamed, rate_fell, rate_low, rate_rises, rate_squared, unused.rounded_away,
           used_up_iterators.limited_nothing, used_up_iterators.looped_over_nothing,
           unused.not_limited, unused.limited_while_scaled, unused.thrown_away,
           replaced.new_in_each_step, replaced.schedule_of_another)
ADDED = (summands.without_gradient, summands.sampled, summands.new_leaf, constants.number,
         constants.detached)  # into a loss
MISSING = (missing.failed_pass, unused.gives_targets, missing.cut_by_text, steps.emptied_too_early,
           emptied_since, unused.no_step_ran, missing.not_connected, missing.no_pass,
           missing.not_among_inputs, lost_on_the_way, optimizer_steps.not_registered,
           optimizer_steps.not_held, missing.emptied)
THERE = (changed_again, written_gradient, networks.loss_of_logarithms, not_finite,
         steps.emptied_too_early, emptied_since, *SEQUENCES, one_number, equal_rows, zero,
         bad_result, optimizer_steps.not_registered, optimizer_steps.not_held, recorded.unheld,
         optimizer_steps.no_rate, optimizer_steps.never_stepped, unused.no_step_ran, *WATCHED,
         steps.doubled, huge, networks.pattern, untied, wrong_mode, registered_again, vanishing,
         written_between, aliases.alias, copies.one_module, *ADDED, through_data, grows, healthy)


# --- the picture

def shown(case: Case, found: Answer) -> list[Any]:
    usual = [case.result[1] if case.result else case.tensor]
    return list({id(one): one for one in found.show or usual}.values())


def picture_of(case: Case, found: Answer) -> Picture:
    """The graph, with the guilty marked, and a path from the tensor to the result."""
    targets = shown(case, found)
    graph = read(targets, case.names)
    order = in_forward_order([one.grad_fn for one in targets if one.grad_fn is not None])
    between = set(map(id, case.between))
    path = {at for at, node in enumerate(order) if id(node) in between}
    for at in path:
        graph.ops[at].inputs = [replace(entry, mark="path") if entry.op in path else entry
                                for entry in graph.ops[at].inputs]
    mark(graph, order, found.guilty, case)
    return fold(engine_view(graph), 40)
