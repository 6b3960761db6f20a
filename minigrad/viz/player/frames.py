"""From a `Recording` to frames: the picture of the graph after each step, and the step in words.

All frames show the same boxes and arrows in the same order; what changes is written in them:
numbers on the arrows, how many messages have come, `.grad`, and saved values that are gone.
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..drawing.fold import fold
from ..drawing.graph_views import engine_view
from ..graph.model import Box, Graph, Picture
from . import played_pass
from .record import Recording, Step

MOST_FRAMES = 80
MOST_LEAVES = 8  # named at the end
MOST_KEYS = 8  # frames of the printed strip


@dataclass(frozen=True)
class Frame:
    picture: Picture
    text: str
    key: bool = False  # belongs into the printed strip


def frames(recording: Recording, max_nodes: int | None = 40) -> list[Frame]:
    film = Film(recording, max_nodes)
    last = len(film.moments) - 1
    apart = last // MOST_KEYS + 1
    return [Frame(film.picture(moment), film.text(moment), (last - at) % apart == 0)
            for at, moment in enumerate(film.moments)]


@dataclass(frozen=True)
class Moment:
    """`done` steps have ended, the last `new` of them since the moment before."""

    done: int
    new: int = 0
    kind: str = "step"  # start, step, several (steps that are told together), end


class Film:
    def __init__(self, recording: Recording, max_nodes: int | None) -> None:
        self.recording, self.graph, self.max_nodes = recording, recording.graph, max_nodes
        self.expected = played_pass.expected(self.graph)
        self.shown, self.place = self.folded(self.graph)
        self.moments = self.cut()

    def folded(self, graph: Graph) -> tuple[Picture, dict[int, int]]:
        """The picture without a pass, and the place in it of each operation that isn't folded."""
        whole = engine_view(graph)
        # in the order of graph.ops
        ops = [box for box in whole.boxes if box.kind in ("op", "accumulate")]
        picture = fold(whole, self.max_nodes)
        at = {id(box): place for place, box in enumerate(picture.boxes)}
        return picture, {op: at[id(box)] for op, box in enumerate(ops) if id(box) in at}

    def cut(self) -> list[Moment]:
        """One moment for each step that can be seen; the others are gathered."""
        moments, done, steps = [Moment(0, kind="start")], 0, self.recording.steps
        for at, step in enumerate(steps):
            if (step.op in self.place or step.error) and len(moments) < MOST_FRAMES - 3:
                moments += [Moment(at, at - done, "several")] * (at > done)
                moments.append(Moment(at + 1, 1))
                done = at + 1
        if done < len(steps):
            moments.append(Moment(len(steps), len(steps) - done, "several"))
        if not (steps and steps[-1].error and moments[-1].kind == "step"):
            moments.append(Moment(len(steps), kind="end"))
        return moments

    def picture(self, moment: Moment) -> Picture:
        past = self.recording.steps[:moment.done]
        picture, place = self.folded(played_pass.after(self.graph, past))
        now = past[-1] if moment.kind == "step" else None
        got = played_pass.arrived(self.graph, past)
        ran = Counter(step.op for step in past)
        for op, at in place.items():
            here = now if now is not None and now.op == op else None
            picture.boxes[at] = self.op_box(picture.boxes[at], op, here, ran[op], got[op])
        self.write_messages(picture, place, past)
        steps = len(self.recording.steps)
        picture.title = f"Backward from {self.roots()}, step {moment.done} of {steps}"
        picture.direction = "right"
        return picture

    def op_box(self, box: Box, op: int, now: Step | None, ran: int, got: int) -> Box:
        """The row that says how things stand is there in every frame, as the badge or as a line."""
        lines = list(box.lines)
        if box.kind == "accumulate" and ran:
            last = [step for step in self.recording.steps if step.op == op][ran - 1]
            lines = [line.replace("...", played_pass.label(last.arrived[0])) for line in lines]
        if now:
            return replace(box, lines=lines, mark="guilty" if now.error else "here")
        return replace(box, lines=[*lines, played_pass.standing(ran, got, self.expected[op])])

    def write_messages(self, picture: Picture, place: dict[int, int], past: Iterable[Step]) -> None:
        """Show the numbers that travelled on the arrows they took, the latest on each."""
        on: dict[tuple[int, int], str] = {}
        for step in past:
            for nr, sent in enumerate(step.sent):
                if self.graph.ops[step.op].inputs[nr].op is not None and step.op in place:
                    on[place[step.op], nr] = played_pass.label(sent)
        start = dict(zip((op for op, _ in self.graph.made_roots), self.recording.start))
        begins = {place[op]: played_pass.label(grad) for op, grad in start.items() if op in place}
        entry: Counter[int] = Counter()  # how many arrows into each box we have seen
        for at, arrow in enumerate(picture.arrows):
            words = begins.get(arrow.tail, "") if arrow.kind == "grad_fn" else ""
            if arrow.kind in ("next", "none"):
                words = on.get((arrow.head, entry[arrow.head]), "")
                entry[arrow.head] += 1
            if words:
                picture.arrows[at] = replace(arrow, label=words)

    def text(self, moment: Moment) -> str:
        if moment.kind == "start":
            starts = zip(self.graph.made_roots, self.recording.start)
            puts = "; ".join(f"{grad.text} goes into {played_pass.who(self.graph.ops[op])}"
                             for (op, _), grad in starts if grad is not None)
            start = f"Before the pass. {puts[0].upper()}{puts[1:]}."
            return f"{start} A node runs when all its messages have arrived."
        if moment.kind == "end":
            return self.end_text()
        first = f"Step {moment.done} of {len(self.recording.steps)}."
        if moment.kind == "step":
            return f"{first} {self.step_text(moment.done - 1)}"
        steps = self.recording.steps[moment.done - moment.new:moment.done]
        kinds = Counter(self.graph.ops[step.op].name for step in steps)
        which = ", ".join(f"{count} {name}" for name, count in kinds.most_common(3))
        return f"{first} {moment.new} nodes ran that are not shown one by one: {which}."

    def end_text(self) -> str:
        if self.recording.error:
            return f"The pass stopped with {self.recording.error}"
        last = {step.op: played_pass.one_line(step.drawer[1]) for step in self.recording.steps
                if step.drawer}
        told = [f"{leaf.name}.grad is {grad}" for op, grad in last.items()
                if (leaf := self.graph.ops[op].leaf) is not None]
        if len(told) > MOST_LEAVES:
            told[MOST_LEAVES - 1:] = [f"{len(told) - MOST_LEAVES + 1} other leaves have theirs"]
        freed = sum(len(step.freed) for step in self.recording.steps)
        kept = "The graph is kept, with all that it saved" if self.recording.keeps else \
            f"{freed} saved value{'s' * (freed != 1)} freed"
        return f"The pass is over. {'; '.join(told) or 'No leaf got a gradient'}. {kept}."

    def step_text(self, at: int) -> str:
        step = self.recording.steps[at]
        op = self.graph.ops[step.op]
        words = [f"{played_pass.who(op)}: {played_pass.arrival(self.recording, at)}."]
        if step.error:
            return f"{words[0]} It raised {step.error} The pass stops here."
        targets = [(nr, entry.op) for nr, entry in enumerate(op.inputs) if entry.op is not None]
        words += [f"To {played_pass.who(self.graph.ops[target])}: "
                  f"{played_pass.sending(op, nr, step)}." for nr, target in targets]
        if step.drawer and op.leaf is not None:
            words.append(played_pass.drawer_words(op.leaf.name, step.drawer, step.arrived[0]))
        words += [f"{op.outputs[nr].name or 'Its output'}.grad is now {grad} (retained)."
                  for nr, grad in step.retained]
        got = played_pass.arrived(self.graph, self.recording.steps[:at + 1])
        waiting = {target: f"{got[target]} of {self.expected[target]}" for _, target in targets
                   if got[target] < self.expected[target]}
        words += [f"{played_pass.who(self.graph.ops[target])} has {messages}: it waits."
                  for target, messages in waiting.items()]
        if step.freed:
            words.append(f"Freed: {', '.join(op.saved[place].slot for place in step.freed)}.")
        return " ".join(words)

    def roots(self) -> str:
        """The names of what the pass begins at."""
        found = [(self.graph.ops[op], nr) for op, nr in self.graph.made_roots]
        tensors = [op.leaf or op.outputs.get(nr) for op, nr in found]
        return " and ".join((tensor and tensor.name) or op.name
                            for tensor, (op, _) in zip(tensors, found))
