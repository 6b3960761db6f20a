"""Judges an answer: which of its parts are right, which known wrong answer it is, and what to say to it."""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .comparing import is_error, same, same_kind, word
from .markup import plain
from .reading import Misread, as_lists, is_open, number, single
from .saying import THE_REST, about, aliased, explained, raised, short, so_far, their_line
from .time_limit import SECONDS, TooLong, time_limit

if TYPE_CHECKING:
    from .exercise import Exercise, Part, Wrong

TICKED, NOT_TICKED = "ticked", "not ticked"
ENDLESS = "Your answer had not finished after {:g} seconds. Does it have a loop that never ends?"
NONE_IN_QUOTES = ("Python's `None` marks a slot that you haven't filled. If it is your answer, write "
                  "`\"None\"`.")


@dataclass(frozen=True)
class Judgement:
    """What a check found: how many parts are right, what to say, the known wrong answer that it is, and what
    is stored of it (see `mistakes`)."""

    right: int
    says: tuple[str, ...] = ()  # paragraphs; none: all is right
    wrong: Wrong | None = None
    real: bool = True  # whether the answer could be read, and something in it has the right form
    mistakes: dict[str, str] = field(default_factory=dict)


def untouched(exercise: Exercise, answer: Any) -> bool:
    """Whether a stub was left as it was."""
    try:
        return is_open(answer) or bool(exercise.untouched and exercise.untouched(answer))
    except Exception:  # whatever a strange class may do
        return False


def judge(exercise: Exercise, answer: Any, numbers: Any) -> Judgement:
    """Compare an answer with what is right for these numbers; an answer that never ends is stopped."""
    try:
        with time_limit(SECONDS):
            return judge_in_time(exercise, answer, numbers)
    except TooLong:
        return Judgement(0, (ENDLESS.format(SECONDS),))


def judge_in_time(exercise: Exercise, answer: Any, numbers: Any) -> Judgement:
    try:
        parts = exercise.look(answer, numbers)
        bad = [part for part in parts if not fits(part, part.want, exercise)]
        if not bad:
            return Judgement(exercise.parts)
        wrong, part = known(exercise, answer, numbers, bad)
        failed = {one.name for one in bad}
        right = [name for name in dict.fromkeys(part.name for part in parts) if name not in failed]
        stored = mistakes(exercise, parts, bad, wrong)
        if exercise.choices:  # a wrong choice takes a right one away, so that ticking all wins nothing
            return Judgement(max(0, len(right) - len(failed)), (choice_problem(bad, wrong, part),), wrong,
                             mistakes=stored)
        part = part or next((one for one in bad if not is_open(one.got)), None)
        says = [*paragraphs(exercise, answer, bad, part, wrong, right)]
        if any(one.got is None for one in bad) and any(one.want == "None" for one in parts):
            says.append(NONE_IN_QUOTES)
        real = any(same_kind(as_lists(one.got), as_lists(one.want)) for one in parts)
        points = min(len(right), exercise.parts - 1)  # an exercise for one point may be judged by many parts
        return Judgement(points, tuple(says), wrong, real, stored)
    except Misread as problem:
        return Judgement(0, (str(problem),), real=False)
    except Exception as error:  # whatever a learner's function, or a strange answer, may do
        return Judgement(0, (raised(error),), real=their_line(error) is not None)


def mistakes(exercise: Exercise, parts: list[Part], bad: list[Part], wrong: Wrong | None) -> dict[str, str]:
    """What is worth storing of a wrong answer: the reply to a known one, or else the parts that are wrong.

    A part is stored with its value where a class can compare it: a tick, a word that is right elsewhere in
    the same answer, or a number where everybody has the same question. Other words that a learner wrote, and
    results of their functions, are not stored.
    """
    if exercise.choices:
        return {part.name: TICKED if part.got else NOT_TICKED for part in bad}
    if wrong is not None:
        return {wrong.says: ""}
    words = {word(part.want) for part in parts if isinstance(part.want, str)}
    told = {}
    for part in bad:
        if is_open(part.got):
            continue
        value, name = single(as_lists(part.got)), exercise.named.get(part.name, part.name)
        told[name] = ""
        if isinstance(value, str) and words:
            value = "error" if is_error(value) else word(value)
            told[name] = value if value in words else ""
        elif exercise.expected and exercise.draw is None and isinstance(part.want, (int, float)) \
                and (given := number(value)) is not None:
            told[name] = short(float(given))
    return told


def fits(part: Part, want: Any, exercise: Exercise) -> bool:
    return same(as_lists(part.got), as_lists(want), exercise.within)


def choice_problem(bad: list[Part], wrong: Wrong | None, part: Part | None) -> str:
    """Name a line that was ticked wrongly, and first the one that the known wrong answer explains."""
    extra = [one.name for one in [*[part] * (part is not None), *bad] if one.got]
    missing = "One line is missing." if len(bad) == 1 else f"{len(bad)} lines are missing."
    return explained(f"`{extra[0]}` doesn't belong there." if extra else missing, wrong)


def paragraphs(exercise: Exercise, answer: Any, bad: list[Part], part: Part | None, wrong: Wrong | None,
               right: list[str]) -> Iterable[str]:
    """What to say: about one part that is wrong, what is missing, and how much is right already."""
    missing = [exercise.named.get(one.name, "your answer") for one in bad if is_open(one.got)]
    if part is not None:
        yield from explained(about(part, exercise), wrong).split("\n")
        if same_tensor := aliased(answer):
            yield same_tensor
    said = so_far(exercise, right)
    still = f"Still missing: {', '.join(missing)}." if missing else ""
    if said or still:
        first, second = (still, said) if part is None and said == THE_REST else (said, still)
        yield f"{first} {second}".strip()


def known(exercise: Exercise, answer: Any, numbers: Any, bad: list[Part]) -> tuple[Wrong | None, Part | None]:
    """The known wrong answer that explains most of what is wrong, and the first part that it explains."""
    most, best = (0, 0), (None, None)
    given = [part for part in bad if not is_open(part.got)]
    for wrong in exercise.wrong:
        try:
            if wrong.fits is not None:
                if wrong.fits(answer):
                    return wrong, None
                continue
            foreseen = {part.name: part for part in exercise.look(wrong.answer(numbers), numbers)}
            explains = [part for part in given if fits(part, as_lists(foreseen[part.name].got), exercise)]
            others = [part for part in foreseen.values()
                      if not is_open(part.got) and not fits(part, part.want, exercise)]
        except Exception:  # an answer of another kind is not this one
            continue
        if wrong.whole and not len(explains) == len(given) == len(others):
            continue
        if explains and (len(explains), -len(others)) > most:
            most, best = (len(explains), -len(others)), (wrong, explains[0])
    return best


def first_wrong(exercise: Exercise, answer: Any, numbers: Any) -> str | None:
    """What is wrong, as plain text; None: all is right."""
    judgement = judge(exercise, answer, numbers)
    return plain(" ".join(judgement.says)) if judgement.says else None


def count_right(exercise: Exercise, answer: Any, numbers: Any) -> int:
    """How many of the exercise's `parts` are right; a strange answer has no right parts."""
    return 0 if untouched(exercise, answer) else judge(exercise, answer, numbers).right
