"""The programs for single steps: the first four of chapter 4's engine, and the shapes of chapter 5's."""
from __future__ import annotations

from typing import Any

from .programs import Program, program


def counts_of(order: list) -> dict[Any, int]:
    """How many edges lead into each node of an order; what comes after it may not send to it.

    Raises:
        ValueError: a node comes before one that sends to it.
    """
    waiting = dict.fromkeys(order, 0)
    for at, node in enumerate(order):
        for child, _ in node.edges:
            if child in order[:at + 1]:
                raise ValueError("a node comes before one that sends to it")
            waiting[child] = waiting.get(child, 0) + 1
    return waiting


def read_order(ours: dict[str, Any], theirs: dict[str, Any]) -> str | None:
    """Replace a list of nodes, if it is an order in which they may run, by the counts of their edges."""
    found = theirs.get("waiting")
    if not isinstance(found, (list, tuple)):
        return None
    try:
        theirs["waiting"] = counts_of(list(found))
    except ValueError:
        return "In the list that `count` returned, a node comes before one that sends to it."
    except (AttributeError, TypeError):
        return ("`count` should return a dictionary from each node to its number of messages, or a list of "
                "nodes in an order in which they may run.")
    return None


GRAPH = """
    a = Tensor(2.0, requires_grad=True)
    b = Tensor(3.0, requires_grad=True)
"""
STEPS: dict[int, tuple[Program, ...]] = {
    1: (program("x = Tensor(3.0, requires_grad=True)", "x.data; x.requires_grad; x.grad",
                "A new tensor holds its number, and its drawer is empty."),
        program("c = Tensor(7.0)", "c.data; c.requires_grad; c.node; c.grad",
                "A tensor that requires no gradient has no node: nothing needs to reach it."),
        program("x = Tensor(3.0, requires_grad=True)", "x.node.leaf is x; len(x.node.edges)",
                "The node of a leaf knows its leaf, and no edge leads on from it."),
        program("""
            x = Tensor(3.0, requires_grad=True)
            sent = x.node.run(5.0)
        """, "x.grad; len(sent)", "The message is put into the drawer. A leaf's node sends nothing on, so "
                                  "`run` returns an empty list."),
        program("""
            x = Tensor(3.0, requires_grad=True)
            sent = x.node.run(5.0)
            sent = x.node.run(2.0)
        """, "x.grad", "The drawer held 5 when the message 2 arrived, and gradients accumulate.")),
    2: (program(GRAPH + "c = a + b", "c.data; c.requires_grad; c.grad",
                "The result of an operation requires a gradient if one of its inputs does."),
        program(GRAPH + "c = a + b", "[derivative for _, derivative in c.node.edges]; "
                "[child for child, _ in c.node.edges] == [a.node, b.node]",
                "The node of `c` has an edge for `a` and one for `b`, each with the local derivative 1."),
        program("""
            x = Tensor(3.0, requires_grad=True)
            c = Tensor(7.0)
            y = x + c
        """, "y.data; len(y.node.edges); y.requires_grad",
                "`c` requires no gradient, so no edge leads to it."),
        program("""
            x = Tensor(3.0, requires_grad=True)
            y = x + x
        """, "y.data; len(y.node.edges)", "`x` is used twice, so two edges lead to its node."),
        program("c = Tensor(3.0) + Tensor(4.0)", "c.data; c.requires_grad; c.node",
                "No input requires a gradient, so nothing is recorded.")),
    3: (program(GRAPH + "p = a * b",
                "p.data; p.requires_grad; [derivative for _, derivative in p.node.edges]",
                "If `a` grows by 1, `a * b` grows by the value of `b`, which is 3."),
        program(GRAPH + """
            p = a * b
            sent = p.node.run(10.0)
        """, "[message for _, message in sent]; [child for child, _ in sent] == [a.node, b.node]",
                "A node multiplies the message by its local derivative for each input: 10 · 3 and 10 · 2."),
        program(GRAPH + """
            s = a + b
            sent = s.node.run(10.0)
        """, "[message for _, message in sent]", "The local derivatives of a sum are 1."),
        program("""
            x = Tensor(3.0, requires_grad=True)
            c = Tensor(7.0)
            y = c * x
            sent = y.node.run(1.0)
        """, "[message for _, message in sent]",
                "`c` requires no gradient, so one message is sent, to `x`.")),
    4: (program("""
            x = Tensor(3.0, requires_grad=True)
            y = x * x
            waiting = y.count()
        """, "waiting[x.node]", "`x` is used twice, so its node must receive two messages.",
                reads=read_order),
        program(GRAPH + """
            c = a + b
            d = a * b
            s = c + d
            p = c * d
            y = s + p
            waiting = y.count()
        """, "[waiting[one.node] for one in (s, p)]; [waiting[one.node] for one in (c, d)]; "
             "[waiting[one.node] for one in (a, b)]",
                "`s` and `p` are used once, and all others twice.", reads=read_order),
        program("""
            x = Tensor(3.0, requires_grad=True)
            y = x * x
            z = x + y
            waiting = y.count()
        """, "waiting[x.node]", "A pass from `y` doesn't run the node of `z`, so its edges don't count.",
                reads=read_order),
        program("""
            x = Tensor(1.0, requires_grad=True)
            y = x
            for step in range(30): y = y + y
            waiting = y.count()
        """, "waiting[x.node]", "Two edges lead to the node of `x`: those of the first addition.",
                why_slow="There are 2 ** 30 paths to `x`, but only 60 edges. Look at the edges of each node "
                "once.", reads=read_order)),
}

LOOSE = """
    grad = np.array([[1.0, 2.0, 4.0], [10.0, 20.0, 40.0]])
"""
SHAPES: tuple[Program, ...] = (
    program(LOOSE + "found = fitted(grad, (2, 3))", "found", "The shapes agree, so nothing is added."),
    program(LOOSE + "found = fitted(grad, (3,))", "found",
            "A row of three was stretched over two rows, so the two rows are added."),
    program(LOOSE + "found = fitted(grad, ())", "found", "A number was stretched over all six elements."),
    program(LOOSE + "found = fitted(grad, (2, 1))", "found",
            "A column was stretched over three columns. Add them, and keep the shape (2, 1)."),
    program(LOOSE + "found = fitted(grad, (1, 3))", "found",
            "One row was stretched over two. Add them, and keep the shape (1, 3)."),
    program(LOOSE + "found = fitted(grad, (1,))", "found",
            "A list of one number was stretched over two rows and three columns."),
    program("""
        grad = np.arange(24.0).reshape(4, 2, 3)
        found = fitted(grad, (2, 1))
    """, "found", "A column was stretched over three columns, and then four times over."),
    program("found = fitted(np.array(5.0), (3,))", "found",
            "This is the message of a sum of three elements. Each of them receives it."),
    program(LOOSE + "found = fitted(grad, (3,))", "grad", "The array that was given must keep its numbers."),
)
