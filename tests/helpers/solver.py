"""Names the bugs of a patient from what the page of measurements tells about its script, and nothing else.

    python -m tests.helpers.solver 0-19              the bugs of these patients, named and real
    python -m tests.helpers.solver --write           measure all patients again, and write docs/patients.md
    python -m tests.helpers.solver --watch           ask why and watch again, and write docs/patients.md
    python -m tests.helpers.solver --page            write docs/patients.md from what is stored

`examining` takes the measurements. The rules here know which bugs there are and what each looks like in the
measurements, as a doctor knows diseases; they see no text and no name of a script's lines.
"""
from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

from tests.helpers.chart import (
    Chart,
    alias,
    all_off,
    apart,
    arrays,
    bound,
    buffers,
    classes,
    columns,
    cut,
    decays,
    differs,
    dropped,
    emptied,
    finite,
    first_steps,
    halved,
    image,
    kind_of_optimizer,
    many_columns,
    mixed,
    mode_matters,
    nan_drawers,
    never_stepped,
    numbers,
    one_class,
    other_number,
    outputs,
    outside,
    rates,
    remembers,
    scalars,
    square,
    stale,
    steps_of,
    still,
    stuck,
    switches,
    tells,
    turns,
    unheld,
    unrecorded,
    unseen,
    wider,
    without_gradients,
    wrong_accuracy,
)
from tests.helpers.examining import examine

# In the order of the page: (measurement, bug, what it looks like).
RULES: list[tuple[str, str, Callable[[Chart], bool]]] = [
    ("shapes", "features_off_the_record", unrecorded),
    ("shapes", "error_broadcast", lambda c: square(c) and not classes(c)),
    ("shapes", "all_columns_picked", lambda c: square(c) and classes(c)),
    ("shapes", "blocks_in_a_list", lambda c: bool(c["hidden"])),
    ("overfit", "softmax_twice", lambda c: classes(c) and outputs(c) > 1 and finite(c) and not mixed(c)
     and bound(c) - 0.005 <= c["overfit fresh"] < bound(c) + 1.3),
    ("overfit", "sigmoid_twice", lambda c: classes(c) and outputs(c) == 1 and c["overfit fresh"] > 0.31),
    ("overfit", "probabilities_for_logs", lambda c: classes(c) and c["overfit fresh"] < -0.3),
    ("nudge", "hidden_detached", lambda c: bool(arrays(c, unseen(c))) and not unrecorded(c)),
    ("nudge", "limit_data", lambda c: "limit" in scalars(c, unseen(c))),
    ("nudge", "offset_item", lambda c: "offset" in scalars(c, unseen(c))),
    ("nudge", "half_without_graph", all_off),
    ("nudge", "features_off_the_record", lambda c: bool(arrays(c, unseen(c))) and unrecorded(c)),
    ("drawers", "features_off_the_record", lambda c: bool(arrays(c, cut(c))) and unrecorded(c)),
    ("drawers", "half_overflows", lambda c: not finite(c) and nan_drawers(c)),
    ("drawers", "hidden_detached", lambda c: bool(arrays(c, cut(c))) and not unrecorded(c)),
    ("drawers", "limit_data", lambda c: "limit" in scalars(c, cut(c))),
    ("drawers", "offset_item", lambda c: "offset" in scalars(c, cut(c))),
    ("drawers", "zero_forgotten", lambda c: len(stale(c)) > 0 and all(full for _, full in stale(c))),
    ("drawers", "zero_once_an_epoch", lambda c: any(full for _, full in stale(c))
     and not any(full for begins, full in stale(c) if begins)),
    ("drawers", "step_before_pass", without_gradients),
    ("drawers", "head_emptied_before_step", lambda c: 0 < len(emptied(c)) < len(numbers(c))),
    ("drawers", "root_at_zero", lambda c: finite(c) and nan_drawers(c)),
    ("moved", "half_of_the_weights", lambda c: bool(unheld(c)) and [*numbers(c)][-1] not in unheld(c)),
    ("moved", "head_after_optimizer", lambda c: [*numbers(c)][-1] in unheld(c)),
    ("moved", "head_never_steps", lambda c: bool(never_stepped(c))),
    ("moved", "hidden_detached", lambda c: not unrecorded(c) and stuck(c, arrays(c, cut(c)))),
    ("moved", "features_off_the_record", lambda c: unrecorded(c) and stuck(c, arrays(c, cut(c)))),
    ("moved", "limit_data", lambda c: stuck(c, [name for name in scalars(c, cut(c)) if name == "limit"])),
    ("moved", "offset_item", lambda c: stuck(c, [name for name in scalars(c, cut(c)) if name == "offset"])),
    ("moved", "step_before_pass", lambda c: without_gradients(c) and len(still(c)) == len(numbers(c))),
    ("moved", "head_emptied_before_step", lambda c: len(emptied(c)) < len(numbers(c))
     and stuck(c, emptied(c))),
    ("moved", "average_alias", lambda c: outside(c) and alias(c)),
    ("moved", "schedule_each_batch", lambda c: any(len({*rates(turn)}) > 1 for turn in turns(c)[:10])
     or rates(turns(c)[-1])[-1] < 0.01 * rates(turns(c)[0])[0] and not halved(c)),
    ("moved", "halved_each_epoch", halved),
    ("moved", "decay_of_weights", decays),
    ("moved", "weights_clamped", lambda c: outside(c) and not alias(c)),
    ("moved", "optimizer_made_again", lambda c: not decays(c) and remembers(c) and len(turns(c)) > 8
     and first_steps(c, kind_of_optimizer(c) == "adam")),
    ("moved", "epsilon", lambda c: all(0.8 < value < 0.97 for value in steps_of(c, "ones").values())),
    ("again", "dropout_made_in_forward", lambda c: differs(c) and not switches(c)),
    ("again", "train_in_loss", switches),
    ("again", "eval_forgotten", lambda c: bool(c["tested in training"]) and not switches(c) and not differs(c)
     and (mode_matters(c) or other_number(c))),
    ("versions", "average_alias", alias),
    ("versions", "slice_written", lambda c: c["versions"][-1]["data"][0][0] > c["versions"][0]["data"][0][0]),
    ("versions", "same_buffer", buffers),
    ("reaches", "softmax_over_rows", lambda c: mixed(c) and classes(c) and not square(c) and not differs(c)
     and not switches(c)),
    ("picture", "keep_dropped", lambda c: dropped(c) > 0.6),
    ("picture", "half_overflows", lambda c: not finite(c)),
    ("picture", "columns_scrambled", lambda c: finite(c) and many_columns(c) and not tells(c, "train")),
    ("picture", "rows_apart", lambda c: finite(c) and tells(c, "train") and not tells(c, "given")
     and not buffers(c)),
    ("picture", "normalised_twice", lambda c: apart(columns(c, "train"), columns(c, "given"), 0.5)
     and c["picture"]["rows"] > 100 and not buffers(c)),
    ("picture", "test_as_it_came", lambda c: finite(c) and tells(c, "train") and (
        apart(columns(c, "train"), columns(c, "test"), 3) or wider(columns(c, "train"), columns(c, "test")))),
    ("picture", "test_by_itself", lambda c: many_columns(c)
     and all(abs(column[2]) < 0.005 for column in [*columns(c, "train"), *columns(c, "test")])),
    ("picture", "order_unused", lambda c: one_class(c) and tells(c, "given")),
    ("picture", "bytes_wrap", lambda c: image(c) and columns(c, "train")[0][1] > 10),
    ("picture", "whole_division", lambda c: image(c) and columns(c, "train")[0][3] == 2),
    ("picture", "squares_wrap", lambda c: image(c) and columns(c, "train")[0][:2] == [0., 0.879]),
    ("picture", "stamps_rounded", lambda c: many_columns(c) and all(
        column[3] < 0.7 * c["shapes"]["prediction"][1][0][0] for column in columns(c, "train"))),
    ("again", "largest_score", wrong_accuracy),
]


def findings(chart: Chart) -> Iterator[tuple[str, str]]:
    """Yield (measurement, bug) for each rule that holds."""
    for measurement, bug, holds in RULES:
        if holds(chart):
            yield measurement, bug


def named(source: str, library: str = "minigrad") -> list[tuple[str, str]]:
    """Return (measurement, bug) for each bug that the measurements of a script show."""
    return list(findings(examine(source, library)))


def main(words: list[str]) -> None:
    from minigrad.book.classroom.patients import patient
    from minigrad.book.classroom.patients.verifying import seeds_of
    from tests.helpers import patients_measured, patients_page, patients_watched
    again = {"--write": patients_measured.measure, "--watch": patients_watched.ask_all, "--page": list}
    if words and words[0] in again:
        again[words[0]]()
        patients_page.write()
    else:
        for seed in seeds_of(words):
            one = patient(seed)
            found = {bug for _, bug in named(one.source)}
            real = {bug.name for bug in one.bugs}
            print(seed, *sorted(found), *(() if found == real else ("instead of", *sorted(real))))


if __name__ == "__main__":
    main(sys.argv[1:])
