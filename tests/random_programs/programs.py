"""Writes whole programs from one of the tables of statements."""
import textwrap

from . import statements, training
from .writer import Impossible, Writer

TABLES = {"programs": statements, "training": training}


def write_program(seed, without=(), table="programs"):
    """Return the statements of program `seed`: a list of [kind, source text]."""
    w = Writer(seed)
    program = TABLES[table].start(w)
    kinds = [kind for kind in TABLES[table].KINDS.values() if kind.name not in without]
    weights = [kind.weight for kind in kinds]
    length = 6 + w.below(22)
    while len(program) < length:
        kind = w.weighted(kinds, weights)
        try:
            source = kind.write(w)
        except Impossible:
            continue
        if kind.in_mode and w.chance(0.09):
            source = f"with {w.one_of(statements.MODES)}:\n{textwrap.indent(source, '    ')}"
        program.append([kind.name, source])
    return program
