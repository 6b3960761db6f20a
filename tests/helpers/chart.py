"""Reads the chart of a script, which `examining` made: what each measurement told, as facts for the rules."""
from __future__ import annotations

import math
from typing import Any

Chart = dict[str, Any]


def classes(chart: Chart) -> bool:
    """Whether the targets are whole numbers."""
    return chart["shapes"]["prediction"][1][1] == "int64"


def outputs(chart: Chart) -> int:
    return chart["shapes"]["prediction"][0][0][1]


def square(chart: Chart) -> bool:
    """Whether something in the loss has as many columns as rows, and both are the rows of the data."""
    (rows, *_), *_ = chart["shapes"]["prediction"][1]
    return any(shape[:2] == (rows, rows) for shape, _, _ in chart["shapes"]["loss"])


def mixed(chart: Chart) -> bool:
    """Whether the loss of a row depends on the inputs of other rows."""
    return any(max(told[1:]) > 0 for told in chart["reaches"])


def differs(chart: Chart) -> bool:
    """Whether the loss differs from itself in evaluation mode."""
    return same(*chart["again"]["eval"]) is False


def same(one: float, other: float, by: float = 0.0002) -> bool:
    return abs(one - other) <= by or (math.isnan(one) and math.isnan(other))


def switches(chart: Chart) -> bool:
    """Whether the loss function changes the mode of the model."""
    return chart["again mode"]["eval"] == [1., 1.]


def turns(chart: Chart) -> list[list[tuple]]:
    """Return the events of each turn of the outermost loop in which there is a step."""
    found: list[list[tuple]] = [[]]
    for event in chart["events"]:
        if event == ("turn",):
            found.append([])
        else:
            found[-1].append(event)
    return [turn for turn in found if any(event[0] == "after the step" for event in turn)]


def of(chart: Chart, place: str) -> list[tuple]:
    return [event for event in chart["events"] if event[0] == place]


def unheld(chart: Chart) -> list[str]:
    """Return the weights that no optimizer holds."""
    (_, _, told) = of(chart, "after the step")[0]
    return [name for name in next(iter(told.values())) if all(one[name][1] is None for one in told.values())]


def held(chart: Chart) -> list[str]:
    """Return the weights that an optimizer holds."""
    return [name for name in numbers(chart) if name not in unheld(chart)]


def still(chart: Chart) -> set[str]:
    """Return the weights that no step ever moves."""
    steps = of(chart, "after the step")
    return {name for name in steps[0][1] if all(told[name][0] == 0. for _, told, _ in steps)}


def cut(chart: Chart) -> list[str]:
    """Return the weights whose drawers are empty after every backward pass, while others are full."""
    passes = [told for _, told in of(chart, "after the pass")]
    empty = [name for name in passes[0] if all(told[name] is None for told in passes)]
    return empty if len(empty) < len(passes[0]) else []


def lost(slope: float, drawer: float | None) -> bool:
    """Whether a drawer holds next to nothing of what a nudge says."""
    return abs(drawer or 0.) < 0.3 * abs(slope)


def all_off(chart: Chart) -> bool:
    """Whether most drawers hold another number than a nudge says, and not next to nothing."""
    large = [(slope, drawer) for _, slope, drawer in chart["nudge"]
             if drawer is not None and max(abs(slope), abs(drawer)) > 0.005]
    wrong = [pair for pair in large if abs(pair[0] - pair[1]) > 0.002 + 0.1 * max(map(abs, pair))]
    return len(wrong) > 0.59 * len(large) and sum(not lost(*pair) for pair in wrong) > 0.39 * len(wrong) > 0


def unseen(chart: Chart) -> list[str]:
    """Return the weights whose drawers hold next to nothing, while those of others are right."""
    return [] if all_off(chart) else [name for name, slope, drawer in chart["nudge"]
                                      if abs(slope) > 0.02 and lost(slope, drawer)]


def numbers(chart: Chart) -> dict[str, tuple]:
    """Return the shape of each weight."""
    names = dict.fromkeys(name for name, _, _ in chart["nudge"])
    return {name: shape for name, (shape, _, _) in zip(names, chart["shapes"]["weights"], strict=True)}


def unrecorded(chart: Chart) -> bool:
    """Whether the output of a layer isn't recorded."""
    return any(not told[1][2] for told, _ in chart["shapes"]["layers"])


def stale(chart: Chart) -> list[tuple[bool, bool]]:
    """Return, for each pass right after a step: whether a turn begins there, and whether drawers are full."""
    found, stepped, begins, own = [], False, False, held(chart)
    for event in chart["events"]:
        if event[0] == "turn":
            begins = True
        elif event[0] == "after the step":
            stepped = True
        elif event[0] == "before the pass":
            if stepped:
                found.append((begins, any(event[1][name] for name in own)))
            stepped = begins = False
    return found


def rates(turn: list[tuple]) -> list[float]:
    """Return the largest rate at each step of a turn."""
    return [max(rate for _, rate in event[1].values() if rate is not None)
            for event in turn if event[0] == "after the step"]


def halved(chart: Chart) -> bool:
    """Whether the rate is halved in each of several turns."""
    some = [rates(turn) for turn in turns(chart)[1:5]]
    return len(some) > 3 and all(same(after[0], before[-1] / 2, 1e-9)
                                 for before, after in zip(some, some[1:]))


def mode_matters(chart: Chart) -> bool:
    """Whether the test loss differs between training and evaluation mode."""
    return any(not same(chart["again"]["eval"][0], one, 0.0004) for one in chart["again"]["train"])


def other_number(chart: Chart) -> bool:
    """Whether the script prints another test loss than the measurement, in a script that tells the loss."""
    printed, own = float(chart["printed"]), chart.get("again accuracy")
    if mixed(chart) or square(chart) or own and same(printed, own["eval"][0], 0.002):
        return False
    return printed != 0. and not same(printed, chart["again"]["eval"][0], 0.001)


def full_at_steps(chart: Chart, names: Any) -> bool:
    """Whether these weights have a gradient at the steps."""
    return all(event[1][name] for event in of(chart, "before the step")[:5] for name in names)


def outside(chart: Chart) -> bool:
    """Whether the weights move between a step and the next."""
    return any(far > 0 for _, _, told in of(chart, "before the step") if told for far, _ in told.values())


def alias(chart: Chart) -> bool:
    """Whether a list of tensors shares memory with the weights."""
    last = chart["versions"][-1]
    return any(with_weights[1] > alone[1] for name in last if f"{name} and weights" in last
               for alone, with_weights in zip(last[name], last[f"{name} and weights"], strict=True))


def first_steps(chart: Chart, rate_only: bool) -> bool:
    """Whether late steps are as long as the first step of an optimizer is: that of Adam is the rate for each
    number, and that of SGD with momentum is the rate times the gradient.
    """
    late = turns(chart)[len(turns(chart)) // 3:]
    sizes = {name: math.sqrt(math.prod(shape)) for name, shape in numbers(chart).items()}
    found = []
    for turn in late:
        before = next(event[1] for event in turn if event[0] == "before the step")
        after = next(event[1] for event in turn if event[0] == "after the step")
        found.append({name: far / (rate * (sizes[name] if rate_only else before[name]))
                      for name, (far, rate) in after.items() if rate and before[name] and far > 0.001})
    names = [name for name in sizes if sum(name in one for one in found) > 0.3 * len(found)]
    return any(all(abs(one[name] - 1) < (0.001 if rate_only else 0.02) for one in found if name in one)
               for name in names)


def steps_of(chart: Chart, probe: str) -> dict[str, float]:
    """Return how far each weight goes in a probe, in rates for each number."""
    sizes = numbers(chart)
    return {name: far / rate / math.sqrt(math.prod(sizes[name]))
            for told in chart[probe].values() for name, (far, rate) in told.items() if rate}


def kind_of_optimizer(chart: Chart) -> str:
    """Tell Adam from the others: the length of its first step doesn't depend on the gradient."""
    return "adam" if all(value < 1.5 for value in steps_of(chart, "tens").values()) else "sgd"


def columns(chart: Chart, what: str) -> list[tuple]:
    return chart["picture"][what][0]


def tells(chart: Chart, what: str) -> bool:
    """Whether rows with near inputs have near targets."""
    most = 0.9 if image(chart) else 0.35 if classes(chart) else 0.6
    return chart["picture"][what][1] < most


def image(chart: Chart) -> bool:
    return len(columns(chart, "train")) == 1 and chart["shapes"]["layers"][0][0][0][0][1] > 8


def many_columns(chart: Chart) -> bool:
    return len(columns(chart, "train")) > 1


def finite(chart: Chart) -> bool:
    return all(math.isfinite(value) for column in columns(chart, "train") for value in column)


def apart(one: list[tuple], other: list[tuple], by: float) -> bool:
    """Whether the means of two sets of columns differ by more than so many sixths of their width."""
    return any(abs(a[2] - b[2]) > by * (a[1] - a[0]) / 6 for a, b in zip(one, other, strict=True))


def wider(one: list[tuple], other: list[tuple]) -> bool:
    """Whether the widths of two sets of columns differ by a factor."""
    return any(not 0.55 < (b[1] - b[0]) / max(a[1] - a[0], 1e-9) < 1.8
               for a, b in zip(one, other, strict=True))


def dropped(chart: Chart) -> float:
    """Return the share that a layer sets to 0, from the factor by which it scales up what it keeps."""
    shares = [0.]
    for told, (given, out) in chart["shapes"]["layers"]:
        if told[0][0] == told[1][0] and len(given) == len(out) == 1 and given[0][0] == out[0][0] == 0.:
            shares.append(1 - given[0][1] / max(out[0][1], 1e-9))
    return max(shares)


def buffers(chart: Chart) -> bool:
    """Whether all tensors of a list have the same address."""
    return any(len(told) > 2 and all(count == len(told) for _, count in told)
               for name, told in chart["versions"][-1].items() if name != "data" and " and " not in name)


def one_class(chart: Chart) -> bool:
    """Whether the batches hold fewer classes than batches in random order would."""
    many = [told[3] for told in chart["picture"]["targets"]]
    whole = chart["picture"]["all targets"][3]
    return classes(chart) and len(many) > 2 and sum(many) / len(many) - 1 < 0.25 * (whole - 1)


def bound(chart: Chart) -> float:
    """Return the smallest cross entropy of a softmax of probabilities."""
    return math.log(1 + (outputs(chart) - 1) / math.e)


def wrong_accuracy(chart: Chart) -> bool:
    own = chart.get("again accuracy")
    return (own is not None and float(chart["printed"]) == 0. and own["eval"][0] > 0.15
            and not same(float(chart["printed"]), chart["again"]["eval"][0], 0.01))


def emptied(chart: Chart) -> list[str]:
    """Return the weights whose drawers are full after the pass, and empty at every step."""
    return [name for name in numbers(chart)
            if all(event[1][name] for event in of(chart, "after the pass")[:5])
            and not any(event[1][name] for event in of(chart, "before the step"))]


def never_stepped(chart: Chart) -> list[str]:
    """Return the weights that an optimizer holds which never steps."""
    steps = of(chart, "after the step")
    return sorted(name for name in still(chart) & {*held(chart)}
                  if all(told[name][1] is None for _, told, _ in steps) and full_at_steps(chart, [name]))


def remembers(chart: Chart) -> bool:
    """Whether a step depends on earlier ones: it moves the weights although the drawers hold 0."""
    return any(far > 0 for told in chart["memory"].values() for far, _ in told.values())


def scalars(chart: Chart, names: list[str]) -> list[str]:
    shapes = numbers(chart)
    return [name for name in names if shapes[name] == ()]


def arrays(chart: Chart, names: list[str]) -> list[str]:
    shapes = numbers(chart)
    return [name for name in names if shapes[name] != ()]


def nan_drawers(chart: Chart) -> bool:
    """Whether a drawer holds NaN after the first pass."""
    return any(value is not None and math.isnan(value)
               for value in of(chart, "after the pass")[0][1].values())


def stuck(chart: Chart, names: list[str]) -> bool:
    """Whether there are such weights, and no step moves them."""
    return bool(names) and still(chart) >= {*names}


def without_gradients(chart: Chart) -> bool:
    """Whether all drawers are empty at every step."""
    return all(not any(event[1].values()) for event in of(chart, "before the step"))


def decays(chart: Chart) -> bool:
    """Whether the first step moves a weight although the drawers hold 0."""
    return any(far > 0 for told in chart["zeros"].values() for far, _ in told.values())
