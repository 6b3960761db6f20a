"""Chapter 2, "The grad drawer": its questions and exercises."""
from __future__ import annotations

import re

import minigrad as torch

from ...classroom.comparing import same
from ...classroom.deciding import judged, numbers, shown_after
from ...classroom.exercise import Exercise, Part, Wrong
from ...classroom.notes import Note
from ...classroom.questions import Option, Question
from ...classroom.reading import as_lists
from ...classroom.saying import kind_of

IDEAS = ("drawer", "Gradient accumulation", "leaf", "constant")



def listed(printed: str) -> str:
    """Return the entries of the list that 2.2 prints, as its options write them."""
    entries = re.findall(r"tensor\((-?\d+)\.\)|(None)", printed.splitlines()[0])
    first, second, third = (number.replace("-", "−") or none for number, none in entries)
    return f"{first}, {second} and {third}"


def drawer_of_c(printed: str) -> str:
    """Return what the table of 2.3 shows in the drawer of `c`, and whether the hook was called."""
    *_, held, _ = re.search(r"^c .*$", printed, re.MULTILINE)[0].split()
    stored = {"None": "None", "(3,": "numbers", "4)": "numbers"}[held]
    return f"{stored}, and {'a' if 'hook: tensor(' in printed else 'no'} gradient for c is computed"


def zeros_in_a_new_drawer(printed: str) -> str:
    """Return the verdict on 2.n1: the release of January 2017 printed zeros."""
    return judged("None" not in printed.splitlines()[0], held=True)


QUESTIONS = (
    Question("2.1", "The first pass put −1.6278 into `w.grad`. Where `w` is now, the slope of the loss is "
             "−0.9495. What does `w.grad` hold after the second pass?", (
        Option("−0.9495: a new gradient replaces the old one, unless it is 0", "M02",
               "Nothing is replaced: for `b`, the new 0 was added to −1, and that is −1."),
        Option("−1.6278: the drawer is full, so the second pass leaves it alone", "M43",
               "A full drawer changes, too. For `b`, it holds the same number, because its second gradient "
               "is 0."),
        Option("−2.5773: the second pass adds its gradient to the first one", None,
               "−1.6278 + (−0.9495) is −2.5773, and for `b`, −1 + 0 is −1."),
    ), told=r"added to|\badds?\b|accumulat|2\.5773|\bsum of\b",
        paper="A weight `w` is 1, and a backward pass from a loss put −1.6278 into `w.grad`. A step changed "
        "`w`, and the slope of the loss is now −0.9495. The program computes the loss again and calls "
        "`backward()`. What does `w.grad` hold then?",
        explains="The second step used a sum of gradients from two different places. So it moved `w` by "
        "0.5 · 2.5773 instead of 0.5 · 0.9495, and `b` by 0.5 although its slope was 0. In chapter 1, the "
        "third step used −1 + 0 + 1 = 0 for `b`.",
        decided=lambda printed: shown_after("after:", printed)),
    Question("2.2", "`b.grad` is `None`. Three times, you compute the loss, call `backward()`, append "
             "`b.grad` to the list `history`, and call `b.grad.zero_()`. Each pass brings −1. What does "
             "`history` hold then?", (
        Option("0, 0 and 0: each entry is the tensor in the drawer", None,
               "The list holds one tensor three times, as the next cell shows, and `zero_()` came last."),
        Option("−1, −1 and −1: each entry keeps the gradient of its pass", "M52",
               "`history` holds the tensor itself, not a copy, so `zero_()` changes its entries."),
        Option("`None`, `None` and `None`: nothing is left after `zero_()`", "M04",
               "`zero_()` writes zeros into the tensor. The tensor stays in the drawer and in the list."),
    ), told="overwrit|holds zeros|old gradient unchanged",
        explains="`b.grad.zero_()` overwrites the old gradient, and `b.grad = None` leaves it unchanged: "
        "the next pass puts a new tensor into the empty drawer.",
        decided=listed),
    Question("2.3", "`a` requires a gradient, and `k` doesn't. `c = a + k`, `d = c.sum()`, `d.backward()`. "
             "What does `c.grad` hold?", (
        Option("ones: a gradient for `c` is computed, then stored in `c.grad`", "M36",
               "It is computed, but an operation made `c`, so the gradient isn't stored there.",
               claims="numbers, and a gradient for c is computed"),
        Option("zeros: no gradient for `c` is stored, so it counts as zero", "M04",
               "Where nothing is stored, `.grad` is `None`. Zeros would mean that `d` has the slope 0 there.",
               claims="numbers, and no gradient for c is computed"),
        Option("`None`: no gradient for `c` is computed in this pass at all", "M21",
               "The hook printed one. It is computed, because the gradient of `a` is computed from it.",
               claims="None, and no gradient for c is computed"),
        Option("`None`: a gradient for `c` is computed, but it isn't stored", None,
               "The hook printed the ones that arrived at `c`. They went on to `a`, and were not stored at "
               "`c`.", claims="None, and a gradient for c is computed"),
    ), told=r"keeps nothing|never stored|not stored|isn.t stored|stores nothing|only in leaves",
        explains="Unless you ask for more, `backward()` stores gradients only in leaves that require one.",
        decided=drawer_of_c),
)

NOTES = (
    Note("2.n1", "right in its time",
         says="The note is from January 2017. The PyTorch of that time did print zeros for such a tensor, so "
         "the note told the truth. A remark in it is right, too: PyTorch 0.2 printed `None`, and today's "
         "versions still do.",
         instead="Read `None` as \"no gradient has been stored\", and don't read it as zero.",
         told="did print|told the truth|true then|January 2017", rows=("A1",),
         decided=zeros_in_a_new_drawer),
    Note("2.n2", "right",
         says="Your first pass prints `v / 2`. The numbers that the note shows are those of your "
         "third pass, three times as large: probably its cell was run three times. "
         "Further down, the note says that passes add up.",
         instead="Write `v.grad = None` above `backward()`, in the same cell.",
         told="three times as large|[Rr]un three times|ran three times|those of your third",
         rows=("D1",),
         decided=lambda printed: judged(numbers(printed)[1:5] == [0.5, 1., 1.5, 2.])),
)


def held(numbers) -> list:
    """What `.grad` of p, r, s and t holds after both passes of 2a; a missing gradient is the word "None"."""
    p = torch.tensor(4., requires_grad=True)
    r = torch.tensor(2., requires_grad=True)
    (p * numbers["q"] + r * 0).backward()
    (p * numbers["factor"]).backward()
    return [p.grad.item(), r.grad.item(), "None", "None"]


def small_weights() -> list[float]:
    """What `torch.manual_seed(7); torch.randn(3) * 0.1` gives, without setting the global seed."""
    return (torch.randn(3, generator=torch.Generator().manual_seed(7)) * 0.1).tolist()


def repaired(w, _):
    """The repaired w of 2b: a leaf with the old numbers, in whose drawer a slope has arrived."""
    if not all(hasattr(w, name) for name in ("is_leaf", "requires_grad", "detach")):  # `.grad` may warn
        if isinstance(w, str):
            yield Part("leaf", False, True, "Put the tensor `w` itself into `answer_2b`, without quotes.")
            return
        yield Part("leaf", False, True, f"Put the tensor `w` itself into `answer_2b`, not {kind_of(w)}.")
        return
    if not w.requires_grad and same(as_lists(w), [5., 5., 5.], 1e-3):
        yield Part("leaf", False, True, "You handed in `w.grad`. Put the tensor `w` itself into `answer_2b`.")
        return
    yield Part("leaf", w.is_leaf, True, "Your `w` is not a leaf yet.")
    yield Part("flag", w.requires_grad, True, "Your `w` is a leaf, but it doesn't require a gradient.")
    yield Part("numbers", near(w), True,
               "The numbers in `w` have changed. Run `torch.manual_seed(7)` again, too.")
    arrived = w.grad if w.is_leaf else None
    yield Part("grad", arrived is not None, True,
               "No gradient has arrived: `w.grad` is `None`. Run the line with `backward()`, too.")
    yield Part("grad", arrived is None or same(as_lists(arrived), [5., 5., 5.], 1e-3), True,
               f"`w.grad` is {kind_of(arrived)}. One pass through `(w * 5).sum()` gives other numbers, "
               "so run all lines again.")


def near(w) -> bool:
    """Whether a tensor has the numbers of small_weights()."""
    return same(as_lists(w), small_weights(), 1e-3)


def repair(_=None):
    w = torch.tensor(small_weights(), requires_grad=True)
    (w * 5).sum().backward()
    return w


def unrepaired(_):
    w = torch.tensor(small_weights(), requires_grad=True) * 1
    (w * 5).sum().backward()
    return w


def too_large(_):
    w = (torch.tensor(small_weights()) * 10).requires_grad_()
    (w * 5).sum().backward()
    return w


EXERCISES = (
    Exercise("2a", "What do the four .grad hold?",
             {f"{name}.grad": f"`{name}.grad`" for name in "prst"}, expected=held,
             standard={"q": 6., "factor": 3.},
             draw=lambda rng: {"q": float(rng.randint(5, 9)), "factor": float(rng.choice((2, 3, 4)))},
             paper="What does each of the four `.grad` hold after this program? Write a number, or *None*.",
             hints=("Which of the four are leaves that require a gradient? Which are used in a pass?",
                    "Two passes bring a gradient to `p`. `r` is used and multiplied by 0; `s` isn't used."),
             why="If a weight of yours doesn't move, look into its drawer: `None` means that no gradient "
             "was stored since it was made or emptied.",
             wrong=(Wrong(lambda numbers: [numbers["factor"], *held(numbers)[1:]], "M02",
                          "The second pass adds its gradient to the one that is there."),
                    Wrong(lambda numbers: [numbers["q"], *held(numbers)[1:]], "M43",
                          "That is the gradient of the first pass, and the second pass adds its own."),
                    Wrong(lambda numbers: [*held(numbers)[:3], 1.], "M36",
                          "A multiplication made `t`, so the gradient passes through `t` and isn't stored."),
                    Wrong(lambda numbers: [held(numbers)[0], "None", "None", "None"], "M04",
                          "The two are different: a pass reached `r` and brought a gradient of 0."),
                    Wrong(lambda numbers: [held(numbers)[0], 0., 0., 0.], "M04",
                          "Where no pass stores a gradient, `.grad` doesn't become 0."))),
    Exercise("2b", "Repair w, and keep its numbers", judge=repaired, example=repair,
             paper="These lines make small random weights, but `w.grad` is `None` after the last line. "
             "Write them so that `w` is a leaf, as an optimizer demands, and has the same numbers.",
             hints=("Why is `w` not a leaf? Look at the operation in its line.",
                    "Require the gradient after the multiplication: `.requires_grad_()` comes last."),
             why="Models start from small random weights like these, and now a step can use the gradient in "
             "`w.grad` to change them.",
             wrong=(Wrong(unrepaired, None, "The numbers in `w` are right, but a recorded operation "
                          "made `w`: it isn't a leaf, and an optimizer refuses it.",
                          fits=lambda w: not w.is_leaf and near(w),
                          paper="`torch.randn(3, requires_grad=True) * 0.1`"),
                    Wrong(too_large, None, "The numbers should stay small: multiply by 0.1.",
                          fits=lambda w: near(w * 0.1),
                          paper="`torch.randn(3).requires_grad_()`"))),
)
