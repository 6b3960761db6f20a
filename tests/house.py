"""The rules of the house: what imports what, how large the parts are, and how the code is laid out.

    python -m tests.house            print the table of the parts, and what breaks a rule
    python -m tests.house --write    put the table into the README

Each rule is a function that returns a list of complaints; tests/test_house.py asserts that there
are none.
"""
from __future__ import annotations

import ast
import sys
import tokenize
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "minigrad"
README = ROOT / "README.md"
APART = ("viz",
         "book")                      # they use the public names only, and have their own rules
COLUMNS, LINES_OF_A_FILE, LINES_OF_A_FUNCTION, MODULES_AT_THE_TOP = 100, 300, 60, 14
CEILINGS = {"autograd": 2800, "ops": 3500, "nn, optim, utils": 2000, "the rest": 2000, "all": 10000}
# From the bottom up: a module may import from its own layer and from those below it.
LAYERS = [
    ["state", "errors", "dtypes", "places", "memory"],
    ["tensor"],
    ["attributes", "nested", "creation", "detach"],
    ["autograd"],
    ["conversion", "printing"],
    ["ops"],
    ["random"],
    ["methods"],
    ["nn", "optim", "utils"],
    ["minigrad"],                            # the package's own __init__
]


@cache
def modules():
    """Return {dotted name: path} of every module of the package, except for the parts that stand
    apart."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if parts[1] not in APART:
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


# --- imports -------------------------------------------------------------------------------------

@cache
def imports():
    """Return {module: {modules it imports}}; imports inside functions count, and so do packages
    on the way."""
    return {name: _imported(name, path) - {name} for name, path in modules().items()}


def _imported(name, path):
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ImportFrom) and not _is_for_types(node, path):
            base = package.split(".")[:len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                found |= _with_packages(inner if inner in modules() else base, name)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                found |= _with_packages(alias.name, name)
    return found & set(modules())


def _with_packages(target, importer):
    """Return the module and the packages around it that are loaded first, except those around
    the importer."""
    parts = target.split(".")
    around = [".".join(parts[:n]) for n in range(1, len(parts) + 1)]
    return {one for one in around if one == target or not f"{importer}.".startswith(f"{one}.")}


def _is_for_types(node, path):
    """Return whether an import stands under `if TYPE_CHECKING`."""
    return any(node in ast.walk(block) for block in ast.walk(tree(path))
               if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.unparse(block.test))


def cycles():
    """Return every group of modules that import each other, directly or by way of others."""
    reach = {name: set(names) for name, names in imports().items()}
    grown = True
    while grown:
        grown = False
        for names in reach.values():
            more = set().union(*[reach[one] for one in names]) - names if names else set()
            if more:
                names |= more
                grown = True
    groups = {frozenset(one for one in reach[name] if name in reach[one]) for name in reach
              if name in reach[name]}
    return [", ".join(sorted(group)) for group in sorted(groups, key=sorted)]


def layer(module):
    """Return the number of a module's layer; None if it has none."""
    first = (module.split(".") + [""])[1] or "minigrad"
    return next((n for n, names in enumerate(LAYERS) if first in names), None)


def imports_of_a_higher_layer():
    return [f"{name} imports {other}" for name,
            names in imports().items() for other in sorted(names)
            if layer(name) is not None and layer(other) is not None and layer(name) < layer(other)]


def modules_without_a_layer():
    return sorted({name for name in modules() if layer(name) is None})


def imports_inside_functions():
    """Return imports inside functions; only an __init__ may have them, to load a package when it
    is first used."""
    return [f"{place(path, inner)} imports inside {function.name}" for path in modules().values()
            if path.name != "__init__.py" for function in functions(path)
            for inner in ast.walk(function)
            if isinstance(inner, (ast.Import, ast.ImportFrom))]


def late_imports():
    """Return imports that stand behind the first definition of a module."""
    found = []
    for path in modules().values():
        defined = False
        for node in tree(path).body:
            if defined and isinstance(node, (ast.Import, ast.ImportFrom)):
                found.append(f"{place(path, node)} imports after a definition")
            defined = defined or isinstance(node, (ast.FunctionDef, ast.ClassDef))
    return found


# --- layout --------------------------------------------------------------------------------------

def functions(path):
    return [node for node in ast.walk(tree(path))
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def place(path, node):
    return f"{path.relative_to(ROOT)}:{node.lineno}"


def lines(path):
    return path.read_text(encoding="utf-8").splitlines()


def long_files():
    return [f"{path.relative_to(ROOT)} has {len(lines(path))} lines" for path in modules().values()
            if len(lines(path)) > LINES_OF_A_FILE]


def long_functions():
    return [f"{place(path, node)} {node.name} has {node.end_lineno - node.lineno + 1} lines"
            for path in modules().values() for node in functions(path)
            if node.end_lineno - node.lineno + 1 > LINES_OF_A_FUNCTION]


def long_lines():
    return [f"{path.relative_to(ROOT)}:{number}" for path in modules().values()
            for number, line in enumerate(lines(path), 1) if len(line) > COLUMNS]


def packed_statements():
    """Return lines with several statements: `a; b`, and a block on the line of its `if`, `for`
    or `def`."""
    found = set()
    for path in modules().values():
        for node in ast.walk(tree(path)):
            for block in (getattr(node, "body", None), getattr(node, "orelse", None)):
                if isinstance(block, list) and block:
                    before = [getattr(node, "lineno", 0),
                              *[statement.end_lineno for statement in block]]
                    found |= {place(path, statement) for statement, line in zip(block, before)
                              if statement.lineno == line}
    return sorted(found)


def modules_at_the_top():
    names = [path.stem for path in PACKAGE.glob("*.py")]
    return [] if len(names) <= MODULES_AT_THE_TOP else [f"{len(names)} modules: {', '.join(sorted(names))}"]


# --- sizes ---------------------------------------------------------------------------------------

def part(module):
    """Return the part of the table that a module belongs to."""
    first = (module.split(".") + [""])[1]
    if first in ("nn", "optim", "utils"):
        return "nn, optim, utils"
    return first if first in ("autograd", "ops") else "the rest"


@cache
def sizes():
    """Return {part: (files, lines, lines of code)}; a line of code has more than a comment or a
    docstring."""
    found = {name: [0, 0, 0] for name in CEILINGS}
    for name, path in modules().items():
        for row in (found[part(name)], found["all"]):
            row[0] += 1
            row[1] += len(lines(path))
            row[2] += len(code_lines(path))
    return {name: tuple(row) for name, row in found.items()}


def code_lines(path):
    """Return the numbers of the lines that hold code."""
    docstrings = {number for node in ast.walk(tree(path))
                  if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
                  and ast.get_docstring(node)
                  for number in range(node.body[0].lineno, node.body[0].end_lineno + 1)}
    empty = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
             tokenize.ENDMARKER, tokenize.ENCODING)
    with path.open("rb") as file:
        return {number for token in tokenize.tokenize(file.readline) if token.type not in empty
                for number in range(token.start[0], token.end[0] + 1)} - docstrings


def parts_over_their_ceiling():
    return [f"{name}: {sizes()[name][1]} lines, at most {most}" for name, most in CEILINGS.items()
            if sizes()[name][1] > most]


def table():
    """Return the table of the parts, in Markdown."""
    head = ["| part | files | lines | of these code | ceiling |", "|---|---:|---:|---:|---:|"]
    return "\n".join(head + [f"| {name} | {files} | {count:,} | {code:,} | {CEILINGS[name]:,} |"
                             for name, (files, count, code) in sizes().items()])


RULES = [cycles, modules_without_a_layer, imports_of_a_higher_layer, imports_inside_functions,
         late_imports,
         long_files, long_functions, long_lines, packed_statements, modules_at_the_top,
         parts_over_their_ceiling]

def table_in_the_readme():
    """Return the table that stands in the README."""
    rows = README.read_text(encoding="utf-8").split(table().split("\n")[0])[1].split("\n\n")[0]
    return table().split("\n")[0] + rows


def write_table():
    text = README.read_text(encoding="utf-8")
    README.write_text(text.replace(table_in_the_readme(), table()), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write_table()
    print(table())
    for rule in RULES:
        complaints = rule()
        if complaints:
            print(f"\n{rule.__name__.replace('_', ' ')}: {len(complaints)}")
            print("\n".join([f"    {complaint}" for complaint in complaints[:20]]))
