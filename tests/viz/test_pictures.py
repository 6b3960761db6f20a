"""Pictures of graphs: what they say, that they change nothing, that they are the same everywhere.

MINIGRAD_TEST_BACKEND=torch draws real PyTorch tensors with the same expectations.
"""
import ast
import dataclasses
import importlib
import os
import re
import subprocess
import sys
import warnings
import xml.etree.ElementTree as ElementTree
from html import unescape
from pathlib import Path

import pytest

from minigrad import viz
from minigrad.viz import CannotDraw, draw
from minigrad.viz.drawing import render
from minigrad.viz.drawing.image import slim, svgs_in
from tests.helpers.counting import counted_calls

BACKEND = os.environ.get("MINIGRAD_TEST_BACKEND", "minigrad")
torch = importlib.import_module(BACKEND)
VIZ = Path(viz.__file__).parent
HAS_PICTURES = render.dot_program().exists()
pictures = pytest.mark.skipif(not HAS_PICTURES, reason="pip install graphviz-pure")


def leaf(values):
    return torch.tensor(values, requires_grad=True)


def lines(drawing):
    return drawing.text.splitlines()


def b4():
    x = leaf([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    y = x + 1
    z = 2 * y * y
    J = z.mean()
    return x, y, z, J


# ---------------------------------------------------------------- what the engine view says

def test_square_has_two_edges_and_one_tab():
    x = leaf(3.0)
    y = x * x
    assert lines(draw(y)) == [
        "Graph behind y, engine view: 1 leaf, 1 operation.",
        "n0 leaf x, shape (), value 3.0, .grad is None",
        "n1 AccumulateGrad, adds what arrives to the .grad of n0",
        "n2 operation MulBackward0; next functions: n1, n1; saved: self and other = x 3.0",
        "n3 tensor y, shape (), value 9.0, its grad_fn is n2",
    ]


def test_b4_before_and_after_backward():
    x, y, z, J = b4()
    before = draw(J)
    assert lines(before) == [
        "Graph behind J, engine view: 1 leaf, 4 operations, 2 constants.",
        "n0 leaf x, shape (2, 3), value [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], .grad is None",
        "n1 AccumulateGrad, adds what arrives to the .grad of n0",
        "n2 constant, value not kept",
        "n3 operation AddBackward0, made y (2, 3); next functions: n1, None (n2); saves nothing",
        "n4 constant, shape (), value 2",
        "n5 operation MulBackward0; next functions: n3, None (n4); saved: other = 2",
        "n6 operation MulBackward0, made z (2, 3); next functions: n5, n3; "
        "saved: self (2, 3), other = y (2, 3)",
        "n7 operation MeanBackward0; next functions: n6; saves nothing",
        "n8 tensor J, shape (), value 46.33, its grad_fn is n7",
    ]
    J.backward()
    after = lines(draw(J))
    assert after[0] == "Graph behind J, engine view: 1 leaf, 4 operations, 2 constants, 3 saved values freed."
    assert after[1].endswith(".grad is [[1.333, 2.0, 2.667], [3.333, 4.0, 4.667]]")
    assert after[7].endswith("saved: self (freed), other (freed)")
    assert "freed" not in before.text  # a drawing is a photograph: it doesn't change afterwards


def test_an_in_place_write_after_saving_is_shown_with_both_versions():
    x = leaf([1.0, 2.0])
    w = x.exp()
    v = w * x
    w.add_(1)
    assert "! self (changed: now v1, saved at v0)" in draw(v).text
    assert "version 0" in draw(v, show="versions").text.splitlines()[1]


def test_custom_function():
    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            return a * b

        @staticmethod
        def backward(ctx, grad):
            a, b = ctx.saved_tensors
            return grad * b, grad * a

    x = leaf(2.0)
    y = Product.apply(x, x)
    saved = "saved: saved_tensors[0] and saved_tensors[1] = x 2.0"
    assert f"ProductBackward; next functions: n1, n1; {saved}" in draw(y).text
    y.backward()
    assert "saved: saved_tensors (freed)" in draw(y).text


# ---------------------------------------------------------------- the maths view

def test_maths_view_has_tensors_between_operations():
    x = leaf(3.0)
    y = x * x
    assert lines(draw(y, view="maths")) == [
        "Graph behind y, maths view: 1 leaf, 1 operation.",
        "n0 leaf x, shape (), value 3.0, .grad is None",
        "n1 operation \N{MULTIPLICATION SIGN}, takes n0 and n0; gives n2",
        "n2 tensor y, shape (), value 9.0, made by n1",
    ]


# ---------------------------------------------------------------- names

def test_names_given_found_and_off():
    x = leaf(2.0)
    y = x.exp()
    assert "leaf weight," in draw(y, names={"weight": x}).text
    assert "leaf x," in draw(y).text
    assert "leaf, shape" in draw(y, names=False).text


def test_several_names_don_t_depend_on_the_order_of_assignment():
    def first():
        bb = leaf(2.0)
        a = [bb]
        zzz = b = bb
        return draw(a[0].exp()).text, zzz, b

    def second():
        b = leaf(2.0)
        zzz = bb = b
        a = [b]
        return draw(a[0].exp()).text, zzz, bb

    assert "leaf b," in first()[0]
    assert first()[0] == second()[0]


# ---------------------------------------------------------------- folding


def test_a_wide_graph_folds_into_one_box():
    leaves = [leaf(float(at)) for at in range(60)]
    drawing = draw(torch.stack(leaves).sum(), names=False)
    assert [box.kind for box in drawing.picture.boxes].count("fold") == 1
    assert len(drawing.picture.boxes) <= 41


def many_steps(shape, steps):
    """Graphs of two nodes a step that nothing is shared in, that share a weight, and that keep every step."""
    x, weight, kept = leaf(0.5), leaf(0.25), []
    y = x
    for _ in range(steps):
        y = (y * weight).sin() if shape == "shared weight" else y.sin().cos()
        kept.append(y)
    return torch.stack(kept).sum() if shape == "kept steps" else y


@pictures
@pytest.mark.parametrize("shape", ["chain", "shared weight", "kept steps"])
@pytest.mark.parametrize("most", [40, None])
def test_the_work_grows_with_the_graph_and_no_faster(shape, most):
    drawing, work = counted_calls(lambda: draw(many_steps(shape, 100), max_nodes=most).svg)
    assert (drawing.count(">SinBackward0</text>") == 100) == (most is None)
    assert counted_calls(lambda: draw(many_steps(shape, 400), max_nodes=most).svg)[1] < 5 * work


@pictures
def test_long_arrows_of_a_large_picture_are_cut_to_their_end():
    x, weight = leaf(0.5), leaf(0.25)
    y = x
    for _ in range(150):
        y = (y * weight).sin()
    ends = re.findall(">(n[0-9]+ AccumulateGrad [^<]*)</text>", draw(y, max_nodes=None).svg)
    assert set(ends) == {"n3 AccumulateGrad weight.grad += ..."}
    assert 140 < len(ends) < 150  # those next to it have their arrows
    assert "next functions: n5, n3;" in draw(y, max_nodes=None).text


# ---------------------------------------------------------------- looking changes nothing

@pytest.mark.parametrize("view", ["engine", "maths"])
def test_drawing_changes_nothing(view):
    x, y, z, J = b4()
    nodes = [tensor.grad_fn for tensor in (y, z, J)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # reading the .grad of y would warn
        draw(J, view=view)
        draw([y, J, x], view=view)
    assert [tensor._version for tensor in (x, y, z, J)] == [0, 0, 0, 0]
    assert all(now.grad_fn is before for now, before in zip((y, z, J), nodes))
    assert x.grad is None
    J.backward()
    first = x.grad.tolist()
    draw(J, view=view)
    assert x.grad.tolist() == first


def test_a_drawing_keeps_no_tensor_and_no_node_alive():
    x = leaf(2.0)
    drawing = draw(x.exp() * x)
    stack, seen = [vars(drawing)], 0
    while stack:
        value = stack.pop()
        seen += 1
        if isinstance(value, dict):
            stack += [*value.keys(), *value.values()]
        elif isinstance(value, (list, tuple)):
            stack += value
        elif dataclasses.is_dataclass(value):
            stack.append(vars(value))
        else:
            assert value is None or type(value) in (str, int, bool)
    assert seen > 100


# ---------------------------------------------------------------- what a notebook gets

@pictures
def test_bundle():
    x, y, z, J = b4()
    drawing = draw(J, caption="A  caption & more.", legend=True)
    bundle = drawing._repr_mimebundle_()
    assert list(bundle) == ["text/html", "text/plain"]
    assert bundle["text/html"] == drawing.html and svgs_in(drawing.html) == [slim(drawing.svg)]
    assert bundle["text/plain"] == drawing.text == repr(drawing)
    alt = unescape(re.search('alt="([^"]+)"', drawing.html)[1])
    assert alt.startswith(lines(drawing)[0])
    assert "n7 operation MeanBackward0" in alt
    assert lines(drawing)[-1] == "Caption: A caption & more."
    assert "Legend." in drawing.svg
    assert "Legend." not in draw(J).svg


@pictures
def test_svg_is_clean_and_described():
    x, y, z, J = b4()
    drawing = draw(J)
    root = ElementTree.fromstring(drawing.svg)
    assert root.get("role") == "img"
    title, desc = list(root)[:2]
    assert title.text == "Graph behind J, engine view"
    assert desc.text == drawing.text
    assert root.get("aria-labelledby").split() == [title.get("id"), desc.get("id")]
    assert "<!--" not in drawing.svg
    assert "graphviz" not in drawing.svg.lower()
    assert "url(#" not in drawing.svg
    sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)"', drawing.svg)]
    assert min(sizes) >= 11


@pictures
def test_a_drawing_is_the_same_in_every_run():
    program = (
        f"import sys, {BACKEND} as torch\n"
        "from minigrad.viz import draw\n"
        "x = torch.tensor([1., 2., 3.], requires_grad=True)\n"
        "w = torch.tensor([4., 5., 6.], requires_grad=True)\n"
        "loss = (x * w + x).exp().mean(); loss.backward()\n"
        "drawing = draw(loss)\n"
        "sys.stdout.buffer.write((drawing.svg + drawing.dot + drawing.text).encode())\n"
    )
    runs = []
    for seed in ("1", "2"):
        path = os.pathsep.join([str(VIZ.parent.parent), os.environ.get("PYTHONPATH", "")])
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path}
        command = [sys.executable, "-c", program]
        runs.append(subprocess.run(command, env=environment, capture_output=True, check=True))
    assert runs[0].stdout == runs[1].stdout
    assert b"<svg" in runs[0].stdout
    assert not re.search(rb"0x[0-9a-f]{6}", runs[0].stdout)


@pictures
def test_save(tmp_path):
    x = leaf(3.0)
    drawing = draw(x * x)
    for name in ("x.svg", "x.dot", "x.txt", "x.PNG"):
        drawing.save(tmp_path / name)
    assert (tmp_path / "x.svg").read_text(encoding="utf-8") == drawing.svg
    assert (tmp_path / "x.dot").read_text(encoding="utf-8").startswith("digraph")
    assert (tmp_path / "x.txt").read_text(encoding="utf-8") == drawing.text + "\n"
    assert (tmp_path / "x.PNG").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match=r"can't save 'x.gif': a drawing saves as .svg, .png, .dot, "):
        drawing.save(tmp_path / "x.gif")
    assert not (tmp_path / "x.gif").exists()


@pictures
def test_save_pdf(tmp_path, monkeypatch):
    x = leaf(3.0)
    drawing = draw(x * x)
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "svglib", None)
        without.setitem(sys.modules, "svglib.svglib", None)
        with pytest.raises(CannotDraw, match="No PDF: svglib is not installed. To write one: pip install"):
            drawing.save(tmp_path / "x.pdf")
    pytest.importorskip("svglib")
    drawing.save(tmp_path / "x.pdf")
    assert (tmp_path / "x.pdf").read_bytes().startswith(b"%PDF")


@pictures
def test_a_long_text_twin_stands_in_a_list_below_the_picture():
    x = leaf(3.0)
    y = x
    for name in ("sin", "cos", "exp", "tanh") * 6:
        y = getattr(y, name)()
    drawing = draw(y, max_nodes=None)
    first, *rest = drawing.text.splitlines()
    assert f'alt="{first} The list below the picture says all of it."' in drawing.html
    assert drawing.html.count("<li>") == len(rest) and "<details><summary>" in drawing.html
    assert "<details>" not in draw(x * x).html


# ---------------------------------------------------------------- when something is missing

def only_a_line(drawing, *words):
    bundle = drawing._repr_mimebundle_()
    assert list(bundle) == ["text/plain"]
    hint, _, rest = bundle["text/plain"].partition("\n")
    assert rest == drawing.text
    assert all(word in hint for word in (*words, "pip install graphviz-pure"))
    return hint


def test_without_graphviz_pure(monkeypatch, tmp_path):
    monkeypatch.setattr(render, "dot_program", lambda: tmp_path / "graphviz-pure")
    x = leaf(3.0)
    drawing = draw(x * x)
    only_a_line(drawing, "graphviz-pure is not installed")
    drawing.save(tmp_path / "x.txt")
    drawing.save(tmp_path / "x.dot")
    with pytest.raises(RuntimeError, match="pip install"):
        drawing.save(tmp_path / "x.svg")


@pytest.mark.skipif(os.name == "nt", reason="a script that fails is written for a Unix shell")
def test_a_graphviz_that_fails(monkeypatch, tmp_path):
    broken = tmp_path / "graphviz-pure"
    broken.write_text("#!/bin/sh\necho out of paper >&2\nexit 3\n", encoding="utf-8")
    broken.chmod(0o755)
    monkeypatch.setattr(render, "dot_program", lambda: broken)
    x = leaf(3.0)
    only_a_line(draw(x * x), "graphviz-pure failed with code 3 (out of paper).")


# ---------------------------------------------------------------- odd input


def test_unknown_view_and_wrong_names():
    x = leaf(3.0)
    with pytest.raises(ValueError, match="unknown view 'math': choose 'engine', 'maths' or 'modules'"):
        draw(x, view="math")
    with pytest.raises(TypeError, match="names must be a dict"):
        draw(x, names=["x"])


@pytest.mark.parametrize("view", ["engine", "maths"])
def test_a_tensor_without_history_is_a_lone_box(view):
    x, c = leaf([1.0, 2.0]), torch.tensor([1, 2, 3])
    assert lines(draw(x, view=view))[1:] == ["n0 leaf x, shape (2,), value [1.0, 2.0], .grad is None"]
    assert lines(draw(c, view=view))[1:] == ["n0 constant c, shape (3,), value [1, 2, 3]"]
    assert [box.kind for box in draw([x, x], view=view).picture.boxes] == ["leaf"]


def reached(file, node):
    """The name of what an import takes, from the folder of viz on: "" is viz itself; None: outside."""
    package = list(file.relative_to(VIZ).parts[:-1])
    if node.level > len(package) + 1:
        return None
    return ".".join([*package[:len(package) + 1 - node.level], *filter(None, [node.module])])


def test_viz_stands_on_public_names_alone():
    """No import of torch, numpy or the core at any level: it draws whatever behaves like a tensor."""
    allowed = set(sys.stdlib_module_names) | {"ipywidgets", "IPython", "svglib", "reportlab"}
    built = VIZ / "packaging"       # runs when the distribution is built, and is not in it
    files = sorted(file for file in VIZ.rglob("*.py") if built not in file.parents)
    assert "player" in {file.parent.name for file in files}
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert {name.name.partition(".")[0] for name in node.names} <= allowed, file
            elif isinstance(node, ast.ImportFrom) and node.level:
                assert reached(file, node) is not None, file
            elif isinstance(node, ast.ImportFrom):
                assert node.module.partition(".")[0] in allowed, file
        assert len(file.read_text(encoding="utf-8").splitlines()) <= 250, file
