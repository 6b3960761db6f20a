"""For `why`: what is added into a loss, and changes no gradient or not all that it should."""
from __future__ import annotations

import ast
from typing import Any

from ..drawing.explanation import Fix
from ..graph.facts import is_tensor
from ..program.cuts import Source, sources_of
from ..program.given import held_by
from ..program.node_lines import Line, line_of
from ..program.parsed import last_name
from ..watching.calls import calls_with
from ..watching.cut_notes import ends_of, losses_of
from .answer import Answer, place
from .constants import of_number, summands_of
from .cut import no_gradient_of
from .evidence import Case
from .recorded import MEMORY, SAMPLE

MAKERS = {"tensor": "torch.tensor()", "as_tensor": "torch.as_tensor()",
          "Parameter": "nn.Parameter()", "Variable": "Variable()"}
ROUNDING = 1e-6  # what may be left of the difference of two numbers that are the same


def without_gradient(case: Case) -> Answer | None:
    """A constant among the summands of a loss that the tensor's gradient came from."""
    for start in case.starts:
        text = ast.unparse(start)
        added = case.common.once(("summands", text), case.program,
                                 lambda: list(summands_of(case, start, None)))  # noqa: B023
        values = [case.program.value(start), *(value for _, value, _ in added)]
        if any(is_tensor(one) and case.leads_to(one) for one in values) and (
                found := case.common.once(("constant", text), case.program,
                                          lambda: _constant(case, added))):  # noqa: B023
            return found._replace(guilty=[case.tensor])
    return None


def new_leaf(case: Case) -> Answer | None:
    """A summand that ends at a new leaf, made from the numbers of what the tensor led to.

    A leaf that an optimizer or a model holds, or that was written, is meant to be one.
    """
    for word, line, leaf, events in ends_of(case.tensor):
        if not any(one.kind in ("step", "written") for one in events) and not _is_kept(case, leaf):
            return _of_leaf(case, case.names.of(leaf) if leaf is not None else "", word, line)
    for leaf in case.leaves:
        name = case.names.of(leaf)
        origin = case.program.assigned(name) if name.isidentifier() else None
        call: Any = origin.expression if origin else None
        if isinstance(call, ast.Call) and last_name(call.func) == "requires_grad_":
            call = getattr(call.func, "value", None)
        word = MAKERS.get(last_name(call.func), "") if isinstance(call, ast.Call) else ""
        if origin is None or not word or leaf is case.tensor or _is_kept(case, leaf):
            continue
        outer = Source(word, None, line_of(call))
        for cut in sources_of(case.cuts.trail, origin, case.leads_to, outer):
            return of_number(case, cut) or _of_leaf(case, name, word, outer.line)
    return None


def _of_leaf(case: Case, name: str, word: str, line: Line | None) -> Answer:
    which = f"{name}, a new leaf" if name else "a new leaf"
    word = MAKERS.get(word.removesuffix("()"), word)
    several = ", or torch.stack([...]) for several" * word.startswith("torch.")
    return Answer("constant summand", f"The loss also depends on {case.name} through the numbers "
                  f"of {which} that {word} made{place(line)}. The gradient of what they add to the "
                  f"loss ends there, and never comes to {case.name}.",
                  [Fix(f"Use the tensor itself in this line{several}.", MEMORY)], [case.tensor],
                  line=line)


def _is_kept(case: Case, leaf: Any) -> bool:
    """Whether an optimizer or a model holds a leaf."""
    held = case.common.once("held", case.names, lambda: {
        id(one) for _, optimizer in case.training.optimizers for one in held_by(optimizer)})
    return leaf is not None and (id(leaf) in held or id(leaf) in case.common.model_of)


def sampled(case: Case) -> Answer | None:
    """A parameter of a distribution whose samples a module took without their history.

    A loss of log_prob() needs none, and where the text calls rsample(), samples may be meant.
    """
    lines = {one.line for one in losses_of(case.tensor) if one.word == "no_grad"}
    last = next((one for one in reversed(case.history) if one.kind == "pass"), None)
    known = calls_with(case.tensor) if lines and last is not None else None
    if known is None or not known[1] or any(
            getattr(part, "attr", "") in ("log_prob", "rsample") for part in case.program.parts):
        return None
    for call in known[1][-1].root.calls():
        if call.sampled in lines and last is not None and call.of_pass == last.of_pass:
            return Answer("sample", f"The loss also depends on {case.name} through what "
                          f"{call.path} was given{place(call.sampled)}, and no gradient came that "
                          "way: sample() records nothing, and rsample() does.", [SAMPLE],
                          [case.tensor], line=call.sampled)
    return None


def _constant(case: Case, added: list[tuple[str, Any, Line]]) -> Answer | None:
    for name, value, line in added:
        origin = case.program.assigned(name)
        if not is_tensor(value) or value.requires_grad or value.numel() != 1 or origin is None:
            continue
        opening = f"{name} is added into the loss{place(line)}, and changes no gradient"
        if found := no_gradient_of(case, name):
            return found._replace(cause="constant summand", sentence=f"{opening}: {found.sentence}")
        size = value.item()
        cut = next(iter(case.cuts.cut_off(value, origin)), None) if abs(size) < ROUNDING else None
        if cut is not None:
            of = case.names.of(cut.value) or "a value" if is_tensor(cut.value) else cut.value.text
            made, what = line_of(origin.expression), f"{size:.2g}" if size else "exactly 0"
            return Answer("constant summand", f"{opening}: it is {what} and requires no "
                          f"gradient. {name}{place(made)} was computed from {of}, whose history "
                          f"ended by {cut.word}{place(cut.line)}.",
                          [Fix(f"Compute {name} from the output of what is to learn by it.",
                               "none")], line=made)
    return None
