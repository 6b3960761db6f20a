"""How fast minigrad is, next to PyTorch, HIPS autograd, MyGrad and NumPy by hand: one table.

    python benchmarks/compare.py                    all of it, in about three minutes
    python benchmarks/compare.py --only mlp         the rows whose name holds this word; more than once, too
    python benchmarks/compare.py --markdown         the table as docs/speed.md quotes it

The peers are those of benchmarks/requirements.txt that are installed; a missing one leaves no column. Best
put them into an environment of their own:

    python -m venv .venv-bench
    .venv-bench/bin/python -m pip install numpy -r benchmarks/requirements.txt
    .venv-bench/bin/python benchmarks/compare.py

What is measured: one thread, float32, and everything that a user waits for (building the graph, the backward
pass, and dropping it). All candidates of a row run in turn, round after round, so that a machine that grows
slow is slow to all of them; a figure is the median over the rounds, and a ratio is one median over another.
Before anything is timed, all candidates of a row must come to the same gradients. The garbage collector is
off while the clock runs, but for the row that says otherwise.
"""
import os

for variable in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM", "NUMEXPR"):  # read when the libraries are loaded
    os.environ[variable + "_NUM_THREADS"] = "1"

import argparse
import contextlib
import gc
import importlib
import inspect
import platform
import statistics
import subprocess
import sys
import tracemalloc
from pathlib import Path
from time import perf_counter

import numpy as np
from looking import WORKS, times_the_step
from work import LENGTHS, ROWS, UNITS, mul_add_torch

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = 0.01  # seconds that one timed sample should last at least
BUDGET = 2.0  # seconds that one candidate may take in one row


def compare(row, modules, subject, rounds):
    """{candidate: figure in the row's unit}, and {candidate: what is to be said of it}."""
    runs, results, remarks = {}, {}, {}
    for name, module in modules.items():
        maker = row.makers.get("torch" if name == subject else name)
        if maker is None:       # this row leaves the candidate out
            continue
        try:
            results[name] = [as_array(value) for value in maker(module)()]
            runs[name] = maker(module)
        except Exception as error:
            remarks[name] = f"no figure, {type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
    reference = results.get("numpy") or next(iter(results.values()), None)
    for name, values in results.items():
        if not all(np.allclose(mine, other, rtol=1e-3, atol=1e-5) for mine, other in zip(values, reference)):
            remarks[name] = "no figure, it comes to other gradients"
            del runs[name]
        elif any(value.dtype != np.float32 for value in values):
            remarks[name] = f"its gradients come out as {values[0].dtype}"
    scale = UNITS[row.unit] / row.divide
    return {name: seconds * scale for name, seconds in interleaved(runs, rounds).items()}, remarks


def interleaved(runs, rounds, collect=False):
    """Return the median seconds of each run, all of them in turn in every round."""
    loops, times = {}, {name: [] for name in runs}
    for name, run in runs.items():
        once = timed(run, 1, collect)
        if once < SAMPLE:  # the first run also warms caches up
            once = min(timed(run, 1, collect) for _ in range(3))
        loops[name] = max(1, round(SAMPLE / once))
    slowest = max((timed(runs[name], 1, collect) * loops[name] for name in runs), default=0)
    for _ in range(max(5, min(rounds, int(BUDGET / slowest))) if slowest else 0):
        for name, run in runs.items():
            times[name].append(timed(run, loops[name], collect))
    return {name: statistics.median(values) for name, values in times.items()}


def timed(run, loops, collect=False):
    """Return the seconds that one of `loops` runs takes; `collect`: with the garbage collector on."""
    gc.collect()
    if not collect:
        gc.disable()
    try:
        begin = perf_counter()
        for _ in range(loops):
            run()
        return (perf_counter() - begin) / loops
    finally:
        gc.enable()


def import_times(names, folder, rounds, compiling=False):
    """Return the milliseconds of `import name` in fresh processes that have loaded NumPy, the names in turn.

    With `compiling`, Python finds no cached bytecode and compiles every module anew.
    """
    program = ("import sys; sys.path[:0] = %r; import numpy; from time import perf_counter; "
               "begin = perf_counter(); import %s; print(perf_counter() - begin)")
    times = {name: [] for name in names}
    # where Python may keep no byte code, it compiles every module anew, and that would be what is timed
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    if compiling:
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        environment["PYTHONPYCACHEPREFIX"] = os.path.join(folder, "nothing-is-here")
    for _ in range(1 + rounds):  # the first round writes byte code and warms the disk
        for name in names:
            command = [sys.executable, "-c", program % ([folder], name)]
            printed = subprocess.check_output(command, text=True, env=environment)
            times[name].append(float(printed) * 1e3)
    return {name: statistics.median(values[1:]) for name, values in times.items()}


def growth(modules, subject, rounds):
    """Return how many times longer an operation takes in the longest chain than in the shortest."""
    found = {}
    for name in {subject, "torch"} & modules.keys():
        runs = {operations: mul_add_torch(modules[name], operations) for operations in LENGTHS}
        seconds = interleaved(runs, rounds, collect=True)
        found[name] = seconds[LENGTHS[-1]] / LENGTHS[-1] / (seconds[LENGTHS[0]] / LENGTHS[0])
    return found


def bytes_left(torch):
    """What a dropped chain leaves behind when nothing but reference counts may clean up."""
    run = mul_add_torch(torch, LENGTHS[-1])
    run()  # what is made once and kept, such as the leaf's gradient and the caches of Python, is there now
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        run()
        before = tracemalloc.get_traced_memory()[0]
        run()
        after = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
        gc.enable()
    return max(0, after - before)


def frames_needed(torch):
    """The least room on Python's stack, in steps of ten, in which the chain is built, run and dropped."""
    run = mul_add_torch(torch, LENGTHS[-1])
    usual = sys.getrecursionlimit()
    here = len(inspect.stack(0))
    for room in (*range(10, 100, 10), 200, 500):
        try:
            sys.setrecursionlimit(here + room)
            run()
            return room
        except RecursionError:
            pass
        finally:
            sys.setrecursionlimit(usual)
    return float("inf")


def as_array(value):
    """A tensor of any of the candidates as a NumPy array of its own."""
    if not isinstance(value, np.ndarray):
        value = value.detach().numpy() if hasattr(value, "detach") else value.data
    if not isinstance(value, np.ndarray):
        raise TypeError(f"cannot read a {type(value).__name__}")
    return value.copy()


def main():
    options = parse()
    sys.path.insert(0, str(options.path))
    subject = options.module if options.module == "minigrad" else f"{options.module} (stand-in)"
    modules = load(options.module, subject)
    rows = [row for row in ROWS if not options.only or any(word in row.name for word in options.only)]
    measured, remarks = {}, []
    for row in rows:
        say(row.title)
        measured[row.name], said = figures(row, modules, subject, options)
        remarks += [f"{row.name}, {name}: {remark}" for name, remark in said.items()]
    say("")
    columns = [name for name in modules if name != "numpy"]
    columns.insert(min(2, len(columns)), "numpy")
    table = [header(columns, subject)] + [line(row, measured[row.name], columns, subject) for row in rows]
    print(as_markdown(table) if options.markdown else as_text(table))
    print("\n" + about(modules))
    print("".join(f"\n{remark}" for remark in remarks))


def figures(row, modules, subject, options):
    """The row's figures, and what is to be said of them."""
    try:
        if row.name.startswith("import"):
            compiling = row.name == "import-compiling"
            names = {subject: options.module}
            if not compiling:
                names |= {name: name for name in modules if name not in ("numpy", subject)}
            rounds = min(options.rounds, 9)
            times = import_times(sorted(set(names.values())), str(options.path), rounds, compiling)
            return {name: times[module] for name, module in names.items()}, {}
        if row.name in WORKS:
            return {name: times_the_step(modules[name], row.name, min(options.rounds, 7))
                    for name in (subject, "torch") if name in modules}, {}
        if row.name == "chain-growth":
            return growth(modules, subject, options.rounds), {}
        if row.name == "chain-memory":
            return {subject: bytes_left(modules[subject])}, {}
        if row.name == "chain-depth":
            return {subject: frames_needed(modules[subject])}, {}
    except Exception as error:
        return {}, {subject: f"{type(error).__name__}: {error}"}
    return compare(row, modules, subject, options.rounds)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", metavar="ROW",
                        help="rows whose name holds this: " + ", ".join(row.name for row in ROWS))
    parser.add_argument("--markdown", action="store_true", help="print the table as docs/speed.md quotes it")
    parser.add_argument("--rounds", type=int, default=15, help="at most so many rounds in each row (15)")
    parser.add_argument("--module", default="minigrad", help="what is measured in its place")
    parser.add_argument("--path", type=Path, default=ROOT, help="the folder in which that module lies")
    return parser.parse_args()


def load(module, subject):
    """The candidates that are installed, minigrad first."""
    modules = {subject: importlib.import_module(module), "numpy": np}
    for name in ("torch", "autograd", "mygrad"):
        with contextlib.suppress(ImportError):
            modules[name] = importlib.import_module(name)
    if "torch" in modules:
        modules["torch"].set_num_threads(1)
    if "autograd" in modules:
        importlib.import_module("autograd.numpy")
    return modules


def header(columns, subject):
    peers = [name for name in columns if name != subject]
    return ["work", "unit", *columns, *[f"/{name}" for name in peers], "target", "met"]


def line(row, values, columns, subject):
    mine = values.get(subject)
    peers = [name for name in columns if name != subject]
    ratios = {name: mine / values[name] for name in peers if mine and values.get(name) and row.unit in UNITS}
    return [row.title, row.unit, *[figure(values.get(name)) for name in columns],
            *[f"{ratios[name]:.2f}" if name in ratios else "" for name in peers], aim(row),
            verdict(row, mine, ratios)]


def aim(row):
    if row.limit is not None:
        return f"at most {row.limit:g} {row.unit}".replace(" x", "")
    return ", ".join(f"{most:g} of {name}" for name, most in row.targets.items())


def verdict(row, mine, ratios):
    """yes, no, or `?` where the figure or the peer that it is held against is missing."""
    if row.limit is None and not row.targets:
        return ""
    if mine is None:
        return "?"
    if row.limit is not None:
        return "yes" if mine <= row.limit else "no"
    if any(ratios[name] > most for name, most in row.targets.items() if name in ratios):
        return "no"
    return "yes" if ratios.keys() >= row.targets.keys() else "?"


def figure(value):
    if value is None:
        return ""
    return f"{value:.2f}" if value < 100 and value != int(value) else f"{value:,.0f}"


def as_text(table):
    widths = [max(len(line[place]) for line in table) for place in range(len(table[0]))]
    lines = ["  ".join(cell.ljust(width) if place < 2 or place > len(widths) - 3 else cell.rjust(width)
                       for place, (cell, width) in enumerate(zip(line, widths))).rstrip() for line in table]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]])


def as_markdown(table):
    rule = ["---" if place < 2 or place > len(table[0]) - 3 else "---:" for place in range(len(table[0]))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [table[0], rule, *table[1:]])


def about(modules):
    versions = [f"{name} {module.__version__}" for name, module in modules.items()
                if hasattr(module, "__version__")]
    return (f"One thread, float32, Python {platform.python_version()} on {platform.system()} "
            f"{platform.machine()}; {', '.join(versions)}.")


def say(line):
    """What is being measured, on a terminal only, and gone when the table comes."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{'':100}\r{line}")
        sys.stderr.flush()


if __name__ == "__main__":
    main()
