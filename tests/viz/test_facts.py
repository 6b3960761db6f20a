"""What a picture says on demand: memory, versions, places, views, layers; and that it is said once."""
import pytest

from minigrad.viz import draw, why


def leaf(torch, *values):
    return torch.tensor(list(values), requires_grad=True)


# ---------------------------------------------------------------- memory

def test_memory_counts_every_storage_once(torch):
    x = torch.ones(1000, requires_grad=True)
    e = x.exp()
    y = e.sin() * e
    drawing = draw(y, show="memory")
    assert "Note: Saved values hold 8,000 bytes in 2 pieces of memory, each counted once." in drawing.text
    assert "result = e (1000,) 4,000 bytes" in drawing.text
    assert "bytes" not in draw(y).text


# ---------------------------------------------------------------- versions and gradients

def test_versions_of_tensors_and_of_what_was_saved(torch):
    x = leaf(torch, 1.0, 2.0)
    w = x * 2.0
    w.add_(1.0)
    y = w.sin()
    assert "saved: self = w (2,) v1" in draw(y, show="versions").text
    w.add_(1.0)
    text = draw([y, w], show="versions").text
    assert "saved: ! self (changed: now v2, saved at v1)" in text
    assert "tensor w, shape (2,), value [4.0, 6.0], version 2" in text
    assert "version" not in draw(x.exp()).text


# ---------------------------------------------------------------- places

def test_places_are_known_in_anomaly_mode(torch):
    x = leaf(torch, 1.0, 2.0)
    with torch.autograd.set_detect_anomaly(True):
        y = x * x
    z = y.sin()
    text = draw(z, show="places").text
    line = test_places_are_known_in_anomaly_mode.__code__.co_firstlineno + 3
    assert f"operation MulBackward0, made y (2,), test_facts.py:{line}; next" in text
    assert "operation SinBackward0; next" in text
    assert "test_facts" not in draw(z).text


def test_a_place_in_a_notebook_is_a_cell_and_a_line(torch):
    from minigrad.viz.program import node_lines
    assert node_lines.short("/tmp/ipykernel_12345/67890.py", 2) == "line 2 of a cell"
    assert node_lines.short("<cell>", 2) == "line 2 of a cell"
    assert node_lines.short("C:\\Users\\somebody\\train.py", 12) == "train.py:12"


# ---------------------------------------------------------------- views and writes

def test_a_view_and_its_base(torch):
    x = leaf(torch, 1.0, 2.0, 3.0)
    b = x * 2.0
    v = b[:2]
    drawing = draw([b, v])
    assert "tensor v, shape (2,), value [2.0, 4.0], view of b" in drawing.text
    (link,) = [arrow for arrow in drawing.picture.arrows if arrow.kind == "view"]
    assert [drawing.picture.boxes[at].title for at in (link.tail, link.head)] == ["b", "v"]
    assert "made v (2,) (view of b)" in draw(v.sin()).text
    u = b[1:]
    picture = draw([b, v, u]).picture
    links = [(link.tail, link.head) for link in picture.arrows if link.kind == "view"]
    assert [{picture.boxes[at].title for at in link} for link in links] == [{"b", "u"}, {"v", "u"}]
    assert "SliceBackward0, dim = 0, start = 1; next" in draw(u).text  # it goes to the end


def test_a_write_into_a_view_rewires_both(torch):
    x = leaf(torch, 1.0, 2.0, 3.0)
    b = x * 2.0
    v = b[:2]
    v.mul_(10.0)
    assert [line.partition(" ")[2] for line in draw([b, v]).text.splitlines()[5:]] == [
        "constant, value not kept",
        "operation CopySlices, a write into a view; next functions: n3, None (n4); saves nothing",
        "operation AsStridedBackward0; next functions: n5; saves nothing",
        "tensor b, shape (3,), value [20.0, 40.0, 6.0], its grad_fn is n5",
        "tensor v, shape (2,), value [20.0, 40.0], view of b, its grad_fn is n6",
    ]


# ---------------------------------------------------------------- broadcasting

def test_edges_say_what_broadcasting_does(torch):
    w, x = leaf(torch, 1.0, 2.0, 3.0), torch.ones(2, 3, requires_grad=True)
    y = w * x
    arrow = "\N{RIGHTWARDS ARROW}"
    assert f"next functions: n1 [(3,){arrow}(2, 3)], n3;" in draw(y).text
    assert f"takes n0 [(3,){arrow}(2, 3)] and n1" in draw(y, view="maths").text
    assert arrow not in draw(x * x).text
    assert arrow not in draw(x @ x.t()).text


# ---------------------------------------------------------------- the second layer

def test_what_a_backward_pass_recorded_is_a_second_layer(torch):
    x = torch.tensor(2.0, requires_grad=True)
    y = x.sin()
    g, = torch.autograd.grad(y, x, create_graph=True)
    after = g * 3.0
    drawing = draw([y, after])
    layers = {box.title: box.layer for box in drawing.picture.boxes if box.kind == "op"}
    assert layers["SinBackward0"] == 1
    assert layers["CosBackward0"] == 2
    text = drawing.text
    assert "operation CosBackward0, layer 2;" in text
    (last,) = [line for line in text.splitlines() if "None" in line and "MulBackward0; next" in line]
    assert "layer" not in last  # the line after the pass is the program's own again


# ---------------------------------------------------------------- before, during and after

def test_a_drawing_made_inside_a_hook(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x.sin()
    z = y * y
    seen = []
    y.register_hook(lambda gradient: seen.append(draw(z, names={"x": x, "y": y, "z": z}).text))
    z.sum().backward()
    (text,) = seen
    assert "SinBackward0, made y (2,) (1 hook); next functions: n1; saved: self = x (2,)" in text
    assert "MulBackward0; next functions: n2, n2; saved: self (freed), other (freed)" in text
    assert ".grad is None" in text
    after = draw(z).text
    assert "saved: self (freed)" in after
    assert ".grad is None" not in after


def test_unknown_words_are_refused_in_one_line(torch):
    x = leaf(torch, 1.0)
    with pytest.raises(ValueError, match="unknown word 'version' in show: choose from versions, memory"):
        draw(x, show="version")


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_a_nested_tensor_has_no_single_shape():
    torch = pytest.importorskip("torch")
    parts = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], requires_grad=True)
    whole = torch.nested.to_padded_tensor(parts * 2, 0.0).sum()
    assert "leaf parts, .grad is None" in draw(whole).text
    assert "whole was computed from parts" in why(parts).text
