"""How things look: one place for colours, shapes and sizes.

Colour is never the only sign: each kind of thing has its own shape, line and word. The canvas is
transparent and every text has a light plate of its own, for white paper and dark notebooks. The
colours are those of Okabe and Ito, for any kind of colour vision. Arial is one of three fonts whose
widths graphviz-pure knows.
"""
from typing import NamedTuple

from ..graph.model import UNREAD

FONT = "Arial"
AS_ARIAL = "font-size-adjust:.519"  # a font that steps in gets small letters as high as Arial's
SMALL_SIZE = 11  # points; nothing is smaller

INK = "#1A1A1A"
GREY = "#4D4D4D"
LINE = "#7A7A7A"  # arrows cross the canvas, so they must stand out from white and from black
PLATE = "#F7F7F2"
PAPER = "#FFFFFF"
TAB = "#D9D9D2"
LEAF = "#0072B2"
GRADIENT = "#E69F00"
PROBLEM = "#D55E00"
DRAWER = "#FFE9BF"
ADDED = "#009E73"
PALE = "#A6A6A6"
FAINT = "#666666"  # text that steps back; still dark enough to read

RANKS = {"right": "LR", "down": "TB"}
GRAPH = {"bgcolor": "transparent", "nodesep": "0.18", "ranksep": "0.32", "pad": "0.06",
         "fontname": FONT, "fontsize": str(SMALL_SIZE), "labelloc": "b", "labeljust": "l"}
# a large picture: stop polishing, which would take minutes
QUICK = {"nslimit": "1", "nslimit1": "1"}
# where arrows enter, leave, and pass by a box
SIDES = {"right": ("w", "e", "s"), "down": ("n", "s", "e")}
CLUSTER = {"peripheries": "0", "margin": "1"}
FRAME = {"style": "rounded", "color": LINE, "penwidth": "1", "labeljust": "l", "labelloc": "t",
         "margin": "6"}
TITLE = {False: {}, True: {"labeljust": "r"}}  # of a network's frame: where no arrow enters
LABEL = f'border="0" bgcolor="{PLATE}"'  # of a frame, and of what is written below the picture
NODE = {"fontname": FONT, "fontsize": "12", "fontcolor": INK, "color": GREY, "style": "filled",
        "fillcolor": PLATE, "penwidth": "1.2", "margin": "0.07,0.06"}
EDGE = {"fontname": FONT, "fontsize": str(SMALL_SIZE), "fontcolor": INK, "color": LINE,
        "penwidth": "1.4", "arrowsize": "0.8"}

BOXES = {
    "leaf": {"shape": "box", "style": "rounded,filled", "color": LEAF, "penwidth": "2.4"},
    "tensor": {"shape": "box", "style": "rounded,filled"},
    # Dashes run inside the plate, in the label: on its rim a dark page would swallow them. So for
    # freed tabs.
    "constant": {"shape": "box", "color": PAPER, "fillcolor": PAPER, "margin": "0.03,0.03"},
    "op": {"shape": "hexagon", "margin": "0,0", "fillcolor": PAPER, "ordering": "in"},
    "accumulate": {"shape": "box3d", "color": GRADIENT, "penwidth": "2", "margin": "0.1,0.05"},
    "fold": {"shape": "box", "peripheries": "2", "color": LINE},
}
# Arrows of the engine view point the way that the gradient will travel: from a node to its
# next_functions.
BARE = {"shape": "plain", "style": "solid"}  # a table without a box
# between an operation and its tabs
STEM = {"dir": "none", "penwidth": "4", "weight": "20", "minlen": "0"}
TO_THE_VALUE = {"dir": "both", "arrowtail": "tee", "arrowhead": "vee"}
CUT = {"color": LINE, "penwidth": "2", "arrowsize": "0.9"}
ARROWS = {
    "next": {"dir": "back", "style": "dashed"},
    "none": {"dir": "back", "style": "dotted", "arrowtail": "tee"},
    "variable": {"dir": "back", "color": GRADIENT, "penwidth": "2.2"},
    "grad_fn": {"dir": "back", "arrowtail": "vee"},
    "value": {"dir": "forward", "color": LINE},
    "cut": CUT,
    "view": {"dir": "none", "style": "dotted", "penwidth": "4", "constraint": "false"},
}
SECOND_LAYER = {"peripheries": "2", "color": LINE}
TABS = {  # state of a saved value: the cell that shows it
    "kept": f'bgcolor="{TAB}" color="{GREY}"',
    "freed": f'color="{GREY}" style="dashed"',
    "changed": f'color="{PROBLEM}" border="2"',
    **dict.fromkeys(("unreadable", *UNREAD), f'color="{GREY}" style="dotted"'),
}


class Mark(NamedTuple):
    """Something to notice about a box or an arrow: a word, a colour and a line."""

    word: str
    color: str
    width: float
    line: str = ""  # dashed, dotted; "" leaves the line as it is
    text: str = INK


MARKS = {
    "guilty": Mark("! problem", PROBLEM, 4),
    "here": Mark("\N{BLACK RIGHT-POINTING POINTER} now", GRADIENT, 4),
    "added": Mark("+ added", ADDED, 3.5),
    "removed": Mark("\N{MINUS SIGN} removed", PROBLEM, 2.5, "dashed"),
    "same": Mark("", PALE, 1, "", FAINT),
    "none": Mark("! no gradient", PROBLEM, 3),
    "nan": Mark("! NaN", PROBLEM, 2.5),
    "infinite": Mark("! infinite", PROBLEM, 2.5),
    "sends nan": Mark("! sends NaN", PROBLEM, 6),
    "sends infinite": Mark("! sends infinity", PROBLEM, 6),
    "path": Mark("path", PROBLEM, 3, "solid"),
    "gone": Mark("freed", LINE, 1.5, "dashed", FAINT),
}

LEGEND = {  # in this order, and only for what the picture holds
    "leaf": "blue rounded box: leaf tensor, with its .grad drawer",
    "tensor": "grey rounded box: tensor",
    "constant": "dashed box: constant, takes no gradient",
    "op": "hexagon: operation",
    "layer": "double hexagon: recorded by the backward pass itself (create_graph=True)",
    "accumulate": "orange box with a slot: AccumulateGrad, adds what arrives into .grad",
    "fold": "double box: folded part",
    "saved": "tab on a hexagon: saved value (dashed: freed)",
    "weight": "tab with a blue rim: a parameter and its .grad; the AccumulateGrad between them is "
              "not drawn",
    "next": "dashed arrow: an entry of next_functions, which the gradient follows",
    "none": "dotted line with a bar: None, no gradient goes there",
    "value": "arrow: value used",
    "view": "thick dotted line: one piece of memory, a base and its views",
    "cut": "broken line: the value went on, its history was cut off by the word in the gap",
}
