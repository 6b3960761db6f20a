"""How a program writes in place, and the same without it: `y = y + 1` for `y += 1`."""

from __future__ import annotations

import ast
import linecache

from ..graph.facts import is_tensor
from ..program.lines import targets_of
from ..program.places import short
from ..program.source import _parsed
from .scene import Scene


def written_to(writes: list[ast.stmt]) -> str:
    """The variable that all the statements write to; "" if they write to several."""
    names = {ast.unparse(part) for one in writes for part in targets_of(one)}
    return names.pop() if len(names) == 1 else ""


def out_of_place(statement: ast.stmt, scene: Scene) -> str:
    """The statement that computes a new tensor where this one writes; "" if there is none in one line."""
    if isinstance(statement, ast.AugAssign) and not isinstance(statement.target, ast.Subscript):
        target, result = statement.target, ast.BinOp(statement.target, statement.op, statement.value)
        return f"{_text(target)} = {_text(result)}"
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        target, mask = statement.targets[0].value, statement.targets[0].slice
        takes_a_part = any(isinstance(node, ast.Subscript) for node in ast.walk(statement.value))
        if is_mask(mask, scene) and not takes_a_part:
            return f"{_text(target)} = torch.where({_text(mask)}, {_text(statement.value)}, {_text(target)})"
    call = getattr(statement, "value", None)
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        owner, method = call.func.value, call.func.attr[:-1]
        if hasattr(scene.value(owner), method):
            result = ast.Call(ast.Attribute(owner, method), call.args, call.keywords)
            return f"{_text(owner)} = {_text(result)}"
    return ""


def is_mask(index: ast.expr, scene: Scene) -> bool:
    """Whether an index is a comparison, or a tensor of booleans."""
    if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.Invert):
        return is_mask(index.operand, scene)
    value = scene.value(index)
    return isinstance(index, ast.Compare) or is_tensor(value) and "bool" in str(value.dtype)


def inplace_layer(scene: Scene) -> str:
    """The function or layer that was given `inplace=True`, in the program's text or in one of its models."""
    if scene.frame is None:
        return ""
    models = [value for program in scene.programs for value in program.variables.values()
              if callable(getattr(type(value), "modules", None)) and not isinstance(value, type)]
    layers = [layer for model in models for layer in model.modules()]
    kinds = {type(layer).__name__ for layer in layers}
    file = scene.frame.f_code.co_filename
    tree = _parsed(linecache.getlines(file)) or ast.Module([], [])
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name in kinds]
    for part in [one for body, _, _ in scene.program.scopes[:1] for one in body] + classes:
        for call in ast.walk(part):
            keywords = call.keywords if isinstance(call, ast.Call) else []
            if any(one.arg == "inplace" and getattr(one.value, "value", None) is True for one in keywords):
                return f"`{_text(call.func)}` in {short(file, call.lineno)}"
    found = [layer for layer in layers if getattr(layer, "inplace", False) is True]
    return f"the layer {type(found[0]).__name__}" if found else ""


def _text(part: ast.AST) -> str:
    return ast.unparse(ast.fix_missing_locations(part))
