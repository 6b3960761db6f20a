"""A filter for cosmic-ray that leaves a random sample: places in the sources, and one mutant at each.

Without it, half of the mutants would be arithmetic operators, each of which has eleven mutants.
"""
import random
import sys
from collections import defaultdict

from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator
from cosmic_ray.tools.filters.filter_app import FilterApp


class Sample(FilterApp):
    def description(self):
        return __doc__

    def add_args(self, parser):
        parser.add_argument("--count", type=int, default=300)
        parser.add_argument("--seed", type=int, default=22)

    def filter(self, work_db, args):
        places = defaultdict(list)
        for item in work_db.pending_work_items:        # not those that another filter has skipped
            mutation, = item.mutations
            places[str(mutation.module_path), mutation.start_pos].append(item)
        chosen, rng = [], random.Random(args.seed)
        for place in rng.sample(sorted(places), len(places)):
            item = rng.choice(sorted(places[place], key=name))
            if len(chosen) < args.count and compiles(item):
                chosen.append(item)
        work_db.clear()
        work_db.add_work_items(chosen)
        print(f"{len(chosen)} mutants, of {len(places)} places")


def name(item):
    return item.mutations[0].operator_name, item.mutations[0].occurrence


def compiles(item):
    """Return whether Python accepts the mutant: what it refuses needs no test."""
    mutation, = item.mutations
    source = mutation.module_path.read_text(encoding="utf-8")
    operator = get_operator(mutation.operator_name)(**mutation.operator_args)
    try:
        compile(mutate_code(source, operator, mutation.occurrence), str(mutation.module_path), "exec")
    except SyntaxError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(Sample().main())
