"""The rules of the house: what imports what, how large the parts are, and how the code is laid out.

    python -m tests.house            print the sizes of the parts and every broken rule
    python -m tests.house --write    put the table of the sizes into CONTRIBUTING.md, too

The **core** is everything outside `minigrad/viz`, `minigrad/book` and `minigrad/more`; the **pictures**
are `minigrad/viz`, of which only the sizes are looked at.  A rule is a
method of `House` that returns a list of complaints; a complaint is a failure, and the command then
ends with exit status 1.  A ceiling leaves room: from 95 % of it the command prints a warning that
names the modules to look at first, and only at 110 % is there a complaint.
"""
from __future__ import annotations

import ast
import builtins
import io
import sys
import tokenize
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "CONTRIBUTING.md"

PARTS = ["autograd", "ops", "nn + optim + utils", "top level + random", "core in all", "more"]
CEILINGS = {"core in all": 10500, "more": 4800}      # lines
LINES_OF_A_FILE = 300
WARN, FAIL = 95, 110                                # percent of a ceiling

WIDTH, WIDTH_FAILS = 44, 46         # characters per line of code, on average, in the core
COLUMNS, LINES_OF_A_FUNCTION, MODULES_AT_THE_TOP = 88, 50, 16

PICTURES, LINES_OF_A_PICTURES_FILE, COLUMNS_OF_PICTURES = 24_200, 250, 100

APART = ("viz", "book")             # they use the public names only, and have rules of their own
# From the bottom up: a module may import from its own layer and from those below it.
LAYERS = [
    ["dtypes", "places", "vocabulary"],
    ["errors"],
    ["state", "memory"],
    ["tensor"],
    ["cuda", "attributes", "nested", "creation", "detach"],
    ["autograd"],
    ["conversion", "printing"],
    ["ops"],
    ["random"],
    ["methods"],
    ["nn", "optim", "utils"],
    ["more"],
    ["minigrad"],                   # the package's own __init__
]
# The rooms of minigrad/viz, from the bottom up, in the same way.
ROOMS = [["graph"], ["program"], ["drawing"], ["watching"], ["faults", "player"], ["errors"], ["rooms"]]
# Those of minigrad/book: content and classroom use each other, and build uses both.
BOOK = [["content", "classroom"], ["build"]]
# File names that Python and PyTorch give.
NAMED_BY_OTHERS = {"__init__.py", "__main__.py", "functional.py"}
# What the core may import although it stands apart, and why.
EXCEPTIONS = {
    ("minigrad", "viz"): "in IPython, tracebacks are shortened and errors explained",
}


class Size(NamedTuple):
    """How large a module or a part is."""
    files: int = 0
    lines: int = 0
    code: int = 0               # lines that hold more than a comment or a docstring
    characters: int = 0         # in those lines, with their indentation

    @property
    def width(self):
        """The average number of characters of a line of code."""
        return self.characters / self.code if self.code else 0.0

    def plus(self, other):
        return Size(*[mine + more for mine, more in zip(self, other)])


class Module:
    """One file of the package: its names, its text and its syntax tree."""
    def __init__(self, path, root):
        self.path = path
        self.place = path.relative_to(root).as_posix()
        self.is_package = path.name == "__init__.py"
        parts = path.relative_to(root).with_suffix("").parts
        self.name = ".".join(parts[:-1] if self.is_package else parts)
        self.text = path.read_text(encoding="utf-8")
        self.lines = self.text.splitlines()

    @cached_property
    def tree(self):
        return ast.parse(self.text)

    @cached_property
    def first(self):
        """The package or module right below minigrad; "minigrad" for its own __init__."""
        return (self.name.split(".") + ["minigrad"])[1]

    @cached_property
    def part(self):
        """The part of the table that this module belongs to."""
        if self.first in ("nn", "optim", "utils"):
            return "nn + optim + utils"
        return self.first if self.first in ("autograd", "ops", "more") else "top level + random"

    @cached_property
    def size(self):
        code = self.code_lines()
        characters = sum(len(self.lines[number - 1]) for number in code)
        return Size(1, len(self.lines), len(code), characters)

    @cached_property
    def functions(self):
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
        return [node for node in ast.walk(self.tree) if isinstance(node, kinds)]

    def at(self, node):
        return f"{self.place}:{node.lineno}"

    def code_lines(self):
        """Return the numbers of the lines that hold code."""
        docstrings = set()
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                if ast.get_docstring(node) is not None:
                    docstring = node.body[0]
                    docstrings.update(range(docstring.lineno, docstring.end_lineno + 1))
        empty = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT,
                 tokenize.DEDENT, tokenize.ENDMARKER)
        code = set()
        for token in tokenize.generate_tokens(io.StringIO(self.text).readline):
            if token.type not in empty:
                code.update(range(token.start[0], token.end[0] + 1))
        return code - docstrings

    def imports(self):
        """Yield (dotted name, node) of everything imported, also inside functions; imports for
        type checkers alone are left out, and of a package only what is taken from it counts."""
        for_types = set()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                for_types.update(ast.walk(node))
        package = self.name if self.is_package else self.name.rpartition(".")[0]
        for node in ast.walk(self.tree):
            if node in for_types:
                continue
            if isinstance(node, ast.ImportFrom):
                base = package.split(".")
                base = base[:len(base) - node.level + 1] if node.level else []
                base += [node.module] if node.module else []
                for alias in node.names:
                    yield ".".join([*base, alias.name]), node
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    yield alias.name, node

    def named_in_calls(self):
        """Yield (text, node) of every text that is given to `import_module` or `__import__`."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call):
                function = ast.unparse(node.func).rpartition(".")[2]
                if function in ("import_module", "__import__"):
                    for inner in ast.walk(node):
                        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                            yield inner.value, node


class House:
    """The rules, for the package in one folder."""
    def __init__(self, root=ROOT):
        self.root = Path(root)

    @cached_property
    def modules(self):
        """{dotted name: Module} of the core and of `more`."""
        found = {}
        for path in sorted((self.root / "minigrad").rglob("*.py")):
            module = Module(path, self.root)
            if module.first not in APART:
                found[module.name] = module
        return found

    @cached_property
    def pictures(self):
        return [Module(path, self.root)
                for path in sorted((self.root / "minigrad" / "viz").rglob("*.py"))]

    @cached_property
    def book(self):
        return [Module(path, self.root)
                for path in sorted((self.root / "minigrad" / "book").rglob("*.py"))]

    @cached_property
    def core(self):
        return [module for module in self.modules.values() if module.part != "more"]

    # --- imports ---------------------------------------------------------------------

    @cached_property
    def imports(self):
        """{module: {modules of the package that it imports}}, packages on the way included."""
        found = {}
        for module in self.modules.values():
            names = set()
            for name, _ in module.imports():
                while name and name not in self.modules:    # a function, in its module
                    name = name.rpartition(".")[0]
                names.update(packages_on_the_way(name, module.name))
            found[module.name] = names & set(self.modules) - {module.name}
        return found

    def cycles(self):
        """Return every group of modules that import each other, directly or by way of others."""
        reach = {name: set(names) for name, names in self.imports.items()}
        grown = True
        while grown:
            grown = False
            for names in reach.values():
                further = set().union(*[reach[one] for one in names]) - names
                names |= further
                grown = grown or bool(further)
        groups = {frozenset(one for one in reach[name] if name in reach[one])
                  for name in reach if name in reach[name]}
        return [", ".join(sorted(group)) for group in sorted(groups, key=sorted)]

    def imports_of_a_higher_layer(self):
        found = []
        for name, names in self.imports.items():
            mine = layer(self.modules[name])
            for other in sorted(names):
                theirs = layer(self.modules[other])
                if None not in (mine, theirs) and mine < theirs:
                    found.append(f"{name} imports {other}")
        return found

    def modules_without_a_layer(self):
        return [f"{module.place}: add it to LAYERS in tests/house.py"
                for module in self.modules.values() if layer(module) is None]

    def imports_of_what_stands_apart(self):
        """Return where the core imports more, viz or book.

        `more` may be imported by a name that is computed (`vocabulary.py` does), the others
        not even so.
        """
        found = []
        for module in self.modules.values():
            apart = APART if module.part == "more" else (*APART, "more")
            for name, node in module.imports():
                part = (name.split(".") + [""])[1]
                if name.startswith("minigrad.") and part in apart:
                    if (module.name, part) not in EXCEPTIONS:
                        found.append(f"{module.at(node)} imports {name}")
            for text, node in module.named_in_calls():
                if set(text.split(".")) & set(APART):
                    found.append(f"{module.at(node)} imports {text}")
        return found

    def imports_inside_functions(self):
        """Return imports inside functions, which hide what a module needs."""
        return [f"{module.at(inner)} imports inside {function.name}"
                for module in self.modules.values()
                if not module.is_package
                for function in module.functions
                for inner in ast.walk(function)
                if isinstance(inner, (ast.Import, ast.ImportFrom))]

    def late_imports(self):
        """Return imports that stand behind the first definition of a module."""
        found = []
        for module in self.modules.values():
            defined = False
            for node in module.tree.body:
                if defined and isinstance(node, (ast.Import, ast.ImportFrom)):
                    found.append(f"{module.at(node)} imports after a definition")
                defined = defined or isinstance(node, (ast.FunctionDef, ast.ClassDef))
        return found

    # --- layout ----------------------------------------------------------------------

    def long_functions(self):
        found = []
        for module in self.modules.values():
            for node in module.functions:
                count = node.end_lineno - node.lineno + 1
                if count > LINES_OF_A_FUNCTION:
                    found.append(f"{module.at(node)} {node.name} has {count} lines, "
                                 f"at most {LINES_OF_A_FUNCTION}")
        return found

    def long_lines(self):
        return [f"{module.place}:{number} has {len(line)} columns, at most {COLUMNS}"
                for module in self.modules.values()
                for number, line in enumerate(module.lines, 1) if len(line) > COLUMNS]

    def packed_statements(self):
        """Return lines with several statements: `a; b`, and a block on the line of its `if`."""
        found = set()
        for module in self.modules.values():
            for node in ast.walk(module.tree):
                for block in (getattr(node, "body", None), getattr(node, "orelse", None)):
                    if isinstance(block, list) and block:
                        before = getattr(node, "lineno", 0)
                        for statement in block:
                            if statement.lineno == before:
                                found.add(module.at(statement))
                            before = statement.end_lineno
        return sorted(found)

    def shadowed_builtins(self):
        """Return names of builtins that a module defines or imports: `abs`, `sum`, `type`."""
        found = []
        for module in self.modules.values():
            for node in module.tree.body:
                found += [f"{module.at(node)} shadows {name}" for name in bound_names(node)
                          if hasattr(builtins, name) and not name.startswith("__")]
        return found

    def modules_at_the_top(self):
        names = [module.path.stem for module in self.modules.values()
                 if module.path.parent == self.root / "minigrad"]
        if len(names) <= MODULES_AT_THE_TOP:
            return []
        return [f"{len(names)} modules, at most {MODULES_AT_THE_TOP}: {', '.join(names)}"]

    # --- sizes -----------------------------------------------------------------------

    @cached_property
    def sizes(self):
        """{part: Size}."""
        found = {part: Size() for part in PARTS}
        for module in self.modules.values():
            found[module.part] = found[module.part].plus(module.size)
            if module.part != "more":
                found["core in all"] = found["core in all"].plus(module.size)
        return found

    def of_part(self, part):
        return [module for module in self.modules.values()
                if (module.part == "more") == (part == "more")]

    def warnings(self):
        """Return what is close to a ceiling, or a little above it, and where to look."""
        found = []
        for part, ceiling in CEILINGS.items():
            lines = self.sizes[part].lines
            if WARN * ceiling <= 100 * lines < FAIL * ceiling:
                found.append(f"{part}: {lines:,} lines, {lines / ceiling:.0%} of {ceiling:,}. "
                             f"{self.largest(part)} {self.densest(part)}")
        width = self.sizes["core in all"].width
        if WIDTH < width < WIDTH_FAILS:
            found.append(f"core in all: {width:.1f} characters per line of code, at most {WIDTH}. "
                         + self.densest("core in all"))
        for module in self.modules.values():
            count = len(module.lines)
            if WARN * LINES_OF_A_FILE <= 100 * count < FAIL * LINES_OF_A_FILE:
                found.append(f"{module.place}: {count} lines, {count / LINES_OF_A_FILE:.0%} of "
                             f"{LINES_OF_A_FILE}. Does it hold two ideas?")
        return found

    def parts_above_their_ceiling(self):
        return [f"{part}: {self.sizes[part].lines:,} lines, at most {ceiling:,}. "
                f"{self.largest(part)} {self.densest(part)}"
                for part, ceiling in CEILINGS.items()
                if 100 * self.sizes[part].lines >= FAIL * ceiling]

    def files_above_their_ceiling(self):
        return [f"{module.place} has {len(module.lines)} lines, at most {LINES_OF_A_FILE}"
                for module in self.modules.values()
                if 100 * len(module.lines) >= FAIL * LINES_OF_A_FILE]

    def pictures_that_import_upwards(self):
        """Return where a room of viz imports one above it, also inside a function or by a string."""
        return imports_upwards("minigrad.viz.", ROOMS, self.pictures)

    def the_book_imports_upwards(self):
        """Return where what a teacher edits, or what a learner calls, imports what prints."""
        return imports_upwards("minigrad.book.", BOOK, self.book)

    def files_of_one_name(self):
        """Return files in different folders whose name doesn't say which of them they are."""
        places = {}
        for module in [*self.modules.values(), *self.pictures, *self.book]:
            places.setdefault(Path(module.place).name, []).append(module.place)
        return [f"{' and '.join(found)} have one name: let it say what is in them"
                for name, found in places.items() if len(found) > 1 and name not in NAMED_BY_OTHERS]

    def too_many_pictures(self):
        count = sum(len(module.lines) for module in self.pictures)
        return [f"minigrad/viz: {count:,} lines, at most {PICTURES:,}"] * (count > PICTURES)

    def long_files_of_pictures(self):
        return [f"{module.place} has {len(module.lines)} lines, at most {LINES_OF_A_PICTURES_FILE}"
                for module in self.pictures if len(module.lines) > LINES_OF_A_PICTURES_FILE]

    def long_lines_of_pictures(self):
        return [f"{module.place}:{number} has {len(line)} columns, at most {COLUMNS_OF_PICTURES}"
                for module in self.pictures for number, line in enumerate(module.lines, 1)
                if len(line) > COLUMNS_OF_PICTURES]

    def dense_lines(self):
        width = self.sizes["core in all"].width
        if width < WIDTH_FAILS:
            return []
        return [f"{width:.1f} characters per line of code on average, at most {WIDTH}. "
                + self.densest("core in all")]

    def largest(self, part):
        """Return a sentence that names the largest modules of a part."""
        found = sorted(self.of_part(part), key=lambda module: -module.size.lines)[:5]
        names = [f"{module.place} ({module.size.lines})" for module in found]
        return f"The largest modules, in lines: {', '.join(names)}."

    def densest(self, part):
        """Return a sentence that names the modules of a part with the densest lines."""
        # A module of a few lines says little about how dense its code is.
        found = [module for module in self.of_part(part) if module.size.code >= 20]
        found = sorted(found, key=lambda module: -module.size.width)[:5]
        names = [f"{module.place} ({module.size.width:.1f})" for module in found]
        return f"The densest, in characters per line of code: {', '.join(names) or 'none'}."

    def table(self):
        """Return the table of the parts, in Markdown."""
        rows = [TABLE_HEAD, "|---|---:|---:|---:|---:|---:|"]
        for part in PARTS:
            size = self.sizes[part]
            ceiling = f"{CEILINGS[part]:,}" if part in CEILINGS else ""
            rows.append(f"| {part} | {size.files} | {size.lines:,} | {size.code:,} | "
                        f"{size.width:.1f} | {ceiling} |")
        return "\n".join(rows)

    RULES = [cycles, modules_without_a_layer, imports_of_a_higher_layer,
             imports_of_what_stands_apart, imports_inside_functions, late_imports,
             long_functions, long_lines, packed_statements, shadowed_builtins,
             modules_at_the_top, parts_above_their_ceiling, files_above_their_ceiling,
             dense_lines, pictures_that_import_upwards, too_many_pictures,
             long_files_of_pictures, long_lines_of_pictures, the_book_imports_upwards,
             files_of_one_name]


TABLE_HEAD = "| part | files | lines | of these code | characters per line of code | ceiling |"


def packages_on_the_way(target, importer):
    """Return a module and the packages around it that are loaded first, without the importer's."""
    parts = target.split(".")
    around = [".".join(parts[:count]) for count in range(1, len(parts) + 1)]
    return {one for one in around
            if one == target or not f"{importer}.".startswith(f"{one}.")}


def layer(module):
    """Return the number of a module's layer; None if it has none."""
    return next((n for n, names in enumerate(LAYERS) if module.first in names), None)


def imports_upwards(package, rooms, modules):
    """Return where a room imports one above it; what is in no room is above them."""
    height = {room: at for at, names in enumerate(rooms) for room in names}
    found = []
    for module in modules:
        mine = height.get((module.name.split(".") + [""])[2], len(rooms))
        named = [(package + text.lstrip("."), node) for text, node in module.named_in_calls()
                 if text.startswith("..")]
        for name, node in [*module.imports(), *named]:
            room = name.removeprefix(package).partition(".")[0]
            if name.startswith(package) and height.get(room, len(rooms)) > mine:
                found.append(f"{module.at(node)} imports {name}")
    return found


def bound_names(statement):
    """Return the names that a statement at the head of a module binds."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [statement.name]
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return [alias.asname or alias.name.partition(".")[0] for alias in statement.names]
    return [node.id for node in ast.walk(statement)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]


def table_in(text):
    """Return the table of the parts that stands in a text."""
    return TABLE_HEAD + text.split(TABLE_HEAD)[1].split("\n\n")[0]


def write_table(house, page=PAGE):
    """Bring the table of a page up to date; return the page if it was old."""
    text = page.read_text(encoding="utf-8")
    new = text.replace(table_in(text), house.table())
    page.write_text(new, encoding="utf-8", newline="\n")
    return [page] if new != text else []


def main(arguments, house=None):
    """Print the table, the warnings and the complaints; return the exit status."""
    house = house or House()
    if arguments == ["--write"]:
        write_table(house)
    print(house.table())
    for warning in house.warnings():
        print(f"\nwarning: {warning}")
    broken = {rule.__name__.replace("_", " "): rule(house) for rule in House.RULES}
    for name, complaints in broken.items():
        if complaints:
            print(f"\nbroken: {name}: {len(complaints)}")
            print("\n".join([f"    {complaint}" for complaint in complaints[:20]]))
    return 1 if any(broken.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
