"""Marks on boxes and arrows, words on edges, and the files that a drawing saves."""
import dataclasses
import xml.etree.ElementTree as ElementTree

import pytest

from minigrad.viz import Drawing, draw
from minigrad.viz.drawing import render, style


@pytest.fixture
def drawing(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    return draw(y)


def marked(drawing, box=0, arrow=0, mark="guilty", label="[1.0, 2.0]"):
    picture = drawing.picture
    picture.boxes[box].mark = mark
    picture.arrows[arrow] = dataclasses.replace(picture.arrows[arrow], mark=mark, label=label)
    return Drawing(picture)


pictures = pytest.mark.skipif(not render.dot_program().exists(), reason="pip install graphviz graphviz-pure")


@pytest.mark.parametrize("mark", ["guilty", "here", "added", "removed", "gone"])
def test_a_mark_is_a_word_a_line_and_a_colour(drawing, mark):
    plain = drawing.text
    after = marked(drawing, box=2, arrow=1, mark=mark)
    look = style.MARKS[mark]
    assert f"n2 [{look.word}] operation MulBackward0" in after.text
    assert f"next functions: n1 [{look.word} [1.0, 2.0]], n1;" in after.text
    assert after.text.replace(f" [{look.word}]", "").replace(f" [{look.word} [1.0, 2.0]]", "") == plain
    node = next(line for line in after.dot.splitlines() if line.strip().startswith("n2 ["))
    assert f'penwidth={look.width}' in node.replace('"', "")
    assert look.color in node
    assert look.word in node


def test_marks_differ_without_their_colour():
    signs = [(mark.word, mark.width, mark.line) for mark in style.MARKS.values()]
    assert len(set(signs)) == len(signs)
    words = [mark.word for mark in style.MARKS.values()]
    assert len(set(words)) == len(words)
    assert [name for name, mark in style.MARKS.items() if not mark.word] == ["same"]


def test_words_on_an_edge_stand_on_a_plate_of_their_own(drawing):
    after = marked(drawing, arrow=1, mark="", label="2 < 3 & 4")
    assert "next functions: n1 [2 < 3 & 4], n1;" in after.text
    assert f'bgcolor="{style.PLATE}"' in after.dot
    assert "2 &lt; 3 &amp; 4" in after.dot


@pictures
def test_every_text_of_a_picture_lies_on_a_light_plate(torch):
    """On a dark page text would vanish on the canvas itself: each word lies inside some filled shape."""
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    w = torch.ones(2, 3, requires_grad=True)
    y = x * x
    d = y.detach()
    z = (d * w + y).sum()
    svg = draw(z, show="memory versions", legend=True, caption="A caption.").svg
    assert loose_texts(svg) == []
    assert loose_texts(svg.replace(style.PLATE.lower(), "none")) != []


LIGHT = {style.PLATE, style.PAPER, style.TAB, style.DRAWER, "WHITE"}


def loose_texts(svg):
    shapes, texts = [], []
    for element in ElementTree.fromstring(svg).iter():
        name = element.tag.rpartition("}")[2]
        if name in ("polygon", "path") and element.get("fill", "none").upper() in LIGHT:
            numbers = [float(n) for n in element.get("points", element.get("d", "")).replace(",", " ")
                       .translate(str.maketrans("MCLZHV", "      ")).split()]
            shapes.append((min(numbers[::2]), max(numbers[::2]), min(numbers[1::2]), max(numbers[1::2])))
        elif name == "text":
            texts.append((float(element.get("x")), float(element.get("y")), element.text))
    return [text for x, y, text in texts
            if not any(left <= x <= right and top <= y <= bottom for left, right, top, bottom in shapes)]
