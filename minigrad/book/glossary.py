"""The words of the book: what each means, in a sentence or two, and the chapter that brings it.

A chapter sets a new word in bold where it first uses it. The reader links that place, and the first use in
every other chapter, to the glossary.
"""
from __future__ import annotations

import re
from typing import NamedTuple


class Term(NamedTuple):
    name: str
    meaning: str  # `code` stands between backquotes
    chapter: int | None = None  # where it is explained
    forms: tuple[str, ...] = ()  # other ways it is written in a sentence
    see: tuple[str, ...] = ()

    @property
    def anchor(self) -> str:
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")


GLOSSARY = (
    Term("AccumulateGrad",
         "The node of a leaf that requires a gradient. It adds each gradient that "
         "arrives to the leaf's drawer.",
         3, see=("leaf", "drawer")),
    Term("anomaly mode",
         "A mode in which each node stores the line that recorded it. If a backward pass fails at the "
         "node, a warning shows this line. A NaN in a gradient is an error as well. The mode is slow.",
         8, ("anomaly detection",), see=("NaN",)),
    Term("autograd",
         "The part of PyTorch that records operations and computes gradients from what it recorded.",
         1, see=("automatic differentiation",)),
    Term("automatic differentiation",
         "Computing derivatives from the operations that ran, without nudges and without "
         "rearranging formulas.",
         1, see=("autograd", "chain rule")),
    Term("backward pass",
         "It computes gradients by following a graph from a result to the leaves. Each node gets the sum "
         "of its messages, multiplies it by its own slopes, and passes the products on.",
         2, ("backward passes",), see=("message", "graph")),
    Term("broadcasting",
         "Repeating numbers so that two shapes fit together. In the backward pass, the messages of the "
         "repeated numbers are added.", 13, ("broadcast",), see=("shape",)),
    Term("central difference",
         "The change of a result between a nudge down and a nudge up, divided by the distance between them.",
         1, ("central differences",), see=("forward difference", "slope")),
    Term("chain rule",
         "Multiply the slopes of the operations along each path from the result to an input, and add the "
         "products of all paths.", 4, see=("own slope",)),
    Term("constant",
         "A tensor that doesn't require a gradient. A backward pass sends nothing to it.",
         0, ("constants",), see=("leaf",)),
    Term("detach",
         "`y.detach()` returns a tensor with the values of `y` and no graph behind it. No gradient passes "
         "through it back to `y`. Both share memory.", 7, ("`detach`",), see=("no_grad", "view")),
    Term("drawer",
         "The attribute `.grad` of a leaf. A backward pass adds to it; it stays full until you empty it.",
         2, ("drawers",), see=("leaf", "zeroing")),
    Term("dtype",
         "The type of a tensor's numbers, such as float32 or int64. Only floating-point (or complex) numbers "
         "have slopes.",
         1, ("dtypes",)),
    Term("edge",
         "A link from a node to a node that receives its gradient next. The graph of `x * x` has two edges, "
         "to the same node.", 3, ("edges",), see=("node", "graph")),
    Term("evaluation",
         "Computing a result once, from its inputs.", 1, ("evaluations",), see=("forward pass",)),
    Term("evaluation mode",
         "What `model.eval()` switches on: layers such as `Dropout` compute as they should when a model is "
         "used, not trained. It doesn't stop recording.", 7, see=("no_grad",)),
    Term("forward difference",
         "The change of a result after a nudge, divided by the size of the nudge.",
         1, ("forward differences",), see=("central difference", "slope")),
    Term("forward pass",
         "The computation of a result from its inputs. The graph is built while it runs.",
         3, ("forward passes",), see=("backward pass",)),
    Term("freeze",
         "To switch off the flag of a leaf, such as a weight. A frozen weight gets no gradient; gradients "
         "still pass through the layer that it belongs to.", 7, ("frozen",), see=("detach", "requires_grad")),
    Term("freed",
         "Dropped by its node. A backward pass frees the saved tensors of each node that it runs, unless it "
         "is called with `retain_graph=True`.",
         6, see=("saved tensor", "retain_graph")),
    Term("function of your own",
         "A subclass of `torch.autograd.Function`, with a forward and a backward that you write.",
         13, ("custom Function", "custom Functions")),
    Term("gradcheck",
         "A test that compares the gradients of a function with nudges, at the inputs that you give it.",
         13, see=("nudge",)),
    Term("gradient",
         "The slopes of one number with respect to all numbers of a tensor, in that tensor's shape.",
         1, ("gradients",), see=("slope", "drawer")),
    Term("graph",
         "What was recorded while a result was computed. It consists of nodes and edges; a picture of it "
         "shows tensors as well.", 3, ("graphs",), see=("node", "edge", "leaf")),
    Term("hook",
         "A function that you register. It is called with a gradient during a backward pass, and may "
         "replace it.",
         9, ("hooks",), see=("message",)),
    Term("in place",
         "An operation works in place if it writes its result into the memory of a tensor that exists "
         "already, as `y += 1` and `y.add_(1)` do.",
         8, ("in-place",), see=("version", "saved tensor")),
    Term("inference tensor",
         "A tensor computed in an `inference_mode` block, in which nothing is recorded. A recorded operation "
         "can read it, but can't save it for the backward pass.",
         7, ("inference tensors", "`inference_mode`"), see=("no_grad", "saved tensor")),
    Term("Jacobian",
         "The matrix of the gradients of several outputs: a row for each output, a column for each input.",
         5, see=("vector-Jacobian product",)),
    Term("layer",
         "A function with weights of its own, which are leaves, such as `torch.nn.Linear(2, 2)`.",
         7, ("layers",), see=("parameter",)),
    Term("leaf",
         "A tensor that no recorded operation made. If it requires a gradient, it has a drawer.",
         2, ("leaves",), see=("drawer", "requires_grad")),
    Term("learning rate",
         "How far an optimizer moves a parameter for each unit of its gradient.", 10, see=("optimizer",)),
    Term("loss",
         "The one number that says how wrong a model is. Training makes it small.",
         1, ("losses",), see=("parameter", "optimizer")),
    Term("message",
         "The gradient on an edge. It tells a node how much the tensor that the pass started from changes "
         "per unit of what the node's operation produced.", 4, ("messages",), see=("backward pass", "edge")),
    Term("momentum",
         "A part of the last step that an optimizer adds to the next one.", 10, see=("optimizer",)),
    Term("NaN",
         '"Not a number", such as the result of 0 times infinity. What is computed from it is NaN as well.',
         11, see=("anomaly mode",)),
    Term("no_grad",
         "A block in which no operation is recorded. It doesn't change the flag of any tensor.",
         7, ("`no_grad`",), see=("detach", "inference tensor", "evaluation mode")),
    Term("node",
         "An object that belongs to a recorded operation, or to a leaf. It passes gradients back along its "
         "edges.", 3, ("nodes",), see=("graph", "saved tensor")),
    Term("nudge",
         "A small change of one input, to see how much a result changes.", 1, ("nudges", "nudging"),
         see=("slope",)),
    Term("optimizer",
         "An object that moves parameters against their gradients. It doesn't compute the gradients.",
         9, ("optimizers",), see=("parameter", "learning rate")),
    Term("own slope",
         "How much the result of one operation changes per unit of one of its inputs. Its node multiplies "
         "messages by it.",
         4, ("own slopes",), see=("message", "chain rule")),
    Term("parameter",
         "A leaf that training moves, such as the weights of a layer.",
         9, ("parameters",), see=("leaf", "optimizer")),
    Term("record",
         "To record an operation is to make a node for it while it runs.", 3, see=("graph",)),
    Term("requires_grad",
         "The flag that says whether a tensor requires a gradient. Most floating-point results that are "
         "computed from such a tensor have it as well.",
         0, ("`requires_grad`",), see=("leaf",)),
    Term("retain_graph",
         "An argument of `backward`: with `retain_graph=True`, a pass frees no saved tensor.",
         6, ("`retain_graph`", "`retain_graph=True`"), see=("freed",)),
    Term("root",
         "The tensor that a backward pass starts from.", 5, ("roots",), see=("backward pass",)),
    Term("saved tensor",
         "A tensor that a node stores because its slopes are computed from it. It is not a copy.",
         6, ("saved tensors",), see=("freed", "version", "tab")),
    Term("scalar",
         "A tensor that holds one number.", 5, ("scalars",)),
    Term("shape",
         "How many numbers a tensor has in each direction: `(2, 3)` is two rows of three.", 1, ("shapes",)),
    Term("slope",
         "How much a result changes per unit of nudge of one number, for small nudges.",
         1, ("slopes",), see=("gradient", "nudge")),
    Term("tab",
         "In the pictures: the grey field on a node that shows a saved tensor. Its outline is dashed when "
         "the tensor was freed.", 6, ("tabs",), see=("saved tensor",)),
    Term("tensor",
         "A grid of numbers that can remember how it was computed.", 0, ("tensors",)),
    Term("upstream",
         "`a` is upstream of `t` if `t` is computed from `a`, directly or in several steps.", 7),
    Term("vector-Jacobian product",
         "`v @ J`: each row of the Jacobian times the weight of its output, all added. A backward pass "
         "computes it without building J.", 5, see=("Jacobian",)),
    Term("version",
         "A number that goes up with every write into a tensor that autograd counts. A saved tensor is "
         "stored with its version, and `backward()` compares.",
         8, ("versions", "version counter"), see=("in place", "saved tensor")),
    Term("view",
         "A tensor that shares the memory of another one, such as `x[0]`. A write to one changes both.",
         8, ("views",), see=("in place", "detach")),
    Term("zeroing",
         "Emptying the drawers before the next pass, with `x.grad = None` or an optimizer's `zero_grad()`.",
         2, ("`zero_grad()`",), see=("drawer",)),
)
