"""Print how many mutants were killed, and the survivors, each with its reason from survivors.py."""
import sys

from cosmic_ray.work_db import WorkDB, use_db

from .survivors import EQUIVALENT, MISSED


def main(session):
    """Return 0 if nine in ten mutants were killed of those that are not equivalent, and all were tried."""
    with use_db(session, WorkDB.Mode.open) as db:
        total, done = db.num_work_items, db.completed_work_items
    survivors = [changed_line(result.diff) for _, result in done if not result.is_killed]
    for place in sorted(survivors):
        why = MISSED.get(place, "no reason is written down")
        why = f"equivalent: {EQUIVALENT[place]}" if place in EQUIVALENT else why
        print(f"{place[0]}: {place[1]}\n    {why}")
    equivalent = len([place for place in survivors if place in EQUIVALENT])
    killed, counted = len(done) - len(survivors), len(done) - equivalent
    print(f"{len(done)} of {total} mutants tried, {killed} killed, {len(survivors)} survived, "
          f"{equivalent} of them equivalent: {killed / max(counted, 1):.1%} of the others killed")
    return int(len(done) < total or killed < 0.9 * counted)


def changed_line(diff):
    """Return the file of a mutant, and the first line that differs, as it is in the mutant.

    Where a mutant only lacks a line, it is that line, after a minus.
    """
    lines = diff.split("\n")
    file = next(line.removeprefix("+++ b/") for line in lines if line.startswith("+++ "))
    added = [line[1:].strip() for line in lines if line.startswith("+") and not line.startswith("+++")]
    removed = [f"- {line[1:].strip()}" for line in lines if line.startswith("-") and line[1:].strip("- ")]
    return file, next(filter(None, [*added, *removed[1:]]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
