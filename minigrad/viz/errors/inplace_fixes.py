"""How a program writes in place, and the same without it: `y = y + 1` for `y += 1`."""
from __future__ import annotations

import ast
from types import ModuleType

from ..graph.facts import is_tensor
from ..graph.modules import inner_modules
from ..program.lines import targets_of
from ..program.node_lines import short
from ..program.parsed import last_name, tree_of
from .scene import Scene


def written_to(writes: list[ast.stmt]) -> str:
    """The variable that all the statements write to; "" if they write to several."""
    names = {ast.unparse(part) for one in writes for part in targets_of(one)}
    return names.pop() if len(names) == 1 else ""


def out_of_place(statement: ast.stmt, scene: Scene) -> str:
    """The statement that computes a new tensor where this one writes; "" if none does."""
    target: ast.expr | None
    result: ast.expr
    if isinstance(statement, ast.AugAssign) and not isinstance(statement.target, ast.Subscript):
        target = statement.target
        result = ast.BinOp(target, statement.op, statement.value)
        return f"{_text(target)} = {_text(result)}"
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        target, mask = statement.targets[0].value, statement.targets[0].slice
        takes_a_part = any(isinstance(node, ast.Subscript) for node in ast.walk(statement.value))
        if is_mask(mask, scene) and not takes_a_part:
            new = _text(statement.value)
            return f"{_text(target)} = torch.where({_text(mask)}, {new}, {_text(target)})"
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        target, result = without_writes(statement.value, scene)
        return f"{_text(target)} = {_text(result)}" if target is not None else ""
    return ""


def without_writes(call: ast.expr, scene: Scene) -> tuple[ast.expr | None, ast.expr]:
    """(h, h.mul(2).add(1)) for `h.mul_(2).add_(1)`, (h, torch.relu(h)) for `torch.relu_(h)`."""
    if isinstance(call, (ast.Name, ast.Attribute)):
        return call, call
    if not isinstance(call, ast.Call) or not isinstance(
            call.func, ast.Attribute) or call.func.attr[-1] != "_":
        return None, call
    owner, method = call.func.value, call.func.attr[:-1]
    function = isinstance(scene.value(owner), ModuleType)
    target, inner = without_writes(call.args[0] if function and call.args else owner, scene)
    if target is None or not hasattr(scene.value(owner if function else target), method):
        return None, call
    return target, ast.Call(ast.Attribute(owner if function else inner, method), call.args,
                            call.keywords)


def is_mask(index: ast.expr, scene: Scene) -> bool:
    """Whether an index is a comparison, or a tensor of booleans."""
    if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.Invert):
        return is_mask(index.operand, scene)
    value = scene.value(index)
    return isinstance(index, ast.Compare) or is_tensor(value) and "bool" in str(value.dtype)


def inplace_layer(scene: Scene) -> str:
    """The function or layer with `inplace=True`, in the program's text or its models."""
    if scene.frame is None:
        return ""
    layers = [layer for program in scene.programs for value in program.variables.values()
              for layer in inner_modules(value).values()]
    writing = [layer for layer in layers if getattr(layer, "inplace", False) is True]
    kinds = {type(layer).__name__ for layer in layers}
    tree = tree_of(scene.frame) or ast.Module([], [])
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
               and node.name in kinds]
    for part in [*scene.program.body, *classes]:
        for call in (one for one in ast.walk(part) if isinstance(one, ast.Call)):
            given = [one.value for one in call.keywords if one.arg == "inplace"]
            name = last_name(call.func) if given else ""
            if any(type(layer).__name__ == name for layer in writing) or (
                    name.islower() and getattr(given[0], "value", None) is True):
                return f"`{_text(call.func)}` in {short(scene.file, call.lineno)}"
    return f"the layer {type(writing[0]).__name__}" if writing else ""


def _text(part: ast.AST) -> str:
    return ast.unparse(ast.fix_missing_locations(part))
