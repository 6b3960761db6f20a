"""What the cases of one program share: its nodes, its text, and shared memory."""
from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cache, cached_property
from itertools import count
from typing import Any

from ..graph.facts import is_tensor, is_written_view, storage_of
from ..graph.modules import members
from ..graph.norms import Numbers, numbers
from ..graph.walk import in_forward_order, is_accumulate
from ..program.cuts import Cuts
from ..program.names import Names
from ..program.node_lines import Line, line_of
from ..watching.events import Event, since_judged
from ..watching.history import history_of


class Common:
    """Looked up once, also where `why(model)` asks for hundreds of parameters."""

    def __init__(self, names: Names, tensors: list[Any], loss: Any = None) -> None:
        self.names, self.tensors, self.loss = names, tensors, loss
        self.many = len(tensors) > 1
        self.cuts = Cuts(names)
        self._found: dict[tuple[Hashable, int], tuple[Any, Any]] = {}
        # of a node: the ids of those whose results it took
        self.inputs = cache(lambda node: [id(before) for before, _ in node.next_functions])

    @cached_property
    def nodes(self) -> list[Any]:
        """Every node behind a variable, inputs before users; a written view might change."""
        variables = (one for one in self.names.tensors.values() if not is_written_view(one))
        tensors = [*self.tensors, *filter(is_tensor, [self.loss]), *variables]
        return in_forward_order([one.grad_fn for one in tensors if one.grad_fn is not None])

    @cached_property
    def fillers(self) -> dict[int, Any]:
        """By the id of a leaf: the node that fills its .grad."""
        return {id(node.variable): node for node in self.nodes if is_accumulate(node)}

    @cached_property
    def place_in(self) -> dict[int, int]:
        return {id(node): at for at, node in enumerate(self.nodes)}

    @cached_property
    def takers(self) -> dict[int, list[int]]:
        """By the id of a node: those of the nodes that took its result."""
        found: dict[int, list[int]] = {}
        for node in self.nodes:
            for before in self.inputs(node):
                found.setdefault(before, []).append(id(node))
        return found

    @cached_property
    def named(self) -> list[tuple[Any, tuple[str, Any]]]:
        """The nodes that made a variable, the furthest first, each with that variable."""
        held = {id(one.grad_fn): (name, one)
                for name, one in sorted(self.names.tensors.items(), reverse=True)
                if not is_written_view(one)}
        return [(node, held[id(node)]) for node in self.nodes[::-1] if id(node) in held]

    def behind(self, node: Any) -> tuple[list[Any], set[int]]:
        """The nodes behind one in forward order, of which it is the last, and their ids."""
        def look() -> tuple[list[Any], set[int]]:
            nodes = in_forward_order([node])
            return nodes, set(map(id, nodes))
        return self.once("behind", node, look)

    def assigned_after(self, node: Any) -> Line | None:
        """The line that assigned the next variable computed from a node."""
        last = node
        for later in self.nodes[self.place_in.get(id(node), len(self.nodes)):]:
            if later is last or id(last) in self.inputs(later):
                last = later
                for name, _ in self.names.outputs(later).values():
                    assigned = self.cuts.program.assigned(name)
                    return line_of(assigned.expression) if assigned else None
        return None

    @cached_property
    def by_memory(self) -> dict[Any, list[tuple[str, Any]]]:
        """The variables by the memory that they are in."""
        found: dict[Any, list[tuple[str, Any]]] = {}
        for name, one in self.names.tensors.items():
            found.setdefault(storage_of(one), []).append((name, one))
        return found

    @cached_property
    def model_of(self) -> dict[int, tuple[str, Any]]:
        """By the id of a parameter: the largest model that holds it, with its name."""
        return {id(one): row for row in reversed(self.names.models) for _, one in members(row[1])}

    def holds(self, model: Any, tensor: Any) -> bool:
        return id(tensor) in self.once("members", model, lambda: {
            id(one) for _, one in members(model)})

    def once(self, what: Hashable, of: Any, look: Callable[[], Any]) -> Any:
        """What was found of a leaf, or of the nodes behind a result, which are looked at once."""
        key = what, id(of)
        if key not in self._found:
            self._found[key] = of, look()  # an id is only valid while its object lives
        return self._found[key][1]

    def earlier(self, leaf: Any) -> list[Event]:
        """What happened to a leaf, in earlier watches, too; its numbers are measured for that."""
        return self.once("earlier", leaf, lambda: history_of(leaf, earlier=True))

    def history(self, leaf: Any) -> list[Event]:
        """The same; while a watch judges, of what it saw alone."""
        return self.once("history", leaf, lambda: since_judged(self.earlier(leaf)))

    def numbers(self, tensor: Any) -> Numbers | None:
        """What the numbers of a tensor are like, which no cause changes."""
        return self.once("numbers", tensor, lambda: numbers(tensor))

    def typical_of(self, leaf: Any) -> float:
        """How large the numbers of a leaf's gradient are."""
        found = self.numbers(leaf.grad)
        norm = found.norm if found and found.size and found.norm is not None else 0.0
        return norm / found.size ** 0.5 if found and 0 < norm < float("inf") else 0.0

    def unused(self, word: str) -> str:
        """A name that the program doesn't use, for a value that no variable holds."""
        program = self.cuts.program
        names = (word + "_" * at for at in count())
        return next(name for name in names if not program._places(name)
                    and name not in program.variables)

    def looked_at(self) -> str:
        """For where nothing is certain."""
        found = [f"{len(self.names.tensors)} tensors in the variables here",
                 f"{len(self.nodes)} nodes behind them"]
        found += ["the assignments in the text"] * bool(self.cuts.program.body)
        unread = " The text of the program can't be read." * (not self.cuts.program.body)
        return f"{', '.join(found[:-1])} and {found[-1]} were looked at.{unread}"
