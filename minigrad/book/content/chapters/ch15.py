"""Chapter 15, "Patients": its questions and exercises."""
from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any, NamedTuple

import minigrad as torch

from ...classroom.deciding import numbers
from ...classroom.exercise import Exercise, Part, Wrong
from ...classroom.measurements import MEASUREMENTS
from ...classroom.patients import Patient, patient
from ...classroom.patients.judging_patients import about_lines, about_number, named, read_lines, read_number
from ...classroom.patients.numbers_compared import is_same
from ...classroom.questions import Option, Question
from ...classroom.reading import Misread, as_lists, compact, in_order, is_open, number, sequence

IDEAS = ("silent bug", "symptom", "BatchNorm")


def drawer_after(printed: str) -> str:
    """Return what 15.1 claims, from the drawers that were printed after the pass."""
    found, = set(re.findall(r"after the pass  {'body.weight': ([^,]+)", printed))
    return {"None": "None", "0.0": "a gradient that is full of zeros"}.get(
        found, "a gradient that begins with −0.381")


def which_moved(printed: str) -> str:
    """Return what 15.2 claims, from how far each weight has moved."""
    moved = [(name, float(way)) for name, way in re.findall(r"moved:  (\S+) \(([\d.]+),", printed)]
    by_part = {name.partition(".")[0] for name, way in moved if way}
    return {(True, True): "all four weights", (False, True): "the two weights of the head",
            (True, False): "the two weights of the body"}.get(("body" in by_part, "head" in by_part), "none")


def ill_ones(first: bool, second: bool) -> str:
    """Return which of two twins are ill, as the options say it."""
    return {(True, False): "twin A", (False, True): "twin B", (True, True): "both"}.get((first, second),
                                                                                       "neither")


def by_the_nudge(printed: str) -> str:
    """Return which twins have a drawer that disagrees with the nudge; each has two, of body and head."""
    found = numbers(printed)
    disagree = [abs(drawer - nudged) > 0.01 for drawer, nudged in zip(found[::2], found[1::2], strict=True)]
    return ill_ones(any(disagree[:2]), any(disagree[2:]))


def moving_modes(printed: str) -> str:
    """Return in which modes the bias moves the loss, as the options of 15.4 say it."""
    moves = [any(numbers(line.partition("reaches")[0])) for line in printed.splitlines() if "reaches" in line]
    return {(True, False): "in training mode alone", (False, True): "in evaluation mode alone",
            (True, True): "in both modes"}.get(tuple(moves), "in neither mode")


QUESTIONS = (
    Question("15.1", "Nudging the first number of `body.weight` shows a slope of −0.381, and the backward "
             "pass raises no error. What is in the drawer of `body.weight` after the pass?", (
        Option("a gradient that begins with −0.381", "M20",
               "The slope is −0.381, but no error doesn't mean that a gradient has arrived."),
        Option("nothing: the drawer is `None`", None,
               "The pass has no path to the weights of the body.", claims="None"),
        Option("a gradient that is full of zeros", "M04",
               "Without a path, no gradient arrives at all, and the drawer stays empty."),
    ), mark="2",
             paper="A net computes `h = torch.tanh(self.body(x))` inside `torch.no_grad()`, and returns "
       "`self.head(h)`. Nudging a number of `body.weight` shows that the loss has the slope −0.381 there. "
       "What is in the drawer of `body.weight` after a backward pass?",
       told="no path|no gradient arrives|first bug|[Ll]ine 1 is",
       explains="A picture of the graph of the loss shows why.",
       decided=drawer_after),
    Question("15.2", "The step reads the drawers. Which weights does one round of the loop move?", (
        Option("the two weights of the head", "M152",
               "The step moves no others, but `body.weight` has moved by 0.0176, too."),
        Option("the two weights of the body", "M62",
               "The drawers of the head are full, so the step moves these weights, too."),
        Option("all four weights", None,
               "The step leaves `body.weight` where it is, and after the round it has moved by 0.0176."),
    ), mark="3",
             paper="The drawers of a net's body are empty in every step of a loop, and those of its head are "
             "full. Each round ends with a function that updates `average`, a list that was made with "
             "`[p.detach() for p in model.parameters()]`. Which weights does one round move?",
       told="it has moved|writes to it|writes to the weight|0\\.0176",
       explains="SGD holds all four, with the rate 0.05, and skips those whose `.grad` is `None`. But "
       "`follow()` moves them. Why does a function that updates averages write to a weight?",
       decided=which_moved),
    Question("15.3", "Which twin is ill?", (
        Option("twin A: `.item()` cuts a path, and `detach()` keeps the tensor", "M45",
               "`detach()` keeps the value, and cuts the same path."),
        Option("twin B: `detach()` cuts a path, and `.item()` only returns the size", "M76",
               "`.item()` returns a Python number, which no path leads to."),
        Option("both: no recorded path from a weight leads through the size, in A or B", None,
               "The drawer of `body.bias` says 0.087 and the nudge 0.017, in both."),
        Option("neither: every weight still gets a gradient from the loss", "M20",
               "The drawers are full, and that of `body.bias` holds a wrong gradient."),
    ), mark="3",
             paper="A net computes `h = torch.tanh(body(x))`. Twin A returns `head(h / h.norm().item())`, "
             "and twin B returns `head(h / h.detach().norm())`. Which twin is ill?",
       told=r"0\.087|cuts a path|misses it",
       explains="A path from `body.bias` leads through the size, and the backward pass misses it.\n"
       "A nudge tests only the paths from its own number. Nudge several numbers: of the first layer, and of "
       "each branch.",
       decided=by_the_nudge),
    Question("15.4", "Each number of `body.bias`, the bias before `norm`, is nudged. In which mode does the "
             "loss move?", (
        Option("in training mode alone", "M16",
               "In evaluation mode, the stored mean stays where it is, so the loss moves."),
        Option("in evaluation mode alone", None,
               "In training mode, the mean of the batch moves with the bias, and the layer subtracts it."),
        Option("in both modes", "M202",
               "In training mode, the layer subtracts what the bias adds, so the slope is 0."),
        Option("in neither mode", "M66",
               "In evaluation mode, the stored mean stays where it is, so the loss moves."),
    ), mark="4",
             paper="A net returns `head(torch.tanh(norm(body(x))))`. In training mode, the BatchNorm layer "
             "`norm` subtracts the mean of the batch, and in evaluation mode a stored one. In which mode "
             "does the loss move if you nudge the bias of `body`?",
       told="moves with the bias|what the bias adds|leave out the one before|a bias of its own",
       explains="A slope of 0 is a false alarm here: it looks like a bug, and is none. The modes have "
       "different slopes: compare a nudge with a drawer from the same mode.\nIn training mode, `reaches` "
       "shows other rows: BatchNorm mixes them on purpose.",
       decided=moving_modes),
)


# --- What was measured --------------------------------------------------------------------------------------

class Sign(NamedTuple):
    """How one measurement shows a bug: a number that does, and a rule for what a learner gives."""

    example: float
    shows: Callable[[list[float]], bool]
    ask: str     # what to do if it isn't shown
    late: Callable[[list[float]], bool] = lambda values: False     # whether it was taken at another moment


Signs = Mapping[str, Sign]      # of one bug, by the name of the measurement; one of them is enough
NAMES = tuple(measurement.__name__ for measurement in MEASUREMENTS)
ALL = "Give all that it returned in the script as it was given."
OTHERS = "Apply it to other tensors."
LATE = ("`{}` shows this bug, but you took it at another moment than right before the test. What ran in "
        "between has changed what the layers store, and so the numbers. Take it in a fresh copy.")
FEW = 4                         # so many numbers are named in a reply; a full result may have more


def all_numbers(value: Any) -> list[float]:
    """Return all numbers in what a measurement returned, or in its text."""
    if isinstance(value, Mapping):
        return all_numbers([*value.values()])
    if isinstance(value, (list, frozenset)):
        return [one for item in value for one in all_numbers(item)]
    if isinstance(value, str):
        return numbers(value)
    return [] if (one := number(value)) is None else [one]


def read_measured(given: Any) -> dict[str, list[float]]:
    """Return the numbers that an answer gives for each measurement, by its name.

    Raises:
        Misread: the answer isn't a dict, or a measurement has another name.
    """
    if is_open(given):
        return {}
    if not isinstance(given, Mapping):
        raise Misread("`measured` is a dict with a measurement and what it returned: `{\"nudge\": -0.381}`.")
    found = {getattr(key, "__name__", str(key)).strip("()"): all_numbers(value)
             for key, value in given.items()}
    for name in found:
        if name not in NAMES:
            near = get_close_matches(name, NAMES, n=1)
            raise Misread(f"There is no measurement `{name[:40]}`; " + (
                f"did you mean `{near[0]}`?" if near else f"there are {', '.join(NAMES)}."))
    return found


def is_shown(signs: Signs, told: Mapping[str, list[float]]) -> bool:
    """Return whether the numbers that were measured show a bug."""
    return any(sign.shows(told.get(name, [])) for name, sign in signs.items())


def about_measured(name: str, values: list[float], bugs: list[Signs]) -> str:
    """Return what to say about a measurement; empty: it shows a bug."""
    of_it = [signs[name] for signs in bugs if name in signs]
    if not of_it:
        return f"This check knows no sign of a bug in what `{name}` returns here."
    if not values:
        return f"Give what `{name}` returned."
    if any(sign.shows(values) for sign in of_it):
        return ""
    if any(sign.late(values) for sign in of_it):
        return LATE.format(name)
    numbers_given = ", ".join(f"{value:.6g}" for value in values) if len(values) <= FEW else "these numbers"
    return f"`{name}` shows a bug here, but not by {numbers_given}. {of_it[0].ask}"


def judge_measured(given: Any, bugs: list[Signs], right: Any) -> Part:
    """Return the part of an answer that says what was measured; each bug must be shown."""
    told = read_measured(given)
    shown = [is_shown(signs, told) for signs in bugs]
    says = [said for name, values in told.items() if (said := about_measured(name, values, bugs))]
    if any(shown):
        says = ["One of the two bugs is shown.", *(says or ["Which measurement shows the other one?"])]
    return Part("measured", given or None, given if all(shown) else right, " ".join(says))


def fewer_differ(values: list[float], known: Collection[float], is_many: Callable[[float], bool]) -> bool:
    """Return whether fewer tensors differ than `distinct` was given.

    A pair is what `distinct` returned; `is_many` says whether the given tensors are those with the bug. Other
    values are counts of different numbers, and must be among the known ones.
    """
    pairs = [*zip(values[::2], values[1::2])]
    if len(values) % 2 or any(few > many for few, many in pairs):
        return any(value in known for value in values)
    return any(few < many and is_many(many) for few, many in pairs)


# --- 15a and 15b: patients ----------------------------------------------------------------------------------

SEEDS = {"15a": (3, 1), "15b": (110, 2)}     # seed and level
NAMED = {"measured": "what you measured", "bug": "the name of the bug"}      # in 15a
FOUND = {"measured": "what you measured", "lines": "your lines", "number": "the number"}    # in 15b
ROWS = "clock", "waves", "x", "test_x"      # the tensors of 15a in which numbers are equal by its bug
UNITS = 16                                  # of a layer in 15a and 15d
RATIOS = 1.05, 2        # of rows that don't belong together; 1 is also the largest number in a column of 15b
TESTS = 8               # passes over the test rows in training mode, after which 15b's number hardly changes


@cache
def patient_of(key: str) -> Patient:
    """Return the patient of an exercise."""
    return patient(*SEEDS[key])


def measure(key: str, last: int, *lines: str) -> list[list[float]]:
    """Run the first lines of a patient and then others, in a process; return the numbers of the last lines.

    Each of the other lines prints one line.
    """
    ill = patient_of(key)
    ran = ill.run("\n".join([*ill.source.splitlines()[:last],
                             "from minigrad.book.classroom.measurements import again, distinct, picture",
                             *lines]))
    return [numbers(line) for line in ran.output.splitlines()]


@cache
def signs_in_15a() -> Signs:
    """Return what shows the bug of 15a: fewer numbers differ than there are."""
    counts = [found[0] for found in measure("15a", 14, *(f"print(distinct(*{name}))" for name in ROWS),
                                            "print(picture(x, y)[0][0][3])")]
    return {"picture": Sign(counts[-1], lambda values: any(value in counts for value in values),
                            "Give all that it returned for `a.x` and `a.y`."),
            "distinct": Sign(counts[0], lambda values: fewer_differ(
                values, counts, lambda many: many > UNITS), OTHERS)}


@cache
def signs_of_the_mode() -> Signs:
    """Return what shows that the test of 15b runs in training mode: evaluation mode gives another number.

    Each pass over the test rows in training mode moves the stored numbers, so what evaluation mode gives
    depends on how many there were: none right before the script's test, two before the last number of
    `again`. In training mode, the number is the printed one each time.
    """
    ill = patient_of("15b")
    test = ["def test():", *(f"    {line}" for line in ill.source.splitlines()[39:43]),
            "    return total / len(test_y)"]
    evaluated = [found[0] for found in measure(
        "15b", 39, *test, f"for passes in range({TESTS}):", "    print(again(model, test)['eval'][0])",
        "    model.train()", "    passed = test()")[-TESTS:]]
    ended = ill.numbers
    # With its columns repaired, the script prints another number, and `again` shows the mode in the same way.
    modes = {ended["ill"]: [evaluated[0], evaluated[2]], ended["columns_scrambled"]: [ended["healthy"]]}

    def shows(values: list[float]) -> bool:
        for printed, others in modes.items():
            rest = [value for value in values if not is_near(value, printed)]
            if len(values) >= FEW and len(rest) < len(values) and is_among(others[0], rest):
                return True
            known = bool(rest) and all(is_among(value, others) for value in rest)
            if len(values) < FEW and known and (len(rest) < len(values) or printed == ended["ill"]):
                return True
        return False

    def late(values: list[float]) -> bool:
        """Return whether there are numbers of both modes, or those of evaluation mode after a test."""
        rest = [value for value in values if not is_among(value, modes)]
        both = FEW <= len(values) > len(rest)
        return bool(rest) and (both or all(is_among(one, evaluated) for one in rest))

    return {"again": Sign(evaluated[0], shows, (
        "Right before the test, give `again` exactly what the given script prints, its loop over batches "
        f"included: two of its five numbers are then {ended['ill']}, and the others show the bug."), late)}


def is_among(one: float, others: Iterable[float]) -> bool:
    """Return whether a measured number agrees with one of the others."""
    return any(is_near(one, other) for other in others)


def is_near(one: float, other: float) -> bool:
    """Return whether two measured numbers agree, up to the last digits, which depend on the processor."""
    return abs(one - other) <= max(0.0005, 0.002 * abs(other))


@cache
def signs_of_the_columns() -> Signs:
    """Return what shows that the columns of 15b are mixed: the ratio that `picture` returns last."""
    (ratio,), = measure("15b", 15, "print(picture(x, y)[1])")
    low, high = RATIOS
    return {"picture": Sign(ratio, lambda values: any(
        low < value < high for value in (values if len(values) < FEW else values[-1:])), ALL)}


def signs_of(key: str) -> list[Signs]:
    """Return the signs of each bug of a patient."""
    return [signs_in_15a()] if key == "15a" else [signs_of_the_mode(), signs_of_the_columns()]


def one_of_each(bugs: list[Signs]) -> dict[str, float]:
    """Return a right answer: for each bug, a number of its first measurement."""
    return {name: sign.example for signs in bugs for name, sign in [*signs.items()][:1]}


# --- 15a: a patient that hides its text ---------------------------------------------------------------------

ROUNDED = "rounded"
RULED_OUT = {       # the other names of the table, and what was measured in the patient
    "mixed": "The ratio of `picture` is 0.39. With mixed targets, it is about 1.2.",
    "repeated": "A repeated row has its target twice, but `distinct` counts 160 different targets in 160 "
                "rows.",
    "cut": "After a pass in the same mode, the drawer of each weight agrees with a nudge of the weight.",
    "not held": "`moved` returns a rate for every weight, and the first step moves all of them.",
}


def bug_named(_: Any) -> dict[str, Any]:
    return {"measured": one_of_each([signs_in_15a()]), "bug": ROUNDED}


def measured_and_named(answer: Any, _: Any) -> Iterator[Part]:
    """Judge an answer to 15a, which is found without the text."""
    given = in_order(answer, NAMED)
    names = {compact(name): name for name in (*RULED_OUT, ROUNDED)}
    name = None if is_open(given["bug"]) else names.get(compact(given["bug"]), "")
    if name == "":
        raise Misread(f"`bug` is one of the names in the table: {', '.join(names.values())}.")
    yield Part("bug", name, ROUNDED)       # `wrong` of 15a says what rules out another name
    yield judge_measured(given["measured"], [signs_in_15a()], bug_named(None)["measured"])


# --- 15b ----------------------------------------------------------------------------------------------------

def treated(key: str) -> Callable[[Any], dict[str, Any]]:
    """Return a function that gives the right answer to an exercise."""
    def answer(_: Any) -> dict[str, Any]:
        ill = patient_of(key)
        return {"measured": one_of_each(signs_of(key)), "lines": [ill.lines(bug)[0] for bug in ill.bugs],
                "number": ill.numbers["healthy"]}
    return answer


def read_answer(key: str, answer: Any) -> tuple[list[int], float | None, str]:
    """Return the lines and the number of an answer, and what to say if it has a run without a number.

    Raises:
        Misread: the lines or the number can't be read.
    """
    ill = patient_of(key)
    given = in_order(answer, FOUND)
    lines = read_lines(given["lines"], len(ill.bugs), len(ill.script.numbered()))
    return (lines, *read_number(given["number"]))


def measured_lines_and_number(key: str) -> Callable[[Any, Any], Iterator[Part]]:
    """Return a judge of an answer, which speaks of lines and number in the sentences of `Patient.check`."""
    def judge(answer: Any, _: Any) -> Iterator[Part]:
        ill = patient_of(key)
        right = treated(key)(None)
        lines, value, told = read_answer(key, answer)
        found = named(ill, lines)
        says = " ".join(about_lines(ill, lines, found)) if lines else ""
        yield Part("lines", lines or None, lines if len(found) == len(ill.bugs) else right["lines"], says)
        fits = value is not None and is_same(value, right["number"])
        lines_too = " Your lines are right." if len(found) == len(ill.bugs) and not fits else ""
        yield Part("number", value, value if fits else right["number"],
                   told or ("" if value is None else about_number(ill, value, found, fits) + lines_too))
        yield judge_measured(in_order(answer, FOUND)["measured"], signs_of(key), right["measured"])
    return judge


def with_number(key: str, which: str) -> Callable[[Any], dict[str, Any]]:
    """Return the answer of a learner who found the lines, and gives the number of another version."""
    return lambda _: {**treated(key)(None), "number": patient_of(key).numbers[which]}


def half_repaired(key: str, which: str, says: str) -> Wrong:
    """Return the reply to a learner who found both bugs, and gives the number with one of them repaired.

    It may speak of the bug that is left, so the answer must name a line of each.
    """
    def fits(answer: Any) -> bool:
        lines, value, _ = read_answer(key, answer)
        ill = patient_of(key)
        return len(named(ill, lines)) == len(ill.bugs) and value is not None and is_same(
            value, ill.numbers[which])

    return Wrong(with_number(key, which), None, says, fits=fits)


def innocent(key: str, line: int, belief: str | None, says: str) -> Wrong:
    """Return the reply to a learner who names a line that only looks wrong, with whatever number."""
    return Wrong(lambda _: {"measured": {}, "lines": [line], "number": patient_of(key).numbers["ill"]},
                 belief, says, fits=lambda answer: line in read_answer(key, answer)[0])


# --- 15d: the last script -----------------------------------------------------------------------------------

BUGS = ((4,), (7, 11))                          # the lines that may be named for each of the two
ENDS = {"measured": "what you measured", "lines": "your pair of lines", "number": "the test loss"}
AT_FIRST = "right before the first step, in the script as it was given"
HEALTHY = 0.005, 0.1    # the test loss with both repaired, for any usual start; with one left, above 0.17


def last_script(fills: bool = False, equal: bool = False, norms: list[list[float]] | None = None,
                slopes: list[float] | None = None) -> float:
    """Run the last script, repaired or with one of its bugs, and return its test loss.

    `norms` gets what `drawers` returns right before each step, before the clipping and after it, and once
    more after the script, with passes of their own. `slopes` gets those of the loss at the start, along each
    number of each weight; it must be empty.
    """
    torch.manual_seed(5)
    grid = torch.linspace(-1, 1, 50).view(50, 1)
    target = (4 * grid).sin() + 0.1 * torch.randn(50, 1)
    order = torch.randperm(50)
    train, held, test = order[:30], order[30:40], order[40:]
    first = torch.nn.Sequential(torch.nn.Linear(1, 16), torch.nn.Tanh())
    last = torch.nn.Linear(16, 1)
    torch.nn.init.zeros_(last.bias)

    def loss_on(rows):
        return ((last(first(grid[rows])) - target[rows]) ** 2).mean()

    weights = [*first.parameters(), *last.parameters()]
    for p in weights if equal else ():
        torch.nn.init.constant_(p, 0.1)
    adam = torch.optim.Adam(weights, lr=0.05)
    best, smallest = [], float("inf")

    def full() -> list[float]:
        return [p.grad.norm().item() for p in weights]

    def passes() -> None:
        adam.zero_grad()
        loss_on(train).backward()
        if slopes == []:
            slopes.extend(slope for p in weights for slope in p.grad.view(-1).tolist())
        if fills:
            last(first(grid[held])).sum().backward()

    found = []
    for _ in range(150):
        passes()
        found.append(full())
        torch.nn.utils.clip_grad_norm_(weights, 1.)
        found.append(full())
        adam.step()
        with torch.no_grad():
            now = loss_on(held).item()
        if now < smallest:
            best, smallest = [p.detach().clone() for p in weights], now
    with torch.no_grad():
        for p, value in zip(weights, best, strict=True):
            p.copy_(value)
        ended = loss_on(test).item()
    passes()
    if norms is not None:
        norms += [*found, full()]
    return ended


@cache
def signs_in_the_last_script() -> list[Signs]:
    """Return the signs of both bugs: fewer units that differ, and drawers that two passes have filled.

    The norms of a weight and its bias must be those right before one step. One number alone must be of the
    first step or the last one, or be measured after the script: those of all steps cover too many numbers.
    A nudge must be one of the script as it was given, before its first step: the drawers differ from all.
    """
    places: list[list[float]] = []
    alone: list[float] = []
    for equal in (False, True):
        norms: list[list[float]] = []
        last_script(fills=True, equal=equal, norms=norms)
        places += norms
        alone += [one for place in (*norms[:2], *norms[-3:]) for one in place]
    both = [two for place in places for two in zip(place, place[1:])]
    slopes: list[float] = []
    last_script(fills=True, equal=True, slopes=slopes)

    def shows(values: list[float]) -> bool:
        if len(values) == 1:
            return any(is_same(values[0], one) for one in alone)
        return any(all(math.isclose(one, sign, rel_tol=0.002, abs_tol=2e-5) for one, sign in zip(two, signs))
                   for two in zip(values, values[1:]) for signs in both)

    return [{"distinct": Sign(1, lambda values: fewer_differ(
                values, (1,), lambda many: many % UNITS == 0), OTHERS)},
            {"drawers": Sign(alone[-1], shows, f"Give all that it returns {AT_FIRST}."),
             "nudge": Sign(max(slopes), lambda values: any(
                 abs(value - slope) < 0.0015 for value in values for slope in slopes),
                 f"Nudge one number of a weight {AT_FIRST}.")}]


def both_found(_: Any) -> dict[str, Any]:
    return {"measured": one_of_each(signs_in_the_last_script()), "lines": [bug[0] for bug in BUGS],
            "number": last_script()}


def both_lines_and(loss: Callable[[], float], says: str) -> Wrong:
    """Return the reply to a learner who found both lines, and gives the loss with one of them repaired."""
    def fits(answer: Any) -> bool:
        given = in_order(answer, ENDS)
        told = [number(line) for line in as_lists(given["lines"])]
        value = number(given["number"])
        return all(any(line in bug for line in told) for bug in BUGS) and value is not None and abs(
            value - loss()) < 0.002

    return Wrong(lambda _: {**both_found(None), "number": loss()}, None, says, fits=fits)


def measured_lines_and_loss(answer: Any, _: Any) -> Iterator[Part]:
    given = in_order(answer, ENDS)
    lines = sequence(as_lists(given["lines"]))
    lines = sorted(lines) if isinstance(lines, frozenset) else lines
    if lines is not None and not (isinstance(lines, list) and len(lines) == 2):
        raise Misread("Give two lines, such as `[1, 2]`.")
    told = [None if line is None else number(line) for line in lines or ()]
    hits = [[line for line in told if line in bug] for bug in BUGS]
    good = all(len(hit) == 1 for hit in hits)
    found = sum(bool(hit) for hit in hits)
    unanswered = not told or None in told
    yield Part("lines", None if unanswered else lines, lines if good else [bug[0] for bug in BUGS],
               f"{('None', 'One', 'One')[found]} of your lines has one of the two bugs.")
    loss = number(given["number"])
    right = last_script()
    close = loss is not None and HEALTHY[0] < loss < HEALTHY[1]
    other = " If your copy writes other numbers in line 4, leave this line out." if good else ""
    yield Part("number", given["number"], given["number"] if close else right,
               f"With both lines repaired, the test loss is not {given['number']}.{other}")
    yield judge_measured(given["measured"], signs_in_the_last_script(), both_found(None)["measured"])


EXERCISES = (
    Exercise("15a", "A patient that hides its text", NAMED, judge=measured_and_named, example=bug_named,
             paper="Line 9 of a script is `stamps = 1_700_000_000 + seconds`: 400 integers, which are "
             "20 apart. Line 10 is `clock = (stamps.float() - stamps[0]) / 140`. Each column of `x` is "
             "computed from 160 of the times in `clock`, and `picture` counts 60 different numbers in it. "
             "Which line is wrong, why, and how do you repair it?",
             hints=("Take the measurements in their order. How many rows are there, and how many different "
                    "numbers has a column of `a.x`?",
                    "Why can two rows be equal? Apply `distinct` to the rows of `a.x`, and to the targets "
                    "`a.y`."),
             why="`picture` shows it: a column has 60 different numbers in 160 rows. All targets differ, so "
             "no row is repeated.\n"
             "Now look at the text: `print(patient_a)`. Line 10, `clock = (stamps.float() - stamps[0]) / "
             "140`, rounds the stamps. Near 1,700,000,000, the numbers of float32 are 128 apart. Subtract "
             "first, while the stamps are integers.",
             wrong=tuple(Wrong(lambda _, name=name: {"bug": name}, None, says)
                         for name, says in RULED_OUT.items())),
    Exercise("15b", "A patient with two bugs", FOUND, judge=measured_lines_and_number("15b"),
             example=treated("15b"),
             paper="In line 10 of a script, three columns with 400 numbers become a table: "
             "`torch.stack([voltage, load, age]).view(-1, 3)`. The net has a BatchNorm layer. Lines 30 to 38 "
             "train it, and lines 40 to 44 test it; no line switches its mode. Which measurement shows each "
             "of the two bugs, and which line is wrong?",
             hints=("For the first bug, run `picture`. Which line can give a row numbers of other rows?",
                    "For the second, run `again` right before the test, with lines 40 to 44 as a function "
                    "without arguments. Which of its numbers does the script print?"),
             why="`picture` compares the targets of rows with similar inputs: here they differ as much as "
             "those of rows that are drawn at random. The last loss, 1.34, is near the variance of the "
             "targets, 1.36: the net is hardly better than a constant.\n"
             "`again` computes the printed number in both modes. The script prints that of training mode, in "
             "which BatchNorm uses the ten rows of a batch. Evaluation mode gives 1.35 before the test. Each "
             "test in training mode changes the stored numbers, so 'eval again' is 11.7.",
             wrong=(half_repaired("15b", "eval_forgotten", "Repair line 10 as well, and run the copy again."),
                    half_repaired("15b", "columns_scrambled",
                                  "Repair the test as well, and run the copy again."),
                    innocent("15b", 28, "M150", "a write in place changes `x` only through a tensor that "
                             "shares its memory."))),
    Exercise("15d", "Two silent bugs in 30 lines", ENDS, judge=measured_lines_and_loss, example=both_found,
             paper="The last script of the chapter has two silent bugs. Its test loss is 0.3699; it should "
             "be less than 0.1. You get the script on paper, or on a screen. Name the two lines and, from a "
             "screen, what shows each bug, and the loss of the repaired script.",
             hints=("Run `drawers` right after `loss.backward()`, and again right before `adam.step()`. "
                    "Apply `distinct` to the rows of the first layer's weight.",
                    "A gradient that changes between the two lines was changed by another pass: which line "
                    "runs one? Equal units get equal gradients: which line made them equal?"),
             why="`distinct` counts 1 unit of 16. Line 4 makes the units equal, and equal units get equal "
             "gradients, so they stay equal: the layer computes no more than one unit would.\n"
             "`drawers` returns other norms right before the step than right after the pass. The pass of "
             "line 7 is meant for `at`, and adds its gradients to the drawers of the weights, too. "
             "`torch.autograd.grad(net(at).sum(), at)` fills no drawer.\n"
             "One right repair alone can make a script worse: with line 4 alone, this one prints "
             "0.8096. A script of your own doesn't say how many bugs it has.",
             wrong=(both_lines_and(lambda: last_script(equal=True),
                                   "That is the loss with line 7 repaired, and not line 4."),
                    both_lines_and(lambda: last_script(fills=True),
                                   "That is the loss with line 4 repaired, and not line 7."))),
)
