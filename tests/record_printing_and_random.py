"""Records what PyTorch prints and draws, for test_printing.py and test_random.py.

    python -m tests.record_printing_and_random        # needs torch==2.13.0

The processor must have AVX2 and not be Intel's, where PyTorch takes the masks of dropout from another
generator (see `random.bernoulli`).
"""
import hashlib
import json
import warnings

import numpy as np
import torch

from tests import test_printing, test_random

# Operations that leave the numbers as they are.
HISTORY = {
    "grad_fn=<AddBackward0>": lambda x: x + 0,
    "grad_fn=<MulBackward0>": lambda x: x * 1,
    "grad_fn=<SliceBackward0>": lambda x: x[:],
    "grad_fn=<ViewBackward0>": lambda x: x.view(x.shape),
    "requires_grad=True": lambda x: x,
}


def texts():
    recorded = {}
    for name, array, suffixes, default_dtype, options in test_printing.CASES:
        tensor = torch.from_numpy(np.ascontiguousarray(array)).reshape(array.shape)
        torch.set_default_dtype(getattr(torch, default_dtype))
        torch.set_printoptions(profile="default")
        torch.set_printoptions(**options)
        if suffixes:
            tensor = HISTORY[suffixes[0]](tensor.requires_grad_())
        recorded[name] = repr(tensor)
    torch.set_default_dtype(torch.float32)
    torch.set_printoptions(profile="default")
    return recorded


def _empty(shape, dtype):
    return torch.empty(shape, dtype=getattr(torch, dtype))


def _rand(shape, dtype):
    return torch.rand(shape, dtype=getattr(torch, dtype))


CALLS = {
    "rand": _rand,
    "uniform_": lambda shape, dtype, low, high: _empty(shape, dtype).uniform_(low, high),
    "randn": lambda shape, dtype: torch.randn(shape, dtype=getattr(torch, dtype)),
    "normal_": lambda shape, dtype, mean, std: _empty(shape, dtype).normal_(mean, std),
    "normal_transposed": lambda shape, dtype, mean, std: _empty(shape, dtype).t().normal_(mean, std),
    "exponential_": lambda shape, dtype, lambd=1: _empty(shape, dtype).exponential_(lambd),
    "bernoulli_": lambda shape, dtype, p=0.5: _empty(shape, dtype).bernoulli_(p),
    "bernoulli_array": lambda shape, dtype: torch.bernoulli(_rand(shape, dtype)),
    "dropout_mask": lambda shape, p: torch.nn.functional.dropout(torch.ones(shape), p) != 0,
    "normal_from": lambda shape, dtype, std_dtype: torch.normal(_rand(shape, dtype), _rand(shape, std_dtype)),
    "normal_from_mean": lambda shape, dtype: torch.normal(_rand(shape, dtype), 0.37),
    "normal_from_std": lambda shape, dtype: torch.normal(0.37, _rand(shape, dtype)),
    "randint": lambda shape, dtype, low, high: _empty(shape, dtype).random_(low, high),
    "random_": lambda shape, dtype: _empty(shape, dtype).random_(),
    "randperm": lambda n, dtype="int64": torch.randperm(n, dtype=getattr(torch, dtype)),
    "multinomial": lambda shape, dtype, count, replacement: torch.multinomial(
        _rand(shape, dtype), count, replacement),
}


def sequences():
    numbers, facts = {}, {}
    for name in test_random.SEQUENCES:
        results = [result.numpy() for result in test_random.run(name, CALLS, torch.manual_seed)]
        facts[name] = {"steps": "; ".join(map(test_random.kind, results)),
                       "state": hashlib.sha256(torch.get_rng_state().numpy()).hexdigest()}
        for dtype in sorted({result.dtype.name for result in results}):
            numbers[f"{name}:{dtype}"] = np.concatenate(
                [result.ravel() for result in results if result.dtype == dtype])
    return numbers, facts


def radius_cosine_and_sine():
    """Hashes of PyTorch's float32 results for each of the 2**24 uniform numbers.

    The words of the generator's memory are chosen so that it draws the numbers wanted: 38 blocks at a time.
    """
    everything = np.arange(2**24, dtype=np.uint32)
    radius, _ = _forced_normals(everything, np.zeros_like(everything))
    draw_of_radius_one = int(np.flatnonzero(radius == 1)[0])
    cosine, sine = _forced_normals(np.full_like(everything, draw_of_radius_one), everything)
    return [hashlib.sha256(values).hexdigest() for values in (radius, cosine, sine)]


def _forced_normals(first, second):
    padding = np.zeros(-len(first) % (38 * 8), np.uint32)
    pairs = [np.append(draws, padding).reshape(-1, 38, 8) for draws in (first, second)]
    words = _untempered(np.concatenate(pairs, axis=2)).reshape(-1, 38 * 16)
    generator, numbers = torch.Generator(), torch.empty(38 * 16)
    state = generator.get_state()
    memory = state.numpy()
    memory[8:12].view(np.int32)[0] = 624  # one draw of 624 is made, so that nothing is renewed
    memory[16:24].view(np.uint64)[0] = 1
    results = np.empty((len(words), 38, 2, 8), np.float32)
    for row, result in zip(words, results):
        memory[24:5016].view(np.uint64)[1:38 * 16 + 1] = row
        generator.set_state(state)
        result[:] = numbers.normal_(generator=generator).numpy().reshape(38, 2, 8)
    return [np.ascontiguousarray(results[:, :, part]).reshape(-1)[:len(first)] for part in (0, 1)]


def _untempered(output):
    """The words from which the Mersenne Twister makes these outputs: its last four steps, backwards."""
    y = output ^ output >> 18
    y = y ^ (y << 15 & 0xEFC60000)
    word = y
    for _ in range(5):
        word = y ^ (word << 7 & 0x9D2C5680)
    y = word
    for _ in range(3):
        word = y ^ word >> 11
    return word


def state():
    torch.manual_seed(123)
    torch.randn(7)  # an odd number: a spare normal number waits
    recorded = bytes(torch.get_rng_state().numpy()).hex()
    return {"seed": 123, "bytes": recorded, "next": torch.randn(3).tolist()}


def _zeros(dtype=torch.float32):
    return torch.zeros(2, dtype=dtype)


REFUSED = {
    "uniform_ bounds": lambda: _zeros().uniform_(1, 0.25),
    "uniform_ infinite": lambda: _zeros().uniform_(-float("inf"), 0),
    "uniform_ nan": lambda: _zeros().uniform_(0, float("nan")),
    "uniform_ half": lambda: _zeros(torch.float16).uniform_(0, 1e6),
    "uniform_ wide": lambda: _zeros().uniform_(-3e38, 3e38),
    "uniform_ int": lambda: _zeros(torch.int64).uniform_(),
    "normal_ std": lambda: _zeros().normal_(0, -1.5),
    "normal_ nan": lambda: _zeros().normal_(0, float("nan")),
    "normal_ int": lambda: _zeros(torch.uint8).normal_(),
    "normal std array": lambda: torch.normal(0.0, torch.tensor([1.0, -1.0])),
    "exponential_ zero": lambda: _zeros().exponential_(0),
    "exponential_ int": lambda: _zeros(torch.int16).exponential_(),
    "bernoulli_ p": lambda: _zeros().bernoulli_(1.5),
    "bernoulli array": lambda: torch.bernoulli(torch.tensor([0.5, -1])),
    "bernoulli int array": lambda: torch.bernoulli(torch.tensor([1, 0])),
    "randint empty": lambda: torch.randint(5, 5, (2,)),
    "randint uint8": lambda: torch.randint(0, 300, (2,), dtype=torch.uint8),
    "randint uint8 from": lambda: torch.randint(-5, 30, (2,), dtype=torch.uint8),
    "randint int8": lambda: torch.randint(0, 129, (2,), dtype=torch.int8),
    "randint int16": lambda: torch.randint(-2**15 - 1, 0, (2,), dtype=torch.int16),
    "randint int32": lambda: torch.randint(0, 2**31 + 1, (2,), dtype=torch.int32),
    "randint bool": lambda: torch.randint(0, 3, (2,), dtype=torch.bool),
    "randint half": lambda: torch.randint(0, 70000, (2,), dtype=torch.float16),
    "random_ float from": lambda: _zeros().random_(2**24, None),
    "random_ full int32": lambda: _zeros(torch.int32).random_(-2**63, None),
    "randperm negative": lambda: torch.randperm(-1),
    "randperm bool": lambda: torch.randperm(1, dtype=torch.bool),
    "randperm uint8": lambda: torch.randperm(257, dtype=torch.uint8),
    "randperm half": lambda: torch.randperm(2050, dtype=torch.float16),
    "randperm float": lambda: torch.randperm(2**24 + 2, dtype=torch.float32),
    "multinomial int": lambda: torch.multinomial(torch.tensor([1, 2]), 1),
    "multinomial dim": lambda: torch.multinomial(torch.ones(2, 2, 2), 1),
    "multinomial none": lambda: torch.multinomial(torch.tensor([1.0, 2]), 0),
    "multinomial many": lambda: torch.multinomial(torch.tensor([1.0, 2]), 3),
    "multinomial negative": lambda: torch.multinomial(torch.tensor([-1.0, 2]), 1),
    "multinomial zero": lambda: torch.multinomial(_zeros(), 1),
    "multinomial nothing": lambda: torch.multinomial(torch.zeros(0), 1, True),
    "multinomial negative replaced": lambda: torch.multinomial(torch.tensor([-1.0, 2]), 2, True),
    "multinomial infinite replaced": lambda: torch.multinomial(torch.tensor([float("inf"), 2]), 2, True),
    "multinomial zero replaced": lambda: torch.multinomial(_zeros(), 2, True),
    "seed too large": lambda: torch.manual_seed(2**64),
    "seed float": lambda: torch.Generator().manual_seed(1.5),
    "seed bool": lambda: torch.Generator().manual_seed(True),
    "state size": lambda: torch.set_rng_state(torch.zeros(3, dtype=torch.uint8)),
    "state dtype": lambda: torch.set_rng_state(torch.zeros(5056)),
    "state zeros": lambda: torch.set_rng_state(torch.zeros(5056, dtype=torch.uint8)),
}


def refusals():
    recorded = {}
    for name, call in REFUSED.items():
        try:
            call()
        except (RuntimeError, TypeError, ValueError) as refusal:
            recorded[name] = [type(refusal).__name__, str(refusal)]
        else:
            raise AssertionError(f"PyTorch did not refuse: {name}")
    return recorded


def main():
    assert torch.__version__.startswith("2.13.0"), torch.__version__
    warnings.simplefilter("ignore")  # float dtypes that cannot count that far
    test_printing.RECORDED.write_text(json.dumps(texts(), indent=0) + "\n", encoding="utf-8")
    numbers, facts = sequences()
    np.savez_compressed(test_random.NUMBERS, **numbers)
    test_random.FACTS.write_text(json.dumps({
        "sequences": facts, "radius, cosine and sine": radius_cosine_and_sine(), "state": state(),
        "refused": refusals()}, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
