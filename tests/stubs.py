"""The stubs: `.pyi` files that tell an editor and mypy what the package offers.

    python -m tests.stubs            say which stubs are old, and what has no type yet
    python -m tests.stubs --write    write the stubs, from the live objects

Methods of `Tensor` are attached when minigrad is imported, and those of `minigrad/more` when they
are first used, so no tool that only reads the sources can know of them.  Here every public name is
looked up, and its signature, its annotations and the first line of its docstring are written down.
Where a definition has no annotation, the tables of tests/stub_types.py say the type.
"""
from __future__ import annotations

import ast
import inspect
import re
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FunctionType, MethodType, ModuleType
from typing import NamedTuple

from tests import stub_types as types

ROOT = Path(__file__).resolve().parents[1]

# Each has a stub.  A class stands in the first of these that offers it, and the others import it
# from there; but what HOMES names stands where users look for it.
MODULES = """
    minigrad.tensor minigrad.autograd.grad_mode minigrad.autograd.anomaly_mode
    minigrad.autograd.function minigrad.autograd.graph minigrad.autograd.functional
    minigrad.autograd minigrad.random minigrad.nn.parameter minigrad.nn.functional
    minigrad.nn.init minigrad.nn.utils minigrad.nn.modules minigrad.nn
    minigrad.optim.lr_scheduler minigrad.optim minigrad.utils.checkpoint minigrad.utils.data
    minigrad.utils minigrad.cuda minigrad
""".split()
HOMES = {"dtype": "minigrad", "Size": "minigrad", "device": "minigrad", "Generator": "minigrad",
         "Tensor": "minigrad.tensor"}

GENERATED = "# Generated from the live objects: python -m tests.stubs --write\n"
# Where the words of types come from.
SOURCES = {
    **dict.fromkeys(["bool", "float", "int", "str", "object"], "builtins"),
    **dict.fromkeys(["Callable", "Iterable", "Iterator", "MutableMapping", "Sequence"],
                    "collections.abc"),
    **dict.fromkeys(["Any", "Literal", "NamedTuple", "TypeVar"], "typing"),
    "AbstractContextManager": "contextlib",
    "Self": "typing_extensions",
    "ndarray": "numpy",
}
SPECIAL_METHODS = """
    __new__ __init__ __call__ __getattr__ __getitem__ __setitem__ __delitem__ __len__ __iter__
    __enter__ __exit__ __contains__ __bool__ __int__ __float__ __index__ __hash__ __array__
    __abs__ __neg__ __pos__ __invert__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__
""".split()
BINARY = "add sub mul truediv floordiv mod pow matmul and or xor".split()
SPECIAL_METHODS += [f"__{kind}{name}__" for name in BINARY for kind in ("", "r", "i")]
WIDTH = 100


# --- what there is -----------------------------------------------------------------------

@cache
def load_everything():
    """Use every name once, so that what is loaded on demand is there, and attached to `Tensor`."""
    import minigrad

    for module in map(import_module, MODULES):
        for name in offered(module):
            getattr(module, name)
    tensor = minigrad.ones(1)
    for name in dir(tensor):
        if not hasattr(type(tensor), name):
            getattr(tensor, name)


@cache
def offered(module):
    """Return the public names of a module: those it lists, or else those the tables name."""
    if "__dir__" in vars(module):           # it also lists what it loads on demand
        return sorted(dir(module))
    if hasattr(module, "__all__"):
        return sorted(module.__all__)
    if module.__name__ in types.NAMES:
        names = types.NAMES[module.__name__].split()
        return sorted([name for name in names if hasattr(module, name)])
    return sorted([name for name in defined_names(module) if not name.startswith("_")])


def defined_names(module):
    """Return the names that the source of a module defines."""
    found = []
    for statement in ast.parse(inspect.getsource(module)).body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            found.append(statement.name)
        elif isinstance(statement, ast.Assign):
            found += [node.id for target in statement.targets for node in ast.walk(target)
                      if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    return found


@cache
def homes():
    """Return {class: the module whose stub defines it}."""
    found = {}
    for name in MODULES:
        module = import_module(name)
        for word in offered(module):
            value = getattr(module, word)
            if isinstance(value, type):
                found.setdefault(value, HOMES.get(word, name))
    return found


@cache
def sources():
    """Return {word that may stand in a type: the module to import it from}."""
    classes = {one.__name__: module for one, module in homes().items()}
    further = {name: module for module, names in types.FURTHER_CLASSES.items() for name in names}
    return {**SOURCES, **classes, **further}


def members(kind):
    """Return {name: value} of what a class defines, and [public bases]; what it inherits from a
    class that is not public counts as its own."""
    found, bases = {}, []
    for base in kind.__bases__:
        if base in homes():
            bases.append(base.__name__)
        elif base is not object and base.__module__.startswith("minigrad"):
            inherited, further = members(base)
            found.update(inherited)
            bases += further
    found.update(vars(kind))
    return found, bases


def is_shown(owner, name, value):
    """Return whether a member belongs into the stub of its class."""
    if f"{owner}.{name}" in types.LEFT_OUT:
        return False
    if owner in types.MEMBERS:
        return name in types.MEMBERS[owner].split()
    if name.startswith("_"):
        return name in SPECIAL_METHODS or name in types.PRIVATE
    return not isinstance(value, type)


# --- signatures --------------------------------------------------------------------------

class Parameter(NamedTuple):
    name: str           # with its stars; "*" or "/" alone has no type
    type: str = ""
    default: str = ""


class Signature(NamedTuple):
    parameters: list
    returns: str


def live_parameters(function, name, siblings):
    """Return the parameters of a function; `siblings` are the other members of its class.

    The in-place form of an operation may say no more than (self, *args); it has the parameters of
    the operation.
    """
    parameters = list(inspect.signature(function).parameters.values())
    if [parameter.name for parameter in parameters] == ["self", "args"]:
        plain = name[:-1] if not name.startswith("__i") else f"__{name[3:]}"
        if plain in siblings:
            return live_parameters(siblings[plain], plain, siblings)
    return parameters


def live_signature(function, name, owner, siblings, untyped):
    """Return the Signature of a function, or of a method of the class `owner`."""
    is_static = name != "__new__" and isinstance(siblings.get(name), staticmethod)
    found, keyword_only = [], False
    for number, one in enumerate(live_parameters(function, name, siblings)):
        if one.kind is one.KEYWORD_ONLY and not keyword_only:
            found.append(Parameter("*"))
        keyword_only = keyword_only or one.kind in (one.KEYWORD_ONLY, one.VAR_POSITIONAL)
        if number == 0 and owner and not is_static:
            found.append(Parameter(one.name))
            continue
        stars = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        type_, default = parameter_type(one, name, owner), ""
        if type_ is None:
            untyped.append(f"{owner or ''}.{name}: {one.name}".lstrip("."))
            type_ = "Any"
        if one.default is not one.empty and not stars:
            default = default_text(one.default)
            if default == "None" and not {"None", "Any"} & set(type_.split(" | ")):
                type_ += " | None"
        found.append(Parameter(stars + one.name, type_, default))
    returns = result_type(function, name, owner)
    if returns is None:
        untyped.append(f"{owner or ''}.{name}()".lstrip("."))
    return Signature(found, returns or "Any")


def parameter_type(parameter, name, owner):
    """Return the type of a parameter, as its annotation, its default or the tables say it."""
    key = owner if name in ("__init__", "__new__") else name
    if f"{key}.{parameter.name}" in types.PARAMETERS:
        return types.PARAMETERS[f"{key}.{parameter.name}"]
    if parameter.annotation is not parameter.empty:
        return annotation_text(parameter.annotation)
    if parameter.kind is parameter.VAR_KEYWORD:
        return "Any"
    if isinstance(parameter.default, bool):
        return "bool"
    if parameter.name in types.PARAMETERS:
        return types.PARAMETERS[parameter.name]
    if isinstance(parameter.default, (int, float, str)):
        return type(parameter.default).__name__
    return None


def result_type(function, name, owner):
    """Return the type of a result; operations that no table names return a tensor."""
    if f"{owner}.{name}" in types.RETURNS:
        return types.RETURNS[f"{owner}.{name}"]
    annotation = getattr(function, "__annotations__", {}).get("return", inspect.Parameter.empty)
    if annotation is not inspect.Parameter.empty:
        return annotation_text(annotation)
    if name in types.RETURNS:
        return types.RETURNS[name]
    return "Tensor" if owner in (None, "Tensor") or name == "forward" else None


def is_layer(kind):
    """Return whether a class is a module of ours whose result is a tensor."""
    module = next(one for one in homes() if one.__name__ == "Module")
    return kind is not None and issubclass(kind, module) and kind is not module


def forward_signature(forward, owner):
    """Return the Signature of a layer's `forward`, which may be a function of a tensor itself."""
    if isinstance(forward, staticmethod) or list(inspect.signature(forward).parameters) == ["self"]:
        return Signature([Parameter("self"), Parameter("input", "Tensor")], "Tensor")
    return live_signature(forward, "forward", owner, {}, [])


def written_signature(text, function, owner):
    """Return the Signature that a text says.  A function that is a method, too, has the type of
    its `self`, under the name that it has there."""
    definition = ast.parse(f"def f{text}: ...").body[0]
    arguments = definition.args
    positional = [*arguments.posonlyargs, *arguments.args]
    missing = [None] * (len(positional) - len(arguments.defaults))
    defaults = [*missing, *arguments.defaults]
    found = [as_parameter(one, default) for one, default in zip(positional, defaults)]
    if arguments.posonlyargs:
        found.insert(len(arguments.posonlyargs), Parameter("/"))
    if arguments.vararg:
        found.append(as_parameter(arguments.vararg, None, "*"))
    elif arguments.kwonlyargs:
        found.append(Parameter("*"))
    found += [as_parameter(one, default)
              for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    if arguments.kwarg:
        found.append(as_parameter(arguments.kwarg, None, "**"))
    if owner is None and found[0] == Parameter("self"):
        found[0] = Parameter(next(iter(inspect.signature(function).parameters)), "Tensor")
    return Signature(found, ast.unparse(definition.returns))


def as_parameter(argument, default, stars=""):
    return Parameter(stars + argument.arg,
                     ast.unparse(argument.annotation) if argument.annotation else "",
                     ast.unparse(default) if default else "")


def default_text(value):
    plain = isinstance(value, (bool, int, float, str)) or value is None
    return repr(value) if plain and value == value else "..."


def annotation_text(annotation):
    """Return an annotation without the modules of its names: ``dtypes.dtype`` is ``dtype``."""
    if not isinstance(annotation, str):
        annotation = inspect.formatannotation(annotation)
    annotation = re.sub(r"\b[\w.]+\.(\w+)", r"\1", annotation)
    return {"tuple": "tuple[Any, ...]", "dict": "dict[str, Any]",
            "list": "list[Any]"}.get(annotation, annotation)


def type_of_value(value):
    """Return the type of a constant, or of an attribute of an object."""
    name = type(value).__name__
    if value is None:
        return "Any"
    if type(value) in homes() or name in ("bool", "int", "float", "str"):
        return name
    return {"dict": "dict[str, Any]", "list": "list[Any]",
            "tuple": "tuple[Any, ...]"}.get(name, "Any")


def first_line(value):
    """Return the first line of a docstring."""
    lines = (value.__doc__ or "").strip().split("\n")
    line = lines[0].strip().replace("\\", "\\\\")
    return f"{line} " if line.endswith('"') else line


# --- a stub ------------------------------------------------------------------------------

class Stub:
    """The text of one stub, and how it is put together."""
    def __init__(self, module_name):
        load_everything()
        self.name, self.module = module_name, import_module(module_name)
        self.imports, self.untyped = set(), []
        self.names = offered(self.module)
        values = {name: getattr(self.module, name) for name in self.names}
        self.offered_classes = {name: value for name, value in values.items()
                                if isinstance(value, type)}
        self.classes = {name: value for name, value in self.offered_classes.items()
                        if homes()[value] == module_name}
        # What a method or a constant is called means that, and not a type, in this stub.
        self.shadowed = set(self.names) - set(self.classes)
        for kind in self.classes.values():
            self.shadowed.update(members(kind)[0])
        self.text = self.assembled()

    def spelled(self, type_text):
        """Return a type as it is written in this stub, and note what must be imported."""
        def spell(match):
            word = match.group()
            source = sources().get(word)
            if source is None or source == self.name:
                return word
            if word in self.shadowed and word not in self.offered_classes:
                self.imports.add(f"from {source} import {word} as _{word}")
                return f"_{word}"
            if source != "builtins":
                self.imports.add(f"from {source} import {word}")
            return word
        return re.sub(r"\b[A-Za-z]\w*", spell, type_text)

    def assembled(self):
        constants, functions = [], []
        for name in self.names:
            value = getattr(self.module, name)
            if isinstance(value, ModuleType):
                if value.__name__ in MODULES:
                    package = value.__name__.rpartition(".")[0]
                    self.imports.add(f"from {package} import {name} as {name}")
            elif name in self.classes:
                continue
            elif isinstance(value, type):
                self.imports.add(f"from {homes()[value]} import {name} as {name}")
            elif isinstance(value, (FunctionType, MethodType)):
                functions.append(self.function(name, value, None, {}))
            else:
                constants.append(f"{name}: {self.spelled(type_of_value(value))}")
        if self.name == "minigrad":
            constants.insert(0, "__version__: str")
        further = [self.imports_of(text) for text in
                   types.FURTHER_CLASSES.get(self.name, {}).values()]
        classes = [self.class_text(name, kind) for name, kind in self.classes.items()]
        body = "\n\n".join([*further, *classes, *functions])
        if re.search(r"\b_F\b", body):
            constants.insert(0, '_F = TypeVar("_F", bound=Callable[..., Any])')
            self.spelled("TypeVar Callable Any")
        blocks = [f'"""{first_line(self.module)}"""\n{GENERATED}' + "\n".join(self.import_lines()),
                  "\n".join(constants), body]
        return "\n\n".join([block for block in blocks if block]) + "\n"

    def imports_of(self, text):
        self.spelled(" ".join(re.findall(r"[A-Za-z_]\w*", text.partition("\n")[2])))
        self.spelled(" ".join(re.findall(r"\((.*)\)", text.partition("\n")[0])))
        return text

    def import_lines(self):
        """Return the imports, in the order of ruff; what is offered is imported `as` its name."""
        plain, renamed = {}, []
        for line in self.imports:
            source, _, word = line.removeprefix("from ").partition(" import ")
            if " as " in word:
                renamed.append((source, line))
            elif f"{line} as {word}" not in self.imports:
                plain.setdefault(source, []).append(word)
        lines = [(source, f"from {source} import {', '.join(sorted(words))}")
                 for source, words in plain.items()]
        return [line for _, line in sorted(lines + renamed, key=import_order)]

    def class_text(self, name, kind):
        found, bases = members(kind)
        base_text = types.BASES.get(name, ", ".join(bases))
        lines = [f"class {name}({self.spelled(base_text)}):" if base_text else f"class {name}:"]
        lines += docstring(first_line(kind))
        for attribute, type_ in self.attributes(name, kind, found).items():
            lines.append(f"    {attribute}: {self.spelled(type_)}")
        if hasattr(kind, "_fields"):        # a named tuple: the attributes say it all
            found = {}
        for member, value in sorted(found.items()):
            if is_shown(name, member, value):
                text = self.member(member, value, name, found)
                lines += [f"    {line}" for line in text.split("\n")]
        if "forward" in found and is_layer(kind):       # a call returns what `forward` does
            signature = forward_signature(found["forward"], name)
            lines.append(f"    def __call__{self.signature_text(signature, 12)}: ...")
        for text in types.FURTHER_MEMBERS.get(name, []):
            self.spelled(text.replace("@overload", ""))
            lines.append(f"    {text}")
        if len(lines) == 1:
            lines[0] += " ..."
        return "\n".join(lines)

    def attributes(self, name, kind, found):
        """Return {name: type} of what objects of a class carry, as an example shows it."""
        attributes = dict(types.ATTRIBUTES.get(name, {}))
        if name == "Tensor":                # what the modules of the core read and write
            slots = [slot for slot in vars(kind)["__slots__"] if not slot.endswith("__")]
            attributes.update(dict.fromkeys(slots, "Any"), _array="ndarray")
        if name in types.EXAMPLES:
            import minigrad

            example = eval(types.EXAMPLES[name], {"torch": minigrad, "nn": minigrad.nn})
            shown = dict(vars(example))
            for place in ("_parameters", "_buffers"):
                shown.update(shown.get(place) or {})
            for attribute, value in sorted(shown.items()):
                if not attribute.startswith("_") and attribute not in found:
                    attributes.setdefault(attribute, type_of_value(value))
        return attributes

    def member(self, name, value, owner, siblings):
        if isinstance(value, property):
            returns = result_type(value.fget, name, owner)
            if returns is None or f"{owner}.{name}" not in types.RETURNS and not getattr(
                    value.fget, "__annotations__", {}) and name not in types.RETURNS:
                self.untyped.append(f"{owner}.{name}")
                returns = "Any"
            returns = self.spelled(returns)
            doc = first_line(value) if isinstance(value.fget, FunctionType) else ""
            text = f"@property\n{definition(f'def {name}(self) -> {returns}', doc)}"
            if value.fset is not None:
                text += (f"\n@{name}.setter\n"
                         f"def {name}(self, value: {returns}) -> None: ...")
            return text
        if isinstance(value, (staticmethod, classmethod)):
            decorator = "" if name == "__new__" else f"@{type(value).__name__}\n"
            return self.function(name, value.__func__, owner, siblings, decorator)
        if isinstance(value, FunctionType):
            return self.function(name, value, owner, siblings)
        return f"{name}: {self.spelled(type_of_value(value))}"

    def function(self, name, function, owner, siblings, decorator=""):
        """Return the definition of a function or method; several, where its type depends on the
        arguments."""
        given = types.SIGNATURES.get(f"{owner}.{name}", types.SIGNATURES.get(name))
        if given and (owner is None or owner == "Tensor" or f"{owner}.{name}" in types.SIGNATURES):
            signatures = [written_signature(text, function, owner) for text in given]
        else:
            signatures = [live_signature(function, name, owner, siblings, self.untyped)]
        if name == "forward" and is_layer(self.classes.get(owner)):
            signatures, decorator = [forward_signature(siblings[name], owner)], ""
        if len(signatures) > 1:
            self.imports.add("from typing import overload")
            decorator = f"{decorator}@overload\n"
        texts = []
        for number, signature in enumerate(signatures):
            head = f"def {name}{self.signature_text(signature, len(name))}"
            doc = first_line(function) if number == 0 else ""
            ignored = types.IGNORED.get(f"{owner}.{name}") if number == 0 else None
            texts.append(decorator + definition(head, doc, ignored))
        return "\n".join(texts)

    def signature_text(self, signature, indent):
        parts = []
        for name, type_, default in signature.parameters:
            text = f"{name}: {self.spelled(type_)}" if type_ else name
            if default:
                text += f" = {default}" if type_ else f"={default}"
            parts.append(text)
        returns = self.spelled(signature.returns)
        line = f"({', '.join(parts)}) -> {returns}"
        if len(line) + indent <= WIDTH:
            return line
        return "(\n" + "".join([f"    {part},\n" for part in parts]) + f") -> {returns}"


def import_order(source_and_line):
    source, line = source_and_line
    group = {"numpy": 1, "typing_extensions": 1, "minigrad": 2}.get(source.partition(".")[0], 0)
    return group, source, " as " in line, line


def definition(head, doc, ignored=None):
    """Return a definition without a body, or with a docstring as its body."""
    comment = f"  # type: ignore[{ignored}]" if ignored else ""
    first, *rest = head.split("\n")
    end = ":" if doc else ": ..."
    if not rest:
        lines = [f"{first}{end}{comment}"]
    else:
        lines = [f"{first}{comment}", *rest[:-1], f"{rest[-1]}{end}"]
    return "\n".join(lines + docstring(doc))


def docstring(text):
    return [f'    """{text}"""'] if text else []


def path_of(module_name):
    """Return where the stub of a module is: beside its source."""
    return Path(inspect.getsourcefile(import_module(module_name))).with_suffix(".pyi")


def outline(text):
    """Return {name: parameter names} of all that a stub defines; the parts of overloads are joined.
    """
    found = {}

    def visit(nodes, prefix):
        for node in nodes:
            if isinstance(node, ast.ClassDef):
                found[prefix + node.name] = [ast.unparse(base) for base in node.bases]
                visit(node.body, f"{prefix}{node.name}.")
            elif isinstance(node, ast.FunctionDef):
                found.setdefault(prefix + node.name, []).extend(names_of(node.args))
            elif isinstance(node, ast.AnnAssign):
                found[prefix + node.target.id] = []
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if alias.name == alias.asname:
                        found[prefix + alias.name] = [node.module]

    visit(ast.parse(text).body, "")
    return {name: list(dict.fromkeys(names)) for name, names in found.items()}


def names_of(arguments):
    """Return the names of parameters, with their stars."""
    names = [one.arg for one in [*arguments.posonlyargs, *arguments.args]]
    names += [f"*{arguments.vararg.arg}"] if arguments.vararg else []
    names += [one.arg for one in arguments.kwonlyargs]
    return names + ([f"**{arguments.kwarg.arg}"] if arguments.kwarg else [])


def old_stubs(stubs):
    """Return the paths of those stubs that differ from what they should be."""
    return [path for path, stub in stubs.items()
            if not path.exists() or path.read_text(encoding="utf-8") != stub.text]


def write_stubs():
    """Bring the stubs up to date; return the paths of those that were old."""
    stubs = {path_of(name): Stub(name) for name in MODULES}
    old = old_stubs(stubs)
    for path in old:
        path.write_text(stubs[path].text, encoding="utf-8", newline="\n")
    return old


def main(arguments):
    """Compare or write the stubs; return the exit status."""
    if arguments == ["--write"]:
        for path in write_stubs():
            print("written:", path.relative_to(ROOT))
    stubs = {path_of(name): Stub(name) for name in MODULES}
    old = old_stubs(stubs)
    for path in old:
        print("old:", path.relative_to(ROOT))
    untyped = [f"{stub.name}: {name}" for stub in stubs.values() for name in stub.untyped]
    print(f"{len(stubs)} stubs; without a type (see tests/stub_types.py): {len(untyped)}")
    print("\n".join([f"    {name}" for name in untyped]))
    return 1 if old else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
