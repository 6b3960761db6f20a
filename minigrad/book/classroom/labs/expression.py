"""Chapter 3: type an expression, and see what it records."""
from __future__ import annotations

import ast

import minigrad as torch

from ....viz import draw
from ..lab import Choice, Lab, State, Words

LEAVES = {"a": 3.0, "b": 5.0, "c": 0.5}
METHODS = ("exp", "log", "sin", "cos", "tanh", "sigmoid", "relu", "sqrt", "abs", "sum", "mean")
ALLOWED = (ast.Expression, ast.BinOp, ast.UnaryOp, ast.Call, ast.Attribute, ast.Name, ast.Load, ast.Constant,
           ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.USub)
HELP = ("Use a, b, c, numbers below 100, + - * / ** and brackets, and "
        f"{', '.join(METHODS)}, as in (a * b).exp()")
LONGEST = 80


def checked(text: str) -> str:
    """`text`, if it is an expression of the small grammar.

    Raises:
        ValueError: it isn't; the message says what may be written.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError):
        raise ValueError(f"This can't be read. {HELP}.") from None
    for node in ast.walk(tree):
        fine = isinstance(node, ALLOWED)
        fine &= not isinstance(node, ast.Name) or node.id in LEAVES
        fine &= not isinstance(node, ast.Attribute) or node.attr in METHODS
        fine &= not isinstance(node, ast.Call) or (isinstance(node.func, ast.Attribute) and not node.args)
        fine &= not isinstance(node, ast.Constant) or (
            type(node.value) in (int, float) and abs(node.value) < 100)
        if not fine or len(text) > LONGEST:
            raise ValueError(f"{HELP}; at most {LONGEST} characters.")
    return text.strip()


def count(result) -> tuple[int, int]:
    """Nodes and edges of the graph behind a tensor."""
    nodes, edges = [result.grad_fn], 0
    for node in nodes:
        for after, _ in node.next_functions:
            if after is not None:
                edges += 1
                if after not in nodes:
                    nodes.append(after)
    return len(nodes), edges


def show(state: State):
    """(the graph of the expression, its value and its counts)."""
    try:
        text = checked(state["text"])
        leaves = {name: torch.tensor(value, requires_grad=True) for name, value in LEAVES.items()}
        result = eval(text, {"__builtins__": {}}, leaves)
        if not isinstance(result, torch.Tensor) or result.grad_fn is None:
            raise ValueError("No operation was recorded: use a, b or c in a calculation.")
    except (ValueError, ArithmeticError, TypeError, AttributeError) as reason:
        return "", str(reason)
    picture = draw(result, view=state["view"], show="-saved", direction="down",
                   names={**leaves, "result": result})
    nodes, edges = count(result)
    return picture, f"{text} is {result.item():.4g}\n{nodes} nodes, {edges} edge{'s' * (edges > 1)}"


def solved(state: State, words: str) -> str:
    return "Exactly 5 nodes and 6 edges." if words.endswith("\n5 nodes, 6 edges") else ""


def open_lab() -> Lab:
    return Lab("Type an expression with a = 3, b = 5, c = 0.5", show,
               controls={"text": Words("Expression:"), "view": Choice("View:", ("engine", "maths"))},
               start={"text": "a + a * b", "view": "engine"},
               fallback=({"text": "a + a * b", "view": "engine"}, {"text": "a + a * b", "view": "maths"},
                         {"text": "(a * 2).exp() + b", "view": "engine"}),
               solved=solved)
