"""Chapter 9: where do the steps of SGD lead, in a bowl whose lowest point is at p = 1?

Choose when the drawer is emptied and what that leaves in it, the options of SGD, and whether the loss goes on
using p. The left panel shows the bowl and where p has been, the right one p after each step.
"""
from __future__ import annotations

import minigrad as torch

from ..curves import as_html, as_png, new_figure
from ..lab import BAD, GOOD, LOUD, Choice, Lab, State

STEPS, CUT = 100, 10
LEAVES = {"None": True, "zeros": False}
BEFORE, SECOND, NEVER = "before each pass", "before every second pass", "never"
ALWAYS, CUT_OFF = "p", f"p for {CUT} steps, then p.detach()"
SETTLED = 0.03  # how little p may move in the last 20 steps
SETTLES, SWINGS, LEAVES_BOWL = "SETTLES", "KEEPS MOVING", "LEAVES THE BOWL"
INK, CURVE, PATH = "#1A1A1A", "#0072B2", "#D55E00"


def run(state: State) -> list[float]:
    """Return p at the start and after each step."""
    p = torch.tensor(2., requires_grad=True)
    other = torch.tensor(0., requires_grad=True)  # so that the loss has a graph when p is cut off
    sgd = torch.optim.SGD([p], lr=0.1, momentum=state["momentum"], weight_decay=state["decay"])
    found = [p.item()]
    for step in range(STEPS):
        if state["empty"] == BEFORE or (state["empty"] == SECOND and step % 2 == 0):
            sgd.zero_grad(set_to_none=LEAVES[state["leaves"]])
        used = p.detach() if state["loss"] == CUT_OFF and step >= CUT else p
        ((used - 1) ** 2 / 2 + other).backward()
        sgd.step()
        found.append(p.item())
    return found


def program(state: State) -> list[str]:
    """Return the loop as a learner would write it."""
    options = ["lr=0.1", *([f"momentum={state['momentum']}"] if state["momentum"] else []),
               *([f"weight_decay={state['decay']}"] if state["decay"] else [])]
    call = "sgd.zero_grad()" if state["leaves"] == "None" else "sgd.zero_grad(set_to_none=False)"
    empties = {BEFORE: [f"    {call}"], SECOND: ["    if step % 2 == 0:", f"        {call}"], NEVER: []}
    cut = state["loss"] == CUT_OFF
    other = ["other = torch.tensor(0., requires_grad=True)"] if cut else []
    return [*other, f"sgd = torch.optim.SGD([p], {', '.join(options)})", f"for step in range({STEPS}):",
            *empties[state["empty"]], *([f"    used = p if step < {CUT} else p.detach()"] if cut else []),
            f"    loss = ({'used' if cut else 'p'} - 1) ** 2 / 2" + (" + other" if cut else ""),
            "    loss.backward()", "    sgd.step()"]


def show(state: State):
    """(the bowl and the steps as an image; the program, some positions and a verdict in words)."""
    found = run(state)
    places = (0, 1, 2, 5, 10, 11, 15, 20, 50, STEPS)
    words = [*program(state), "", "p is " + ", ".join(f"{found[at]:.3g} at step {at}" for at in places),
             verdict(state, found)]
    return image(state, found, words[-1]), "\n".join(words)


def verdict(state: State, found: list[float]) -> str:
    last = found[-20:]
    if max(map(abs, found)) > 20:
        return f"{LEAVES_BOWL}: p is {found[-1]:.3g} at the end."
    if max(last) - min(last) > SETTLED:
        low, high = (round(one, 2) + 0. for one in (min(last), max(last)))  # + 0. makes 0 of -0
        return f"{SWINGS}: in the last 20 steps, p is between {low:.2f} and {high:.2f}."
    said = f"{SETTLES} at {found[-1]:.2f}."
    if state["loss"] == CUT_OFF:
        moved = found[-1] - found[CUT]
        said += (f" After step {CUT}, when the loss no longer uses p, it moves by {moved:.2f}."
                 if moved else f" After step {CUT}, when the loss no longer uses p, it doesn't move.")
    return said


def image(state: State, found: list[float], words: str) -> str:
    figure = new_figure(7.1, 3)
    bowl, path = figure.subplots(1, 2, width_ratios=(2, 3))
    low, high = min(-0.3, *found), max(2.3, *found)
    at = [low + (high - low) * k / 100 for k in range(101)]
    bowl.plot(at, [(p - 1) ** 2 / 2 for p in at], color=CURVE, linewidth=2)
    bowl.plot(found, [(p - 1) ** 2 / 2 for p in found], "o", color=PATH, markersize=4)
    bowl.set_xlabel("p", fontsize=12)
    bowl.set_ylabel("loss", fontsize=12)
    path.axhline(1, color=INK, linewidth=1, linestyle=":")
    if state["loss"] == CUT_OFF:
        path.axvline(CUT, color=INK, linewidth=1, linestyle="--")
    path.plot(range(len(found)), found, "o-", color=PATH, markersize=3, linewidth=1)
    path.set_xlabel("step", fontsize=12)
    path.set_ylabel("p", fontsize=12)
    alt = f"Left: the bowl, with p after each step. Right: p over the steps. {words}"
    return as_html(as_png(figure), alt)


def solved(state: State, words: str) -> str:
    """Which tasks of the chapter does this setting solve?"""
    found, done = run(state), []
    line = verdict(state, found)
    if line.startswith(SWINGS) and (state["empty"], state["loss"]) == (BEFORE, ALWAYS):
        done.append("p keeps moving, although the drawer is emptied before each pass.")
    if line.startswith(SETTLES) and state["loss"] == ALWAYS and abs(found[-1] - 1) > 0.05:
        done.append("p settles away from the lowest point of the loss.")
    if state["loss"] == CUT_OFF and abs(found[-1] - found[CUT]) > 0.01:
        done.append("p moves although the loss no longer uses it.")
    return " ".join(done)


def open_lab() -> Lab:
    start = {"empty": BEFORE, "leaves": "None", "momentum": 0, "decay": 0, "loss": ALWAYS}
    return Lab("Where do the steps lead?", show,
               controls={"empty": Choice("Call zero_grad:", (BEFORE, SECOND, NEVER)),
                         "leaves": Choice("It leaves:", tuple(LEAVES)),
                         "momentum": Choice("Momentum:", (0, 0.5, 0.9, 1)),
                         "decay": Choice("Weight decay:", (0, 0.1, 0.5)),
                         "loss": Choice("The loss uses:", (ALWAYS, CUT_OFF))},
               start=start,
               fallback=(start, {**start, "empty": NEVER}, {**start, "momentum": 0.9}),
               solved=solved, verdicts={SETTLES: GOOD, SWINGS: LOUD, LEAVES_BOWL: BAD}, lines=12,
               pixels=True)
