"""Tensors are written out as PyTorch writes them: every text here was recorded from PyTorch 2.13."""
import json
from pathlib import Path

import numpy as np
import pytest

from minigrad import printing, return_types

RECORDED = Path(__file__).parent / "data" / "printing.json"
FLOATS = ("float16", "float32", "float64")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8")
nan, inf = float("nan"), float("inf")


def _steps(count, start=0.0, step=0.125, dtype="float32"):
    return (start + step * np.arange(count)).astype(dtype)


def cases():
    """Pairs of a name and what is printed: array, options, suffixes, default_dtype."""
    found = []

    def add(name, array, *suffixes, default_dtype="float32", **options):
        found.append((name, np.asarray(array), list(suffixes), default_dtype, options))

    for name, values in {
        "whole": [1, 2, 3], "whole of different width": [1, 20, -300], "decimals": [1.5, 2, -3.25],
        "zeros": [0, 0], "minus zero": [-0.0, 0.0], "minus zero and decimals": [-0.0, 1.5],
        "one nan": [nan, 1], "infinities": [inf, -inf, 2.5], "nothing finite": [nan, inf, -inf, 0, -0.0],
        "nan and powers": [nan, 1.5, 2000.25], "rounded up to a wider number": [9.99995, 1],
        "rounded to one": [0.99995, 0.5], "thirds": [1 / 3, 2 / 3], "just below 1e-4": [9.9999e-5, 1],
        "1e-4": [1e-4, 0.05], "ratio of 1000": [1, 1000], "ratio above": [1, 1001],
        "ratio above, decimals": [0.25, 251], "60000": [60000], "not quite whole": [60000, 0.5],
        "tiny": [6e-8],
    }.items():
        for dtype in FLOATS:
            add(f"{name}, {dtype}", np.array(values, dtype))
    for values in ([1e8], [1e8 + 8, 1], [1e9, 2e9], [3e20], [1e-45, 1.0], [-1e-6, 5e6], [0, 1e-6, 1],
                   [123456.75, 1000.5]):
        add(f"float32 {values}", np.array(values, "float32"))
    add("a ratio that overflows", np.array([5e-324, 1.7e308]))

    for number in (1, 2.5, 1 / 3, 123456.789, 1e-5, -7, nan, -inf, -0.0, 0):
        add(f"0-d {number}", np.float32(number))
        add(f"0-d {number}, grad_fn", np.float64(number), "grad_fn=<MulBackward0>")
    for dtype in INTEGERS:
        limits = np.iinfo(dtype)
        add(f"limits of {dtype}", np.array([limits.min, 0, limits.max], dtype))
        add(f"0-d {dtype}", np.array(7, dtype))
    add("bools", np.array([True, False]))
    add("one bool", np.array(True))
    add("column of bools", np.array([[True], [False]]))

    for dtype in (*FLOATS, *INTEGERS, "bool"):
        for default_dtype in FLOATS:
            for shape in (0,), (2, 0), (0, 3, 1), (2,):
                add(f"{shape} {dtype} when {default_dtype} is the default", np.ones(shape, dtype),
                    default_dtype=default_dtype)
    add("empty with suffix", np.ones((0, 3), "float32"), "requires_grad=True")

    for shape in (2, 2), (2, 2, 2), (1, 2, 1, 2), (3, 1), (1, 1, 1, 1), (2, 1, 3, 1, 2):
        add(f"shape {shape}", np.arange(np.prod(shape)).reshape(shape))
    for count in range(1, 45):
        add(f"{count} decimals", _steps(count))
        add(f"{count} decimals, requires_grad", _steps(count), "requires_grad=True")
        add(f"{count} whole numbers, grad_fn", _steps(count, step=1), "grad_fn=<SliceBackward0>")
        add(f"{count} float64, grad_fn", _steps(count, dtype="float64"), "grad_fn=<AddBackward0>")
        add(f"2 rows of {count}", _steps(2 * count, -1).reshape(2, count), "grad_fn=<MulBackward0>")
    add("40 bools", np.zeros(40, bool))
    add("powers in a deep tensor", _steps(48, step=1e5).reshape(2, 2, 12), "grad_fn=<MulBackward0>")

    add("transposed", np.arange(6.0, dtype="float32").reshape(2, 3).T)
    add("every other", _steps(20)[::2])
    add("expanded", np.broadcast_to(_steps(1, 0.5), (3, 4)))

    for shape in ((1000,), (1001,), (2, 1000), (1000, 2), (50, 50), (10, 12, 10), (7, 200), (1, 1200),
                  (2, 3, 300), (5, 4, 3, 20)):
        add(f"{shape} whole", np.arange(np.prod(shape)).reshape(shape))
        add(f"{shape} decimals", _steps(int(np.prod(shape)), -3).reshape(shape), "grad_fn=<ViewBackward0>")
    # Only what is shown decides: the large number in the middle does not.
    hidden = _steps(2000)
    hidden[1000] = 1e9
    add("a large number that is not shown", hidden)

    shown = _steps(24, -1, 0.37).reshape(2, 12)
    for options in ({"precision": 2}, {"precision": 0}, {"precision": 9},
                    {"linewidth": 40}, {"linewidth": 1}, {"linewidth": 120},
                    {"threshold": 5}, {"threshold": 5, "edgeitems": 1}, {"threshold": 5, "edgeitems": 0},
                    {"edgeitems": 0}, {"profile": "short"}, {"profile": "short", "precision": 5},
                    {"profile": "full"}, {"profile": "unknown"},
                    {"sci_mode": True}, {"sci_mode": True, "precision": 1}):
        add(f"options {options}", shown, "requires_grad=True", **options)
        add(f"row with options {options}", np.append(shown[0], nan), **options)
        add(f"whole numbers with options {options}", np.floor(shown), **options)
    add("sci_mode off", np.array([1e-9, 1e9], "float32"), sci_mode=False)
    add("full", np.arange(1100), profile="full")
    return found


CASES = cases()
TEXTS = json.loads(RECORDED.read_text(encoding="utf-8")) if RECORDED.exists() else {}


@pytest.fixture(autouse=True)
def _default_options():
    yield
    printing.set_printoptions(profile="default")


def test_every_case_is_recorded_and_has_a_name_of_its_own():
    assert sorted(name for name, *_ in CASES) == sorted(TEXTS)


@pytest.mark.parametrize("start", range(0, len(CASES), 50))
def test_texts(start):
    different = []
    for name, array, suffixes, default_dtype, options in CASES[start:start + 50]:
        with printing.printoptions(**options):
            text = printing.format_tensor(array, suffixes, default_dtype=np.dtype(default_dtype))
        if text != TEXTS[name]:
            different.append(f"{name}\nPyTorch:\n{TEXTS[name]}\nminigrad:\n{text}")
    assert not different, f"{len(different)} texts differ\n\n" + "\n\n".join(different[:3])


def test_a_subclass_changes_the_prefix_and_with_it_the_indent():
    assert printing.format_tensor(_steps(12), prefix="Weights(") == (
        "Weights([0.0000, 0.1250, 0.2500, 0.3750, 0.5000, 0.6250, 0.7500, 0.8750, 1.0000,\n"
        "         1.1250, 1.2500, 1.3750])")


def test_several_results():
    assert repr(return_types.max(("a", "b"))) == "torch.return_types.max(\nvalues='a',\nindices='b')"


def test_options_are_restored_after_the_block_even_when_it_fails():
    before = printing.get_printoptions()
    with pytest.raises(TypeError), printing.printoptions(precision=1, sci_mode=True):  # noqa: PT012
        assert printing.get_printoptions() == {**before, "precision": 1, "sci_mode": True}
        printing.format_tensor()
    assert printing.get_printoptions() == before == {
        "precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": None}


def test_sci_mode_is_forgotten_by_the_next_call():
    printing.set_printoptions(sci_mode=True)
    printing.set_printoptions(precision=3)
    assert printing.get_printoptions()["sci_mode"] is None


def test_the_array_is_left_alone():
    array = _steps(2000)
    array.flags.writeable = False
    printing.format_tensor(array)
    printing.format_tensor(array[None, :, None])
