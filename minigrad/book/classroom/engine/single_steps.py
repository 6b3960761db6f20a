"""The programs for single steps: the operations of chapter 4's engine, and the shapes of chapter 5's."""
from __future__ import annotations

from .programs import Program, program

GRAPH = """
    a = Tensor(2.0, requires_grad=True)
    b = Tensor(3.0, requires_grad=True)
"""
STEPS: dict[int, tuple[Program, ...]] = {
    1: (program(GRAPH + "p = a * b",
                "p.data; p.requires_grad; [derivative for _, derivative in p.node.edges]",
                "If `a` grows by 1, `a * b` grows by the value of `b`, which is 3."),
        program(GRAPH + """
            p = a * b
            sent = p.node.run(10.0)
        """, "[message for _, message in sent]; [node for node, _ in sent] == [a.node, b.node]",
                "A node multiplies the message by its local derivative for each input: 10 · 3 for the node "
                "of `a`, and 10 · 2 for that of `b`. `run` returns a list of such pairs."),
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
                "`c` requires no gradient, so one message is sent, to `x`."),
        program("""
            x = Tensor(0.5, requires_grad=True)
            t = x.tanh()
        """, "t.data; t.requires_grad; [derivative for _, derivative in t.node.edges]",
                "`t` is `math.tanh(0.5)`, about 0.46, and the local derivative is 1 - t * t."),
        program("t = Tensor(0.5).tanh()", "t.data; t.requires_grad; t.node",
                "The input requires no gradient, so nothing is recorded."),
        program(GRAPH + """
            d = a - b
            sent = d.node.run(1.0)
        """, "d.data; d.requires_grad", "`a - b` is `a` plus `b` times -1."),
        program("""
            x = Tensor(3.0, requires_grad=True)
            q = x ** 4
        """, "q.data; [derivative for _, derivative in q.node.edges]",
                "The local derivative of `x ** n` is n * x ** (n - 1); here n is 4, a Python number.")),
}
OPERATIONS_OF_4 = (
    program("""
        x = Tensor(0.5, requires_grad=True)
        y = x.tanh() * x
        y.backward()
    """, "y.data; x.grad", "The local derivative of `t = x.tanh()` is 1 - t * t."),
    program(GRAPH + """
        y = (a - b) * (b - a)
        y.backward()
    """, "y.data; a.grad; b.grad", "The local derivatives of `a - b` are 1 and -1."),
    program("""
        x = Tensor(3.0, requires_grad=True)
        y = x ** 4 + x ** 2
        y.backward()
    """, "y.data; x.grad", "The local derivative of `x ** n` is n * x ** (n - 1)."),
)

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
    program("found = fitted(np.array(5.0), (1, 3))", "found",
            "A sum of a table's elements sends one number. Each element receives it, in the shape (1, 3)."),
    program("found = fitted(np.array(5.0), (1,))", "found",
            "A sum of one element sends a number without dimensions. Give it the shape (1,)."),
    program(LOOSE + "found = fitted(grad, (3,))", "grad", "The array that was given must keep its numbers."),
)
