"""Random numbers are PyTorch's, bit for bit: everything compared here was recorded from PyTorch 2.13."""
import hashlib
import json
import platform
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import minigrad as torch
from minigrad import box_muller, sampling
from minigrad.generator import (
    Generator,
    default_generator,
    fork_rng,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)

DATA = Path(__file__).parent / "data"
NUMBERS, FACTS = DATA / "random_numbers.npz", DATA / "random_facts.json"
FLOATS = ("float16", "float32", "float64")
EVERY = (*FLOATS, "int8", "int16", "int32", "int64", "uint8", "bool")
SHAPES = [(), (0,), (3, 5), (2, 3, 4), *[(count,) for count in range(1, 41)], (257,)]
RANGES = [(0, 2), (-3, 4), (0, 100), (0, 2**28 - 1), (0, 2**28), (-2**31, 2**31), (0, 2**32 + 5),
          (-2**62, 2**62), (5, None), (-2, None), (-2**63, None), (2**24 - 1, 2**24 + 1),
          (-2**24 - 3, 2**25 + 3)]

# What a step of a sequence calls; `record_printing_and_random.py` has the same names for PyTorch's calls.
CALLS = {
    "rand": sampling.uniform,
    "uniform_": sampling.uniform,
    "randn": sampling.normal,
    "normal_": sampling.normal,
    "normal_transposed": lambda shape, dtype, **options: np.ascontiguousarray(
        sampling.normal(shape, dtype, is_contiguous=False, **options).T),
    "exponential_": sampling.exponential,
    "bernoulli_": sampling.bernoulli,
    "bernoulli_array": lambda shape, dtype: sampling.bernoulli(shape, sampling.uniform(shape, dtype), dtype),
    "dropout_mask": lambda shape, p: sampling.bernoulli(shape, 1 - p).astype(bool),
    "normal_from": lambda shape, dtype, std_dtype: sampling.normal_from(
        sampling.uniform(shape, dtype), sampling.uniform(shape, std_dtype)),
    "normal_from_mean": lambda shape, dtype: sampling.normal_from(sampling.uniform(shape, dtype), 0.37),
    "normal_from_std": lambda shape, dtype: sampling.normal_from(0.37, sampling.uniform(shape, dtype)),
    "randint": lambda shape, dtype, low, high: sampling.randint(low, high, shape, dtype),
    "random_": lambda shape, dtype: sampling.random_integers(shape, dtype),
    "randperm": lambda n, dtype="int64": sampling.randperm(n, dtype),
    "multinomial": lambda shape, dtype, count, replacement: sampling.multinomial(
        sampling.uniform(shape, dtype), count, replacement),
}


def sequences():
    """Named sequences of calls after one seed: {name: (seed, [(call, arguments)])}."""
    found = {}
    for dtype in FLOATS:
        def for_shapes(call, dtype=dtype, **options):
            return [(call, {"shape": shape, "dtype": dtype, **options}) for shape in SHAPES]
        found[f"rand {dtype}"] = 0, for_shapes("rand")
        found[f"uniform_ {dtype}"] = 1, for_shapes("uniform_", low=-0.3, high=0.71)
        found[f"randn {dtype}"] = 2, for_shapes("randn")
        found[f"normal_ {dtype}"] = 3, for_shapes("normal_", mean=0.3, std=1.7)
        found[f"exponential_ {dtype}"] = 4, for_shapes("exponential_", lambd=0.7)
        found[f"bernoulli_ {dtype}"] = 5, for_shapes("bernoulli_", p=0.3)
        found[f"bernoulli array {dtype}"] = 6, for_shapes("bernoulli_array")
        found[f"normal_ transposed {dtype}"] = 7, [
            ("normal_transposed", {"shape": shape, "dtype": dtype, "mean": -1.0, "std": 0.1})
            for shape in [(2, 3), (4, 8), (3, 11), (20, 5)]]
        found[f"normal with arrays {dtype}"] = 8, [
            step for shape in [(), (5,), (4, 6)] for step in
            [("normal_from", {"shape": shape, "dtype": dtype, "std_dtype": std}) for std in FLOATS]
            + [(call, {"shape": shape, "dtype": dtype}) for call in ("normal_from_mean", "normal_from_std")]]
        found[f"multinomial {dtype}"] = 9, [
            ("multinomial", {"shape": shape, "dtype": dtype, "count": count, "replacement": replacement})
            for shape in [(9,), (3, 10)] for count in (1, 4, 8) for replacement in (False, True)]
    for dtype in EVERY:
        found[f"random_ {dtype}"] = 10, [
            ("random_", {"shape": shape, "dtype": dtype}) for shape in [(), (7,)]]
        found[f"randint {dtype}"] = 11, [
            ("randint", {"shape": (6,), "dtype": dtype, "low": low, "high": high}) for low, high in RANGES
            if _fits(low, high, dtype)]
    found["randperm"] = 12, [("randperm", {"n": n}) for n in [*range(20), 100, 1000]] + [
        ("randperm", {"n": 100, "dtype": dtype}) for dtype in EVERY if dtype != "bool"]
    found["dropout"] = 13, [
        ("dropout_mask", {"shape": shape, "p": p}) for shape in SHAPES for p in (0.1, 0.5)]
    for start in (0, 1, 42, -1, -5, 2**32 - 1, 2**32, 2**40 + 7, 2**64 - 1):
        found[f"seed {start}"] = start, [("rand", {"shape": (3,), "dtype": "float32"})]
    # A spare normal number waits through other calls, crosses dtypes, and is dropped by a new seed.
    found["mixed"] = 14, [
        (call, {"shape": (count,), "dtype": dtype})
        for call, count, dtype in [
            ("randn", 1, "float32"), ("rand", 4, "float32"), ("randn", 20, "float32"),
            ("randn", 1, "float64"), ("randn", 3, "float16"), ("randn", 17, "float64"),
            ("exponential_", 2, "float32"), ("randn", 2, "float32"), ("bernoulli_", 5, "float32"),
            ("randn", 15, "float64"), ("rand", 3, "float64"), ("randn", 1, "float32")]]
    found["nothing"] = 16, []
    # More than one renewal of the 624 words.
    found["many"] = 15, [("randn", {"shape": (5, 131), "dtype": "float32"}),
                         ("randn", {"shape": (701,), "dtype": "float64"}),
                         ("rand", {"shape": (1300,), "dtype": "float32"})]
    return found


def _fits(low, high, dtype):
    if dtype in FLOATS:
        return dtype != "float16" and low > -2**62 or low >= -3 and (high or 0) < 65504
    info = np.iinfo("uint8" if dtype == "bool" else dtype)
    largest = 1 if dtype == "bool" else int(info.max)
    return low >= int(info.min) and low <= largest and (high or 0) <= largest + 1


SEQUENCES = sequences()


def run(name, calls, seed_with):
    """The results of a sequence."""
    start, steps = SEQUENCES[name]
    seed_with(start)
    return [calls[call](**arguments) for call, arguments in steps]


def kind(array):
    """Dtype and shape, e.g. "float32[2, 3]"."""
    return f"{array.dtype.name}{list(array.shape)}"


@pytest.fixture(scope="module")
def numbers():
    with np.load(NUMBERS) as recorded:
        return {name: recorded[name] for name in recorded.files}


@pytest.fixture(scope="module")
def facts():
    return json.loads(FACTS.read_text(encoding="utf-8"))


def _same(ours, theirs):
    if platform.libc_ver()[0] == "glibc" or ours.dtype.kind != "f":
        return ours.tobytes() == theirs.tobytes()
    # float64 logarithms and cosines are the operating system's, and the records were made on Linux.
    return np.allclose(ours, theirs, rtol=4 * np.finfo(ours.dtype).eps, atol=0)


@pytest.mark.parametrize("name", SEQUENCES)
def test_sequence(name, numbers, facts):
    results = run(name, CALLS, manual_seed)
    recorded = facts["sequences"][name]
    assert all(isinstance(ours, np.ndarray) for ours in results)
    assert "; ".join(map(kind, results)) == recorded["steps"]
    remaining = {ours.dtype: numbers[f"{name}:{ours.dtype}"] for ours in results}
    for step, ours in enumerate(results):
        theirs, remaining[ours.dtype] = np.split(remaining[ours.dtype], [ours.size])
        assert _same(ours, theirs.reshape(ours.shape)), (
            f"step {step}, {SEQUENCES[name][1][step]}\nPyTorch {theirs}\nminigrad {ours}")
    if platform.libc_ver()[0] == "glibc":
        assert hashlib.sha256(get_rng_state().numpy()).hexdigest() == recorded["state"]


def test_every_float32_draw_gives_the_normal_number_of_pytorch(facts):
    # Radius, cosine and sine for each of the 2**24 uniform numbers; PyTorch adds 0 to all (-0 becomes 0).
    hashes = [hashlib.sha256() for _ in range(3)]
    for start in range(0, 2**24, 2**18):
        draws = np.arange(start, start + 2**18).astype(np.float32) * np.float32(2.0**-24)
        for digest, values in zip(hashes, box_muller._polar_float32(1 - draws, draws)):
            digest.update(values + np.float32(0))
    assert [digest.hexdigest() for digest in hashes] == facts["radius, cosine and sine"]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_multiply_and_add_rounds_once(dtype):
    draws = np.random.RandomState(0)
    factor, times, plus = draws.standard_normal((3, 4000)).astype(dtype)
    plus[:1000] = -factor[:1000] * times[:1000]  # terms that nearly cancel
    plus[1000:2000] *= 2.0 ** draws.randint(-80, 80, 1000)  # terms of very different size
    step = np.finfo(dtype).eps
    factor[0], times[0], plus[0] = step / 2 * (1 + step), 1 - step, 1 + step  # a hair less than a tie
    fused = box_muller.fused_multiply_add(factor, times, plus)
    assert fused.dtype == dtype
    exact = [Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
             for a, b, c in zip(factor, times, plus)]
    for ours, right in zip(fused, exact):
        if dtype == "float64":
            assert float(ours) == float(right)
        else:
            error = abs(Fraction(float(ours)) - right)
            above, below = np.nextafter(ours, np.float32(np.inf)), np.nextafter(ours, np.float32(-np.inf))
            assert all(error <= abs(Fraction(float(other)) - right) for other in (above, below))
    infinite = box_muller.fused_multiply_add(np.array([1, -1, 0], dtype), np.inf, 1.0)
    np.testing.assert_array_equal(infinite, np.array([np.inf, -np.inf, np.nan], dtype))


def test_float16_is_rounded_twice():
    # First to float32, where this number becomes a tie, then to the even neighbour.
    assert sampling._narrowed(np.array(1 + 2**-11 + 2**-30), np.dtype("float16")) == 1


def test_state_is_that_of_pytorch(facts):
    state = np.frombuffer(bytes.fromhex(facts["state"]["bytes"]), np.uint8)
    generator = Generator().set_state(torch.tensor(state))
    assert generator.initial_seed() == facts["state"]["seed"]
    assert sampling.normal((3,), generator=generator).tolist() == facts["state"]["next"]
    manual_seed(facts["state"]["seed"])
    sampling.normal((7,))
    np.testing.assert_array_equal(get_rng_state(), state)


def test_state_round_trip_at_every_kind_of_place():
    for drawn in (0, 1, 623, 624, 625, 1248):
        generator = Generator().manual_seed(5)
        sampling.uniform((drawn,), generator=generator)
        sampling.normal((drawn % 3,), generator=generator)
        state, copy = generator.get_state(), generator.clone_state()
        np.testing.assert_array_equal(copy.get_state(), state)
        ahead = sampling.normal((5,), generator=generator)
        np.testing.assert_array_equal(sampling.normal((5,), generator=copy), ahead)
        generator.set_state(state)
        np.testing.assert_array_equal(sampling.normal((5,), generator=generator), ahead)


def test_seeds():
    assert manual_seed(3) is default_generator
    assert initial_seed() == 3
    assert manual_seed("4").initial_seed() == 4
    assert manual_seed(-1).initial_seed() == 2**64 - 1
    assert Generator().initial_seed() == 67280421310721
    assert seed() == initial_seed() != seed()


def test_a_new_seed_drops_the_spare_normal_number():
    manual_seed(0)
    first = sampling.normal((1,))
    manual_seed(0)
    assert sampling.normal((1,)) == first


def test_fork_leaves_no_trace():
    manual_seed(0)
    sampling.normal((1,))
    state = get_rng_state()
    with fork_rng():
        sampling.uniform((5,))
    np.testing.assert_array_equal(get_rng_state(), state)
    with fork_rng(enabled=False):
        sampling.uniform((5,))
    assert not np.array_equal(get_rng_state(), state)
    set_rng_state(state)
    np.testing.assert_array_equal(get_rng_state(), state)


def test_generators_do_not_disturb_each_other():
    manual_seed(1)
    expected = sampling.uniform((4,))
    manual_seed(1)
    other = Generator().manual_seed(9)
    first = sampling.uniform((2,))
    sampling.uniform((100,), generator=other)
    np.testing.assert_array_equal([*first, *sampling.uniform((2,))], expected)


def test_the_upper_end_of_a_range_is_never_reached():
    class LastDraw(Generator):
        def bits32(self, count):
            return np.full(count, 2**32 - 1, np.uint64)
    assert sampling.uniform((1,), "float16", generator=LastDraw()) == 0
    assert sampling.uniform((1,), "float32", 1, 1 + 2**-20, generator=LastDraw()) == 1
    assert sampling.uniform((1,), "float32", 5, 5, generator=LastDraw()) == 5


def _weights(*values):
    return np.array(values, np.float32)


# Calls that PyTorch refuses. The recorder has the same keys.
REFUSED = {
    "uniform_ bounds": lambda: sampling.uniform((2,), low=1, high=0.25),
    "uniform_ infinite": lambda: sampling.uniform((2,), low=-np.inf, high=0),
    "uniform_ nan": lambda: sampling.uniform((2,), high=np.nan),
    "uniform_ half": lambda: sampling.uniform((2,), "float16", high=1e6),
    "uniform_ wide": lambda: sampling.uniform((2,), low=-3e38, high=3e38),
    "uniform_ int": lambda: sampling.uniform((2,), "int64"),
    "normal_ std": lambda: sampling.normal((2,), std=-1.5),
    "normal_ nan": lambda: sampling.normal((2,), std=np.nan),
    "normal_ int": lambda: sampling.normal((2,), "uint8"),
    "normal std array": lambda: sampling.normal_from(0.0, _weights(1, -1)),
    "exponential_ zero": lambda: sampling.exponential((2,), lambd=0),
    "exponential_ int": lambda: sampling.exponential((2,), "int16"),
    "bernoulli_ p": lambda: sampling.bernoulli((2,), 1.5),
    "bernoulli array": lambda: sampling.bernoulli((2,), _weights(0.5, -1)),
    "bernoulli int array": lambda: sampling.bernoulli((2,), np.array([1, 0])),
    "randint empty": lambda: sampling.randint(5, 5, (2,)),
    "randint uint8": lambda: sampling.randint(0, 300, (2,), "uint8"),
    "randint uint8 from": lambda: sampling.randint(-5, 30, (2,), "uint8"),
    "randint int8": lambda: sampling.randint(0, 129, (2,), "int8"),
    "randint int16": lambda: sampling.randint(-2**15 - 1, 0, (2,), "int16"),
    "randint int32": lambda: sampling.randint(0, 2**31 + 1, (2,), "int32"),
    "randint bool": lambda: sampling.randint(0, 3, (2,), "bool"),
    "randint half": lambda: sampling.randint(0, 70000, (2,), "float16"),
    "random_ float from": lambda: sampling.randint(2**24, None, (2,), "float32"),
    "random_ full int32": lambda: sampling.randint(-2**63, None, (2,), "int32"),
    "randperm negative": lambda: sampling.randperm(-1),
    "randperm bool": lambda: sampling.randperm(1, "bool"),
    "randperm uint8": lambda: sampling.randperm(257, "uint8"),
    "randperm half": lambda: sampling.randperm(2050, "float16"),
    "randperm float": lambda: sampling.randperm(2**24 + 2, "float32"),
    "multinomial int": lambda: sampling.multinomial(np.array([1, 2]), 1),
    "multinomial dim": lambda: sampling.multinomial(np.ones((2, 2, 2)), 1),
    "multinomial none": lambda: sampling.multinomial(_weights(1, 2), 0),
    "multinomial many": lambda: sampling.multinomial(_weights(1, 2), 3),
    "multinomial negative": lambda: sampling.multinomial(_weights(-1, 2), 1),
    "multinomial zero": lambda: sampling.multinomial(_weights(0, 0), 1),
    "multinomial nothing": lambda: sampling.multinomial(_weights(), 1, True),
    "multinomial negative replaced": lambda: sampling.multinomial(_weights(-1, 2), 2, True),
    "multinomial infinite replaced": lambda: sampling.multinomial(_weights(np.inf, 2), 2, True),
    "multinomial zero replaced": lambda: sampling.multinomial(_weights(0, 0), 2, True),
    "seed too large": lambda: manual_seed(2**64),
    "seed float": lambda: Generator().manual_seed(1.5),
    "seed bool": lambda: Generator().manual_seed(True),
    "state size": lambda: set_rng_state(torch.zeros(3, dtype=torch.uint8)),
    "state dtype": lambda: set_rng_state(torch.zeros(5056)),
    "state zeros": lambda: set_rng_state(torch.zeros(5056, dtype=torch.uint8)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusal(name, facts):
    with pytest.raises((RuntimeError, TypeError, ValueError)) as refusal:
        REFUSED[name]()
    assert [type(refusal.value).__name__, str(refusal.value)] == facts["refused"][name]
