"""What a recorded pass had done after some of its steps: counts, graph, and words."""
from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace

from ..graph.model import Graph, Op, Tensor
from .record import Grad, Recording, Step
from .step_words import told

LONGEST_LABEL = 22  # letters on an arrow; longer numbers give way to their shape
MOST_MESSAGES = 6  # written out in a sum


def expected(graph: Graph) -> Counter[int]:
    """How many messages each operation waits for: one for each edge that leads to it."""
    return _messages(graph, range(len(graph.ops)))


def arrived(graph: Graph, past: Iterable[Step]) -> Counter[int]:
    """How many messages have come by now; a message may say None."""
    return _messages(graph, (step.op for step in past if not step.error))


def _messages(graph: Graph, ran: Iterable[int]) -> Counter[int]:
    count = Counter(op for op, _ in graph.made_roots)
    count.update(entry.op for op in ran for entry in graph.ops[op].inputs if entry.op is not None)
    return count


def after(graph: Graph, past: Iterable[Step]) -> Graph:
    """The graph as it is after these steps: drawers are fuller, saved values are gone."""
    grads: dict[int | None, str] = {}  # by key of the tensor
    freed: dict[int, set[int]] = defaultdict(set)
    for step in past:
        op = graph.ops[step.op]
        freed[step.op].update(step.freed)
        if step.drawer and op.leaf is not None and not step.error:
            grads[op.leaf.key] = step.drawer[1]
        for nr, grad in step.retained:
            grads[op.outputs[nr].key] = grad

    def now(tensor: Tensor) -> Tensor:
        known = tensor.grad is not None and tensor.key in grads
        return replace(tensor, grad=grads[tensor.key]) if known else tensor

    def op_now(at: int, op: Op) -> Op:
        saved = [replace(item, state="freed") if place in freed[at] else item
                 for place, item in enumerate(op.saved)]
        outputs = {nr: now(tensor) for nr, tensor in op.outputs.items()}
        return replace(op, saved=saved, outputs=outputs, leaf=op.leaf and now(op.leaf))

    return replace(graph, ops=[op_now(at, op) for at, op in enumerate(graph.ops)])


# ---------------------------------------------------------------- small words

def standing(ran: int, got: int, wanted: int) -> str:
    if ran:
        return "done"
    return f"{got} of {wanted} arrived: {'ready' if got >= wanted else 'wait'}"


def label(grad: Grad | None) -> str:
    if grad is None:
        return "None"
    return grad.text if len(grad.text) <= LONGEST_LABEL else str(grad.shape)


def who(op: Op) -> str:
    if op.leaf is not None:
        return f"AccumulateGrad of {op.leaf.name or 'a leaf'}"
    return f"{op.name} ({made(op)})" if made(op) else op.name


def made(op: Op) -> str:
    return ", ".join(tensor.name for _, tensor in sorted(op.outputs.items()) if tensor.name)


def sending(op: Op, entry: int, step: Step) -> str:
    """What the node sent to one entry of next_functions, and how that came about."""
    if (sent := step.sent[entry]) is None:
        return "None"
    got = step.arrived[0] if len(step.arrived) == 1 else None
    return f"{sent.text} out" if got is None else told(op, entry, got, sent)


def arrival(recording: Recording, at: int) -> str:
    """What came, message by message, and what the node was then called with."""
    graph, step = recording.graph, recording.steps[at]
    sent: list[tuple[tuple[int | None, int], Grad | None]] = [
        *zip(graph.made_roots, recording.start)]
    for old in recording.steps[:at]:
        sent += [((entry.op, entry.output_nr), grad)
                 for entry, grad in zip(graph.ops[old.op].inputs, old.sent)]
    came: dict[int, list[Grad]] = defaultdict(list)  # by output of the operation
    for (op, nr), grad in sent:
        if op == step.op and grad is not None:
            came[nr].append(grad)
    return ", ".join(_sum(came[nr], grad) + (f" at output {nr}" if len(step.arrived) > 1 else "")
                     for nr, grad in enumerate(step.arrived))


def _sum(came: list[Grad], grad: Grad | None) -> str:
    if grad is None:
        return "no gradient (None) arrived"
    terms = [message.numbers for message in came if message.numbers is not None]
    if grad.numbers is None or not came or len(terms) < len(came):
        words = f"{'a gradient of ' * (grad.numbers is None)}{grad.text} arrived"
        return f"{words}, {len(came)} messages added up" if len(came) > 1 else words
    many = len(came) > MOST_MESSAGES
    words = f"{len(came)} messages" if many else " + ".join(message.text for message in came)
    # Up to what is lost when large numbers of low precision cancel out.
    if any(abs(sum(each) - number) > 5e-3 * sum(map(abs, each))
           for *each, number in zip(*terms, grad.numbers)):
        return f"{words} arrived, and a hook made it {grad.text}"
    return f"{words} = {grad.text} arrived" if len(came) > 1 else f"{words} arrived"


def drawer_words(name: str, drawer: tuple[str, str], arrived: Grad | None) -> str:
    before, now = map(one_line, drawer)
    if before == "None":
        return f"{name}.grad was None and is now {now}."
    got = arrived.text if arrived else "None"
    return f"{name}.grad += {got}: it was {before} and is now {now}."


def one_line(text: str) -> str:
    return " ".join(text.split())
