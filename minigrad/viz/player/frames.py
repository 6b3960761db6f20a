"""From a `Recording` to frames: the picture of the graph after each step, and the step in words.

`frames(recording)` depends on its arguments alone. All frames show the same boxes and arrows in the same
order; what changes is written in them: numbers on the arrows, how many messages have come, `.grad`, and
saved values that are gone. In a folded picture, steps inside a folded part are told in one go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..fold import fold
from ..model import Box, Graph, Picture
from ..views import engine_view
from . import passes
from .record import Recording, Step

MOST_FRAMES = 80
MOST_BOXES = 3000  # in all frames of a player together
MOST_LEAVES = 8  # named at the end
MOST_KEYS = 8  # frames of the printed strip


@dataclass(frozen=True)
class Frame:
    picture: Picture
    text: str
    title: str  # a few words for the list of steps
    key: bool = False  # belongs into the printed strip
    count: str = ""  # which step of how many


def frames(recording: Recording, max_nodes: int | None = 40) -> list[Frame]:
    film = Film(recording, max_nodes)
    keys = film.keys()
    return [Frame(film.picture(moment), film.text(moment), film.title(moment), at in keys, film.count(moment))
            for at, moment in enumerate(film.moments)]


@dataclass(frozen=True)
class Moment:
    """`done` steps have ended, the last `new` of them since the moment before."""

    done: int
    new: int = 0
    kind: str = "step"  # start, step, folded (steps that the picture doesn't show), skipped, end


class Film:
    def __init__(self, recording: Recording, max_nodes: int | None) -> None:
        self.recording, self.graph, self.max_nodes = recording, recording.graph, max_nodes
        self.expected = passes.expected(self.graph)
        self.shown, self.place = self.folded(self.graph)
        self.moments = list(self.cut())

    def folded(self, graph: Graph) -> tuple[Picture, dict[int, int]]:
        """The picture without a pass, and where in it each operation stands, unless it was folded away."""
        whole = engine_view(graph)
        ops = [box for box in whole.boxes if box.kind in ("op", "accumulate")]  # in the order of graph.ops
        picture = fold(whole, self.max_nodes)
        at = {id(box): place for place, box in enumerate(picture.boxes)}
        return picture, {op: at[id(box)] for op, box in enumerate(ops) if id(box) in at}

    def cut(self) -> Iterable[Moment]:
        """One moment for each step that can be seen; the others are gathered."""
        steps, count, hidden = self.recording.steps, 1, 0
        most = min(MOST_FRAMES, max(12, MOST_BOXES // len(self.shown.boxes)))
        yield Moment(0, kind="start")
        for at, step in enumerate(steps):
            if step.op not in self.place and not step.error:
                hidden += 1
                continue
            if hidden:
                yield Moment(at, hidden, "folded")
            count, hidden = count + 1 + (hidden > 0), 0
            if count > most - 2 and at + 1 < len(steps):
                yield Moment(len(steps), len(steps) - at, "skipped")
                break
            yield Moment(at + 1, 1)
        if hidden:
            yield Moment(len(steps), hidden, "folded")
        if not (steps and steps[-1].error):
            yield Moment(len(steps), kind="end")

    # ------------------------------------------------------------ the picture of a moment

    def picture(self, moment: Moment) -> Picture:
        past = self.recording.steps[:moment.done]
        picture, place = self.folded(passes.after(self.graph, past))
        now = past[-1] if moment.kind == "step" else None
        got = passes.arrived(self.graph, past)
        ran = Counter(step.op for step in past)
        for op, at in place.items():
            here = now is not None and now.op == op
            picture.boxes[at] = self.op_box(picture.boxes[at], op, here and now, ran[op], got[op])
        if moment.kind == "folded":
            folds = [at for at, box in enumerate(picture.boxes) if box.kind == "fold"]
            for at in folds if len(folds) == 1 else []:
                picture.boxes[at] = replace(picture.boxes[at], mark="here")
        self.write_messages(picture, place, past)
        picture.title = f"Backward from {self.roots()}, step {moment.done} of {len(self.recording.steps)}"
        picture.direction = "right"
        return picture

    def op_box(self, box: Box, op: int, now: Step | None | bool, ran: int, got: int) -> Box:
        """The row that says how things stand is there in every frame, as the badge or as a line."""
        lines = list(box.lines)
        if box.kind == "accumulate" and ran:
            last = [step for step in self.recording.steps if step.op == op][ran - 1]
            came = passes.label(last.arrived[0] if last.arrived else None)
            lines = [line.replace("...", came) for line in lines]
        if now:
            return replace(box, lines=lines, mark="guilty" if now.error else "here")
        return replace(box, lines=[*lines, passes.standing(ran, got, self.expected[op])])

    def write_messages(self, picture: Picture, place: dict[int, int], past: Iterable[Step]) -> None:
        """The numbers that travelled, on the arrows they took; a later message replaces an earlier one."""
        on: dict[tuple[int, int], str] = {}
        for step in past:
            for entry, sent in enumerate(step.sent):
                if self.graph.ops[step.op].inputs[entry].op is not None and step.op in place:
                    on[place[step.op], entry] = passes.label(sent)
        start = dict(zip((root[0] for root in self.graph.roots), self.recording.start))
        begins = {place[op]: passes.label(grad) for op, grad in start.items() if op in place}
        entry: Counter[int] = Counter()  # how many arrows into each box we have seen
        for at, arrow in enumerate(picture.arrows):
            words = begins.get(arrow.tail, "") if arrow.kind == "grad_fn" else ""
            if arrow.kind in ("next", "none"):
                words = on.get((arrow.head, entry[arrow.head]), "")
                entry[arrow.head] += 1
            if words:
                picture.arrows[at] = replace(arrow, label=words)

    # ------------------------------------------------------------ the words of a moment

    def title(self, moment: Moment) -> str:
        if moment.kind in ("start", "end"):
            return moment.kind
        if moment.kind != "step":
            return f"{moment.done - moment.new + 1} to {moment.done}"
        step = self.recording.steps[moment.done - 1]
        op = self.graph.ops[step.op]
        return f"{moment.done} {op.name} {op.leaf.name if op.leaf else passes.made(op)}".strip()

    def text(self, moment: Moment) -> str:
        if moment.kind in ("start", "end"):
            return self.start_text() if moment.kind == "start" else self.end_text()
        first = f"Step {self.count(moment)}."
        if moment.kind == "step":
            return f"{first} {self.step_text(moment.done - 1)}"
        steps = self.recording.steps[moment.done - moment.new:moment.done]
        kinds = Counter(self.graph.ops[step.op].name for step in steps)
        which = ", ".join(f"{count} {name}" for name, count in kinds.most_common(3))
        what = "nodes in the folded part ran" if moment.kind == "folded" else "more steps are not shown"
        return f"{first} {moment.new} {what}: {which}."

    def count(self, moment: Moment) -> str:
        if moment.kind in ("start", "end"):
            return moment.kind
        return f"{moment.done} of {len(self.recording.steps)}"

    def start_text(self) -> str:
        names = [(passes.who(self.graph.ops[root[0]]), grad) for root, grad in
                 zip(self.graph.roots, self.recording.start)]
        puts = [f"{'a gradient' if grad is None else grad.text} goes into {name}" for name, grad in names]
        words = "; ".join(puts)
        return f"Before the pass. {words[0].upper()}{words[1:]}. A node runs when all its messages have come."

    def end_text(self) -> str:
        if self.recording.error:
            return f"The pass stopped with {self.recording.error}"
        last = {step.op: passes.one_line(step.drawer[1]) for step in self.recording.steps if step.drawer}
        told = [f"{self.graph.ops[op].leaf.name}.grad is {grad}" for op, grad in last.items()]
        if len(told) > MOST_LEAVES:
            told[MOST_LEAVES - 1:] = [f"{len(told) - MOST_LEAVES + 1} other leaves have theirs"]
        freed = sum(len(step.freed) for step in self.recording.steps)
        kept = "The graph is kept, with all that it saved" if self.recording.keeps else \
            f"{freed} saved value{'s' * (freed != 1)} freed"
        return f"The pass is over. {'; '.join(told) or 'No leaf got a gradient'}. {kept}."

    def step_text(self, at: int) -> str:
        step = self.recording.steps[at]
        op = self.graph.ops[step.op]
        words = [f"{passes.who(op)}: {passes.arrival(self.recording, at)}."]
        if step.error:
            return f"{words[0]} It raised {step.error} The pass stops here."
        for entry, sent in enumerate(step.sent):
            target = op.inputs[entry].op
            if target is not None:
                how = "None" if sent is None else passes.sending_words(op, entry, step, sent)
                words.append(f"To {passes.who(self.graph.ops[target])}: {how}.")
        if step.drawer:
            words.append(passes.drawer_words(op.leaf.name, step))
        words += [f"{op.outputs[nr].name or 'Its output'}.grad is now {grad} (retained)."
                  for nr, grad in step.retained]
        words += self.waiting(at)
        if step.freed:
            words.append(f"Freed: {', '.join(op.saved[place].slot for place in step.freed)}.")
        return " ".join(words)

    def waiting(self, at: int) -> Iterable[str]:
        """The nodes that just got a message and need more."""
        op = self.graph.ops[self.recording.steps[at].op]
        got = passes.arrived(self.graph, self.recording.steps[:at + 1])
        for target in dict.fromkeys(entry.op for entry in op.inputs if entry.op is not None):
            if got[target] < self.expected[target]:
                name = passes.who(self.graph.ops[target])
                yield f"{name} has {got[target]} of {self.expected[target]}: it waits."

    def roots(self) -> str:
        ops = [(self.graph.ops[op], nr) for op, nr in self.graph.roots]
        tensors = [op.leaf or op.outputs.get(nr) for op, nr in ops]
        return " and ".join((tensor and tensor.name) or op.name for tensor, (op, _) in zip(tensors, ops))

    def keys(self) -> set[int]:
        """The moments that tell most: sums, waiting, leaves, and the last one."""
        last = len(self.moments) - 1
        telling = [at for at, moment in enumerate(self.moments[:last]) if self.is_telling(moment)]
        while len(telling) > MOST_KEYS - 1:
            del telling[len(telling) // 2]
        return {*telling, last}

    def is_telling(self, moment: Moment) -> bool:
        if moment.kind != "step":
            return False
        step = self.recording.steps[moment.done - 1]
        waits = any(True for _ in self.waiting(moment.done - 1))
        return waits or bool(step.drawer) or self.expected[step.op] > 1 or bool(step.error)
