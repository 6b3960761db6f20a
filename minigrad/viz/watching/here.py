"""What the watches of one thread share, and what is known of an object for as long as it lives."""
from __future__ import annotations

import threading
import time
import weakref
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from itertools import count
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

if TYPE_CHECKING:
    from .calls import Call
    from .watch import watch

Known = TypeVar("Known")
What = TypeVar("What", bound=Hashable)
Result = TypeVar("Result")
Given = ParamSpec("Given")


class _Here(threading.local):
    """The watches of one thread, from the outside in, and what it is doing."""

    def __init__(self) -> None:
        self.watches: list[watch] = []
        self.in_pass = False
        self.calls: list[Call] = []  # of modules that have not returned yet, from the outside in
        self.factors: list[float] = []  # see scaling
        self.steps: list[tuple[Any, Any]] = []  # optimizers in their step() or step(closure)
        self.seen: Counter[Any] = Counter()  # how often lines were looked at since a watch began
        self.switched: Any = None  # the line that switched recording off last
        self.stack = ExitStack()  # what is to be undone when nobody watches any more
        self.since = 0  # events and calls that are older are not asked about
        self.spent, self.measuring = 0.0, False  # seconds in the functions of the watch itself


here = _Here()
everywhere: list[watch] = []  # the watches of all threads
began: deque[int] = deque(maxlen=1000)  # when each watch began, see `order`
OFTEN = 10
order = count(1)  # of nodes, writes, calls, steps, and events of leaves


def measured(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Decorate a function of the watch: its time is that of the watch, and not the program's."""
    @wraps(function)
    def timed(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        if here.measuring:
            return function(*args, **kwargs)
        here.measuring, start = True, time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            here.spent += time.perf_counter() - start
            here.measuring = False

    return timed


class Replaced:
    """Functions that are others as long as any thread watches."""

    def __init__(self) -> None:
        self.lock, self.threads = threading.Lock(), 0
        self.undo: list[Callable[[], None]] = []

    @contextmanager
    def by(self, change: Callable[[], list[Callable[[], None]]]) -> Iterator[None]:
        """`change` replaces them, and returns what undoes that."""
        with self.lock:
            self.threads += 1
            if self.threads == 1:
                self.undo = change()
        try:
            yield
        finally:
            with self.lock:
                self.threads -= 1
                for undo in [] if self.threads else self.undo:
                    undo()


def looked_at(key: Any, seen: Counter[Any], often: int = OFTEN) -> bool:
    """Count a key, and say whether to look at it: the first few times, then at powers of two."""
    seen[key] += 1
    return seen[key] <= often or not seen[key] & (seen[key] - 1)


class WhileAlive(Generic[Known]):
    """A dictionary by identity that keeps no key alive; keys may define == as they like."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[weakref.ref[Any], Known]] = {}

    def get(self, key: Any) -> Known | None:
        reference, value = self._found.get(id(key), (None, None))
        return value if reference is not None and reference() is key else None

    def set(self, key: Any, value: Known) -> Known:
        number = id(key)
        self._found[number] = weakref.ref(key, lambda _: self._found.pop(number, None)), value
        return value

    def setdefault(self, key: Any, make: Callable[[], Known]) -> Known:
        known = self.get(key)
        return self.set(key, make()) if known is None else known

    def __bool__(self) -> bool:
        return bool(self._found)

    def items(self) -> list[tuple[Any, Known]]:
        pairs = [(reference(), value) for reference, value in list(self._found.values())]
        return [(key, value) for key, value in pairs if key is not None]


class Seen(Generic[What]):
    """What was seen of an object, and when first in each watch.

    A program that was mended is watched again with the same model: of it, only that counts.
    """

    def __init__(self) -> None:
        self._found: WhileAlive[dict[What, list[int]]] = WhileAlive()

    def note(self, key: Any, what: What) -> None:
        orders = self._found.setdefault(key, dict).setdefault(what, [])
        if not orders or orders[-1] < max((one.since for one in here.watches), default=0):
            orders.append(next(order))

    def of(self, key: Any, last: int, until: float) -> list[What]:
        """What was seen before `until` in the watch that is judged, or else in the last one before
        the object's last event, or before it was seen last.
        """
        found = self._found.get(key) or {}
        last = max([last, *(orders[-1] for orders in found.values())])
        since = here.since or max((one for one in began if one < last), default=0)
        return [what for what, orders in found.items() if any(since < at < until for at in orders)]
