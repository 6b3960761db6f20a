"""Look-alikes: lines that look like a bug, change no number, and are here to be judged by measuring."""
from __future__ import annotations

from .bug import LookAlike
from .script import add, swap

LOOK_ALIKES = {one.name: one for one in (
    LookAlike("item_in_log", "`.item()` makes a number for the log; the loss itself keeps its graph.",
              ((add("size = loss.item()    # the log needs no graph", after="after_loss"),),)),
    LookAlike("clone_in_log", "`detach().clone()` copies the weights for a look at them, and leaves the graph "
              "as it is.",
              ((add("seen = [p.detach().clone() for p in model.parameters()]", after="after_step"),),)),
    LookAlike("data_at_start", "`.data` writes to the weights before training; no graph exists yet.",
              ((add("for p in model.parameters():\n    p.data = p.data.clone()", before="optimizer"),),)),
    LookAlike("zero_first", "Emptying drawers that are empty does nothing.",
              ((add("optimizer.zero_grad()", before="epochs"),),)),
    LookAlike("seen_detached", "`self.seen` is a copy without a graph; the next layer reads `h` itself.",
              ((add("self.seen = h.detach()    # for the plots", after="h"),),)),
    LookAlike("log_softmax_twice", "The log-softmax of a log-softmax is the same again.",
              ((swap("scores", r"model\(x\)", "torch.log_softmax(model(x), dim=1)"),),), needs="cross_entropy"),
)}
