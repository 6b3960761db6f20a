"""For `why`: losses that were given what is no probability, or weights of frequent classes."""
from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..drawing.explanation import Fix
from ..program.node_lines import Line
from ..watching.class_weights import weighted_of
from .answer import Answer, place
from .evidence import Case

LOGARITHMS = "kl_div to logarithms"
MISGIVEN = {  # what a loss was given -> (cause, what it takes, fix, price)
    "kl_div of probabilities": (
        "no logarithms",
        "it takes logarithms of probabilities as its input",
        "Give it their logarithm: log_softmax in place of softmax, or else `.log()`.", "none"),
    "kl_div of scores": (
        "no logarithms",
        "it takes logarithms of probabilities as its input, of which none is above 0",
        "Give it `F.log_softmax(scores, dim)` of them.", "another function is trained"),
    LOGARITHMS: (
        "no probabilities",
        "without log_target=True it takes probabilities as its target, of which none is below 0",
        "If these are logarithms, give it `log_target=True`.", "another function is trained"),
    "kl_div to probabilities": (
        "no logarithms",
        "with log_target=True it takes logarithms as its target",
        "Leave out `log_target=True`.", "another function is trained"),
    "cross_entropy of probabilities": (
        "no scores",
        "it takes the softmax of its input itself, whose largest number is then at most 2.72 times "
        "the smallest",
        "Give it their logarithm, or the scores that they were made of.",
        "the logarithm of 0 is -inf"),
}


def told(kind: tuple[str, str], before: str, line: Line | None, guilty: list[object]) -> Answer:
    cause, takes, words, price = MISGIVEN[kind[0]]
    return Answer(cause, f"{kind[0].partition(' ')[0]}(){place(line)} was given what {before} "
                  f"made: in a call that was measured, {kind[1]}, but {takes}.",
                  [Fix(words, price)], guilty, line=line)


def class_weights(cases: Sequence[Case]) -> Iterator[Answer]:
    """A loss in which every more frequent class has the larger weight."""
    for one in weighted_of(case.tensor for case in cases):
        if one.rises:
            yield Answer("class weights", f"The loss{place(one.line)} gives every more frequent "
                         f"class a larger weight: {one.words()}.",
                         [Fix("If rare classes are to count as much as frequent ones, give weights "
                              "that fall with the counts: `counts.sum() / (len(counts) * counts)`.",
                              "the loss has another scale")], line=one.line)
