"""Bugs of the graph: a path that is cut, and memory that two names share."""
from __future__ import annotations

from ..bug import Bug
from ..lookalikes import SEEN
from ..script import add, swap

GRAPH_BUGS = (
    Bug("hidden_detached", "graph",
        "`h` is replaced by its detached copy, so the layers before it get no gradient and never move.",
        ((add("self.seen = h = h.detach()", after="h"), add(SEEN, after="trained", marked=False)),),
        ("Look at the drawer of every parameter after the backward pass.",
         "The first layers have no gradient. What lies between them and the loss?",
         "One line gives `h` a second meaning: the name that is kept, and the one the next layer reads."),
        fix="Write `self.seen = h.detach()`, so that `h` itself stays in the graph.",
        avoids="moons sway clamp two", price="none",
        measurements="drawers moved"),
    Bug("limit_data", "graph",
        "`.data` takes the limit out of the graph, so it gets no gradient and stays 1.",
        ((swap("gain", r"self\.limit \*", "self.limit.data *"),),),
        ("Which parameters have an empty drawer after the backward pass?",
         "The net learns, but one of its two single numbers stays where it started.",
         "Read the line of `forward` that uses the limit."),
        fix="Write `self.limit` in place of `self.limit.data`.", avoids="lab sway clamp", price="none",
        measurements="nudge"),
    Bug("offset_item", "graph",
        "`.item()` turns the offset into a Python number, so it gets no gradient and stays 0.",
        ((swap("gain", r"self\.offset$", "self.offset.item()"),),),
        ("Which parameters have an empty drawer after the backward pass?",
         "The net learns, but one of its two single numbers stays where it started.",
         "Read the line of `forward` that uses the offset."),
        fix="Write `self.offset` in place of `self.offset.item()`.", avoids="points clamp", price="none",
        measurements="nudge drawers moved"),
    Bug("average_alias", "graph",
        "The averages are made without `clone()`, so each shares its memory with a weight: the line that "
        "updates the average shrinks the weight itself.",
        ((swap("average", r"\.detach\(\)\.clone\(\)", ".detach()"),),),
        ("Does anything write to the weights beside the step? Compare their versions before and after.",
         "Two writes in each iteration reach the same memory.",
         "Compare `data_ptr()` of an average with that of its weight."),
        fix="Write `p.detach().clone()`.", avoids="accuracy", price="a copy of every weight",
        also="averaging",
        measurements="moved versions"),
    Bug("half_without_graph", "graph",
        "`.item()` takes the loss of one site out of the graph, so the gradient is that of the other site.",
        ((swap("sites", r"near \+ far\)", "near + far.item())"),),),
        ("Nudge a weight: does the loss change by as much as the gradient says?",
         "The nudge and the gradient differ. One term of the loss has no path to the weights.",
         "Which of the two losses has no `grad_fn` when they are added?"),
        fix="Add the two tensors.", avoids="accuracy", price="none", also="loss", measurements="nudge"),
)
