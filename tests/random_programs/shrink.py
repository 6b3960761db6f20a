"""Makes a program that shows a difference as short as possible: statements go while the
difference stays."""
from .differences import compare


def shrink(pair, statements, every, ignore=()):
    """The smallest program found, with its first difference (None if the difference did not come
    again)."""
    target = _first(pair, [statements], every, ignore)[0]
    if target is None:
        return statements, None
    statements = statements[:target.step + 1]
    size = max(len(statements) // 2, 1)
    while True:
        cut = [statements[:i] + statements[i + size:] for i in range(0, len(statements) - 1, size)]
        cut = [c for c in cut if c and c[-1] == statements[-1]]
        answers = _first(pair, cut, every, ignore)
        good = [c for c, answer in zip(cut, answers) if _alike(answer, target, c)]
        if good:
            statements = min(good, key=len)
        elif size == 1:
            break
        else:
            size //= 2
    statements = _unwrap(pair, statements, every, ignore, target)
    return statements, _first(pair, [statements], every, ignore)[0]


def _unwrap(pair, statements, every, ignore, target):
    """Take statements out of their `with` blocks where that changes nothing."""
    for i, (kind, source) in enumerate(statements):
        lines = source.split("\n")
        if lines[0].startswith("with ") and i < len(statements) - 1:
            flat = statements[:i] + [[kind,
                                      "\n".join(line[4:]
                                                for line in lines[1:])]] + statements[i + 1:]
            if _alike(_first(pair, [flat], every, ignore)[0], target, flat):
                statements = flat
    return statements


def _first(pair, programs, every, ignore):
    left, right = pair.run([(p, every) for p in programs])
    found = [compare(p, a, b, ignore) for p, a, b in zip(programs, left, right)]
    return [d[0] if d else None for d in found]


def _alike(answer, target, statements):
    """Still the same difference: same field, in the last statement."""
    return (answer is not None and answer.field == target.field
            and answer.step == len(statements) - 1
            and (answer.field not in ("error", "grad_fn") or answer.group == target.group))
