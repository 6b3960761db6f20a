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
    asked: str = ""  # what a sheet says of it instead, where its meaning would answer a vote of this sheet

    @property
    def anchor(self) -> str:
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")

    @property
    def short(self) -> str:
        """The first sentence of its meaning."""
        return re.split(r"(?<=\.) (?=[A-Z`])", self.meaning)[0]

    @property
    def on_sheets(self) -> str:
        """What a sheet says of it beside a vote."""
        return self.asked or self.short


GLOSSARY = (
    Term("AccumulateGrad",
         "The node of a leaf that requires a gradient. It adds each gradient that "
         "arrives to the leaf's drawer.",
         3, see=("leaf", "drawer")),
    Term("accuracy",
         "The fraction of images, or other examples, for which a network gives the right answer.",
         10, see=("test set",)),
    Term("Adam",
         "An optimizer that divides a running mean of each weight's gradients by the root of a running mean "
         "of their squares.",
         9, see=("optimizer", "momentum")),
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
         "of its messages, multiplies it by its local derivatives, and passes the products on.",
         2, ("backward passes",), see=("message", "graph")),
    Term("BatchNorm",
         "A layer that subtracts a mean and divides by a spread: those of the batch in training mode, and "
         "running averages of them in evaluation mode.",
         15, ("`BatchNorm1d`",), see=("dropout",)),
    Term("broadcasting",
         "Repeating numbers so that two shapes fit together. In the backward pass, the messages of the "
         "repeated numbers are added.", 5, ("broadcast",), see=("shape",)),
    Term("central difference",
         "The change of a result between a nudge down and a nudge up, divided by the distance between them.",
         1, ("central differences",), see=("forward difference", "slope")),
    Term("chain rule",
         "Multiply the local derivatives of the operations along each path from the result to an input, and "
         "add the products of all paths.", 4, see=("local derivative", "path")),
    Term("clipping",
         "Scaling all gradients by one factor, so that the vector of them is at most as long as you say.",
         15, see=("gradient", "optimizer")),
    Term("constant",
         "A tensor that doesn't require a gradient. A backward pass sends nothing to it.",
         0, ("constants",), see=("leaf",)),
    Term("create_graph",
         "An argument of `backward` and `grad`: with `create_graph=True`, the operations of the pass are "
         "recorded, so that its gradients can be differentiated.",
         13, ("`create_graph=True`",), see=("retain_graph", "second derivative"),
         asked="An argument of `backward` and `grad`, `True` or `False`."),
    Term("cross-entropy",
         "A loss for scores of classes: minus the logarithm of the probability that their softmax gives to "
         "the right class.",
         10, see=("loss",)),
    Term("curvature",
         "The second derivative of a function along a direction v of length 1: v · (H · v).",
         13, ("curvatures",), see=("second derivative", "Hessian-vector product")),
    Term("dead ReLU",
         "A ReLU whose inputs are all negative. It returns zeros, and sends zeros back.", 12,
         ("dead ReLUs",)),
    Term("detach",
         "`y.detach()` returns a tensor with the values of `y` and no graph behind it. No gradient passes "
         "through it back to `y`. Both share memory.", 7, ("`detach`",), see=("no_grad", "view")),
    Term("double where",
         "One `torch.where` before an operation gives it a safe input; another one behind it chooses the "
         "results.", 12, see=("NaN",)),
    Term("dropout",
         "A layer against overfitting. In training mode, it sets each of its inputs to 0 with a given "
         "probability, and scales up the others.", 10, see=("evaluation mode", "overfit")),
    Term("drawer",
         "The attribute `.grad` of a leaf. A backward pass adds to it; it stays full until you empty it.",
         2, ("drawers",), see=("leaf", "zeroing")),
    Term("dtype",
         "The type of a tensor's numbers, such as float32 or int64. Only floating-point (or complex) numbers "
         "have slopes.",
         1, ("dtypes",)),
    Term("dual number",
         "A value and its tangent, computed together by forward mode.", 13, ("dual numbers",),
         see=("forward mode",)),
    Term("edge",
         "A link from a node to a node that receives its gradient next. The graph of `x * x` has two edges, "
         "to the same node.", 3, ("edges",), see=("node", "graph")),
    Term("epoch",
         "One pass of a training loop through all examples of the training set.",
         10, ("epochs",)),
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
    Term("forward mode",
         "Computing, along with each value, how fast it changes if the inputs move in one direction. It "
         "gives J times this direction.", 13, see=("dual number", "backward pass", "Jacobian")),
    Term("freeze",
         "To switch off the flag of a leaf, such as a weight. A frozen weight gets no gradient; gradients "
         "still pass through the layer that it belongs to.", 7, ("frozen",), see=("detach", "requires_grad")),
    Term("exploding gradients",
         "Gradients that grow from layer to layer of the backward pass, until a step is far too large.",
         11, ("explode",), see=("vanishing gradients",)),
    Term("freed",
         "Dropped by its node. By default, a backward pass frees the saved tensors of each node that it "
         "runs; `retain_graph=True` keeps them.",
         6, see=("saved tensor", "retain_graph")),
    Term("function of your own",
         "A subclass of `torch.autograd.Function`, with a forward and a backward that you write.",
         14, ("custom Function", "custom Functions")),
    Term("gradcheck",
         "A test that compares the gradients of a function with nudges, at the inputs that you give it.",
         14, see=("nudge",)),
    Term("gradient",
         "The slopes of one number with respect to all numbers of a tensor, in that tensor's shape.",
         1, ("gradients",), see=("slope", "drawer")),
    Term("gradient accumulation",
         "A pass adds its gradient to what a drawer already holds. It is used on purpose when several "
         "mini-batches share one step.",
         2, see=("drawer", "mini-batch")),
    Term("gradient penalty",
         "A part of a loss that is computed from a gradient, so that training makes this gradient small.",
         13, ("gradient penalties",), see=("create_graph",)),
    Term("graph",
         "The nodes and edges behind a result. A picture of a graph shows tensors as well.",
         3, ("graphs",), see=("node", "edge", "leaf")),
    Term("Hessian",
         "The matrix of the second derivatives of one number. Row i holds the derivatives of element i of "
         "the gradient.", 13, see=("second derivative", "Hessian-vector product")),
    Term("Hessian-vector product",
         "The Hessian H, the matrix of all second derivatives, times a vector v. It says how fast the "
         "gradient changes if the inputs move along v; a backward pass computes it without building H.",
         13, see=("Hessian",)),
    Term("hook",
         "A function that you register. It is called with a gradient during a backward pass, and may "
         "replace it.",
         11, ("hooks",), see=("message",)),
    Term("in place",
         "An operation works in place if it writes its result into the memory of a tensor that exists "
         "already, as `y += 1` and `y.add_(1)` do.",
         8, ("in-place",), see=("version", "saved tensor")),
    Term("inference tensor",
         "A tensor with memory of its own, created in an `inference_mode` block. A recorded operation can "
         "read it, but can't save it for the backward pass.",
         7, ("inference tensors", "`inference_mode`"), see=("no_grad", "saved tensor")),
    Term("Jacobian",
         "The matrix of the gradients of several outputs: a row for each output, a column for each input.",
         5, see=("vector-Jacobian product",)),
    Term("layer",
         "One step of a model, such as `torch.nn.Linear(2, 2)`. A layer can have weights of its own, which "
         "are leaves.",
         7, ("layers",), see=("parameter",)),
    Term("leaf",
         "A tensor that no recorded operation made. If it requires a gradient, it has a drawer.",
         2, ("leaves",), see=("drawer", "requires_grad")),
    Term("learning rate",
         "How far an optimizer moves a parameter for each unit of its gradient.", 10, see=("optimizer",)),
    Term("local derivative",
         "How much the result of one operation changes per unit of one of its inputs, while the other inputs "
         "stay the same. Its node multiplies messages by it.",
         4, ("local derivatives",), see=("message", "chain rule"),
         asked="The slope of one operation with respect to one of its inputs."),
    Term("log-sum-exp",
         "The logarithm of a sum of exponentials. It is computed from differences to the largest number, "
         "so that no exponential is too large.", 10, see=("NaN",)),
    Term("loss",
         "The one number that says how wrong a model is. Training makes it small.",
         1, ("losses",), see=("parameter", "optimizer")),
    Term("message",
         "The gradient on an edge. It tells a node how much the tensor that the pass started from changes "
         "per unit of what the node's operation produced.", 4, ("messages",), see=("backward pass", "edge"),
         asked="A gradient on its way to a node."),
    Term("mini-batch",
         "A small part of the training data. Usually each mini-batch has a step of its own.",
         9, ("mini-batches",), see=("gradient accumulation", "epoch")),
    Term("momentum",
         "An option of an optimizer: each step also contains a part of the last one, so old gradients still "
         "count.", 9, see=("optimizer", "weight decay")),
    Term("mutant",
         "A copy of a program with one small bug. A test kills it if the right program passes, and it fails.",
         14, ("mutants",)),
    Term("NaN",
         '"Not a number", such as the result of 0 times infinity. What is computed from it is NaN as well.',
         12, see=("anomaly mode",)),
    Term("no_grad",
         "A block in which no operation is recorded, unless something in it switches recording on again. It "
         "doesn't change the flag of any tensor.",
         7, ("`no_grad`",), see=("detach", "inference tensor", "evaluation mode")),
    Term("node",
         "An object that belongs to a recorded operation, or to a leaf. It passes gradients back along its "
         "edges.", 3, ("nodes",), see=("graph", "saved tensor")),
    Term("nudge",
         "A small change to one input, made to see how much a result changes.", 1, ("nudges", "nudging"),
         see=("slope",)),
    Term("optimizer",
         "An object that moves parameters against their gradients. It doesn't compute the gradients.",
         9, ("optimizers",), see=("parameter", "learning rate")),
    Term("overfit",
         "A network overfits if it does much better on its training set than on new examples.",
         10, ("overfits", "overfitting"), see=("test set", "dropout")),
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
    Term("path",
         "A way along edges from a result to a leaf. The chain rule adds the products of all paths.",
         4, ("paths",), see=("chain rule", "edge")),
    Term("reverse mode",
         "Computing derivatives by backward passes.", 13, see=("backward pass", "forward mode")),
    Term("root",
         "The tensor that a backward pass starts from.", 5, ("roots",), see=("backward pass",)),
    Term("saved tensor",
         "A tensor that a node stores because its slopes are computed from it. It is not a copy.",
         6, ("saved tensors",), see=("freed", "version", "tab")),
    Term("scalar",
         "A tensor that holds one number.", 5, ("scalars",)),
    Term("second derivative",
         "The derivative of a derivative.", 13, ("second derivatives",), see=("create_graph", "Hessian")),
    Term("shape",
         "How many numbers a tensor has in each direction: `(2, 3)` is two rows of three.", 1, ("shapes",)),
    Term("silent bug",
         "A mistake in a program that raises no error. You find it by measuring.",
         15, ("silent bugs",)),
    Term("slope",
         "How much a result changes per unit of nudge of one number, for small nudges.",
         1, ("slopes",), see=("gradient", "nudge")),
    Term("stale gradient",
         "A gradient of an earlier pass that is still in a drawer. A step uses it.",
         9, ("stale",), see=("drawer", "freeze")),
    Term("tab",
         "In the pictures: the grey field on a node that shows a saved tensor. Its outline is dashed when "
         "the tensor was freed.", 6, ("tabs",), see=("saved tensor",)),
    Term("tangent",
         "How fast a value changes if the inputs move in one direction. Forward mode computes it along with "
         "the value.", 13, ("tangents",), see=("forward mode", "dual number")),
    Term("tensor",
         "A grid of numbers that can remember how it was computed.", 0, ("tensors",)),
    Term("test set",
         "Examples that a network is never trained on, and that are measured once, at the end. They show how "
         "good it is on new ones.", 10, see=("accuracy", "validation set")),
    Term("upstream",
         "`a` is upstream of `t` if `t` is computed from `a`, directly or in several steps.", 7),
    Term("validation set",
         "Examples that a network is never trained on, and by which you choose. The test set isn't used for "
         "that.", 10, see=("test set",)),
    Term("vanishing gradients",
         "Gradients that shrink from layer to layer of the backward pass, until the first layers hardly "
         "learn.", 11, ("vanish",), see=("exploding gradients",)),
    Term("vector-Jacobian product",
         "`v @ J`: each row of the Jacobian times the coefficient of its output, all added. A backward pass "
         "computes it without building J.", 5, see=("Jacobian",)),
    Term("version",
         "A number that goes up with every write into a tensor that autograd counts. A saved tensor is "
         "stored with its version, and `backward()` compares.",
         8, ("versions", "version counter"), see=("in place", "saved tensor"),
         asked="A number that belongs to a tensor; `t._version` shows it."),
    Term("view",
         "A tensor that shares the memory of another one, such as `x[0]`. A write to one changes both.",
         8, ("views",), see=("in place", "detach"), asked="A tensor that shares the memory of another one."),
    Term("weight decay",
         "An option of an optimizer: it adds a multiple of each parameter to its gradient, which pulls the "
         "parameter towards 0.", 9, see=("optimizer", "momentum")),
    Term("zeroing",
         "Emptying the drawers before the next pass, with `x.grad = None` or an optimizer's `zero_grad()`.",
         2, ("`zero_grad()`",), see=("drawer",)),
)

FORMS = {form.lower(): term for term in GLOSSARY for form in (term.name, *term.forms) if "`" not in form}
IN_CODE = {form.strip("`"): term for term in GLOSSARY for form in term.forms if "`" in form}
LONGEST_FIRST = "|".join(map(re.escape, sorted(FORMS, key=len, reverse=True)))
# The same letters in another sense:
NOT_MEANT = (r"in place of|leaves (?:an?|the|no|nothing|behind|it|out)|square roots?|from the edge|"
             r"engine view|maths view")
WORD = re.compile(rf"(?<![\w.-])(?:{NOT_MEANT}|({LONGEST_FIRST}))(?![\w-]|\.\w)", re.IGNORECASE)
SCHOOL = ("slope",)  # what TEACHERS.md asks a class to know


def terms_in(text: str) -> list[Term]:
    """Return the terms that some Markdown uses, in code as well, in the order of the glossary."""
    code, words = re.findall("`([^`]+)`", text), re.sub("`[^`]*`", "` `", text)
    found = {FORMS[word.lower()] for word in WORD.findall(words) if word}
    found |= {IN_CODE[part] for part in code if part in IN_CODE}
    return [term for term in GLOSSARY if term in found]
