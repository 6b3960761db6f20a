"""The command line of the random programs; `python -m tests.random_programs --help` lists the
commands."""
import argparse
import sys
import time
from collections import Counter, defaultdict

from tests.helpers import answers

from . import __doc__ as about
from .cached import CachedWorker
from .differences import STILL_DIFFERENT, compare
from .processes import Pair, Worker
from .programs import TABLES, write_program
from .shrink import shrink


def main():
    opts = _options()
    commands = {"run": run, "compare": compare_modules, "record": record, "check": check,
                "show": show}
    return commands[opts.command](opts)


def run(opts):
    """Run programs with one module and count how their statements end."""
    errors, start = Counter(), time.time()
    with Worker(opts.module, opts.python) as worker:
        for seed in opts.seeds:
            statements = write_program(seed, opts.without, opts.table)
            for (kind, _), step in zip(statements, worker.run(statements, _every(seed))):
                errors[step.get("error", "fine").split(":")[0]] += 1
                if opts.verbose and "error" in step:
                    print(f"{seed} {kind}: {step['error'][:150]}")
    print(f"{len(opts.seeds)} programs in {time.time() - start:.1f} s; {dict(errors.most_common(12))}")


def compare_modules(opts):
    """Run the same programs with two modules and show where they part, most frequent difference
    first."""
    groups, start, done = defaultdict(list), time.time(), 0
    with Pair(_reference(opts), Worker(opts.module, opts.python)) as pair:
        for at in range(0, len(opts.seeds), 200):
            seeds = opts.seeds[at:at + 200]
            programs = [(write_program(seed, opts.without, opts.table), _every(seed)) for seed in seeds]
            for seed, (statements, every), want, got in zip(seeds, programs, *pair.run(programs)):
                found = compare(statements, want, got, opts.ignore)
                if found:
                    groups[found[0].group].append((seed, statements, every))
            done += len(seeds)
            if len(groups) >= opts.max_groups:
                break
        seconds = time.time() - start
        print(f"{done} programs in {seconds:.1f} s ({60 * done / seconds:.0f} a minute); "
              f"{sum(map(len, groups.values()))} differ, in {len(groups)} groups")
        known = {seed for seeds in STILL_DIFFERENT.values() for seed in seeds}
        new = {member[0] for members in groups.values() for member in members} - known
        print(f"not named in differences.py: {sorted(new)}")
        for group, members in sorted(groups.items(), key=lambda item: -len(item[1]))[:opts.show]:
            seeds = [m[0] for m in members[:5]]
            print(f"\n=== {len(members)} x {group[0]} / {group[1]}: {group[2]}   seeds {seeds}")
            if not opts.no_shrink:
                _explain(pair, min(members, key=lambda m: len(m[1])), opts.ignore)
    return int(100 * sum(map(len, groups.values())) > opts.most * done)


def _explain(pair, member, ignore):
    """Print the smallest program that shows the difference, and both answers."""
    _, statements, every = member
    small, difference = shrink(pair, statements, every, ignore)
    print("\n".join("    " + line for _, source in small for line in source.split("\n")))
    if difference is None:
        print("  (did not come again on its own)")
    else:
        print(f"  {difference.field} of {difference.name or 'the statement'}"
              f"{'' if every else ' (observed only at the end)'}:\n"
              f"    want {_cut(difference.want)}\n    got  {_cut(difference.got)}")


def record(opts):
    """Write tests/data/random_<table>.json.gz from real PyTorch."""
    records = []
    with _reference(opts) as worker:
        for seed in opts.seeds:
            statements = write_program(seed, opts.without, opts.table)
            trace = worker.run(statements, _every(seed))
            if len(trace) == len(statements):
                records.append({"seed": seed, "every": _every(seed), "statements": statements,
                                "trace": trace})
    size = answers.save(f"random_{opts.table}", {"torch": opts.against, "programs": records})
    print(f"{len(records)} programs, {size} bytes")


def _reference(opts):
    if opts.cache:
        return CachedWorker(opts.against, opts.torch_python, opts.cache)
    return Worker(opts.against, opts.torch_python)


def check(opts):
    """Compare a module with the recorded sample; PyTorch is not needed."""
    failed = 0
    with Worker(opts.module, opts.python) as worker:
        programs = answers.load(f"random_{opts.table}")["programs"]
        for program in programs:
            trace = worker.run(program["statements"], program["every"])
            found = compare(program["statements"], program["trace"], trace, opts.ignore)
            if found:
                failed += 1
                d = found[0]
                print(f"seed {program['seed']}, statement {d.step}: {_line(program, d)}\n"
                      f"  {d.field} of {d.name}\n"
                      f"    want {_cut(d.want)}\n    got  {_cut(d.got)}")
    print(f"{len(programs) - failed} of {len(programs)} recorded programs agree")
    return 1 if failed else 0


def show(opts):
    for seed in opts.seeds:
        print(f"# seed {seed}\nimport torch\nlog = []")
        for _, source in write_program(seed, opts.without, opts.table):
            print(source)


def _every(seed):
    """Three programs of four are looked at after each statement, one only at its end: looking
    has effects."""
    return seed % 4 != 3


def _line(program, difference):
    statements = program["statements"]
    return statements[difference.step][1] if difference.step < len(statements) else "(end)"


def _cut(what):
    lines = isinstance(what, list) and what and isinstance(what[0], str)
    text = "\n         ".join(map(str, what)) if lines else repr(what)
    return text if len(text) < 1500 else text[:1500] + "..."


def _seeds(text):
    first, _, last = text.partition(":")
    return range(int(first), int(last)) if last else range(int(first), int(first) + 1)


def _names(text):
    return tuple(name for name in text.split(",") if name)


def _options():
    parser = argparse.ArgumentParser(prog="random_programs", description=about,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("run", "compare", "record", "check", "show"))
    parser.add_argument("--module", default="minigrad", help="the module under test")
    parser.add_argument("--against", default="torch", help="the module that is right")
    parser.add_argument("--python", default=sys.executable, help="the Python that runs --module")
    parser.add_argument("--torch-python", default=sys.executable,
                        help="the Python that runs --against")
    parser.add_argument("--seeds", type=_seeds, default=range(200), metavar="FIRST:LAST")
    parser.add_argument("--table", choices=tuple(TABLES), default="programs",
                        help="what the programs are about")
    parser.add_argument("--without", type=_names, default=(), metavar="KIND,...",
                        help="leave kinds of statements out")
    parser.add_argument("--ignore", type=_names, default=(), metavar="FIELD,...",
                        help="fields not to compare")
    parser.add_argument("--cache", metavar="DIR",
                        help="keep the answers of --against in this folder")
    parser.add_argument("--show", type=int, default=15, metavar="N",
                        help="groups of differences to print")
    parser.add_argument("--max-groups", type=int, default=200, metavar="N",
                        help="stop early when so many were found")
    parser.add_argument("--most", type=float, default=0, metavar="PERCENT",
                        help="compare: how many programs may differ before it fails (0)")
    parser.add_argument("--no-shrink", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
