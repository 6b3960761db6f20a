"""Look-alikes: lines that look like a bug and change no number. Only a measurement tells them from a bug."""
from __future__ import annotations

from .bug import LookAlike
from .script import add, move, swap

LOOK_ALIKES = {one.name: one for one in (
    LookAlike("item_in_log", "`.item()` makes a number for the log; the loss itself keeps its graph.",
              ((add("size = loss.item()    # the log needs no graph", after="after_loss"),),)),
    LookAlike("detached_copies",
              "`detach().clone()` copies the weights for a look at them, and leaves the graph as it is.",
              ((add("seen = [p.detach().clone() for p in model.parameters()]", after="after_step"),),)),
    LookAlike("data_at_start",
              "`.data` writes to the weights before training, when there is no graph yet, and writes "
              "what they hold already.",
              ((add("for p in model.parameters():\n    p.data = p.data.clone()    # one block of memory each",
                    before="optimizer"),),)),
    LookAlike("zero_first", "Emptying drawers that are empty does nothing.",
              ((add("optimizer.zero_grad()", before="epochs"),),)),
    LookAlike("seen_detached", "`self.seen` is a copy without a graph; the next layer reads `h` itself.",
              ((add("self.seen = h.detach()    # for the plots", after="h"),),)),
    LookAlike("log_softmax_twice", "The log-softmax of a log-softmax is the same again.",
              ((swap("scores", r"model\(x\)", "torch.log_softmax(model(x), dim=1)"),),),
              needs="cross_entropy"),
    LookAlike("graph_retained",
              "`retain_graph=True` keeps what the pass saved, and nothing uses it again. It costs "
              "memory, and no number changes.",
              ((swap("pass", r"backward\(\)", "backward(retain_graph=True)"),),)),
    LookAlike("second_optimizer",
              "Each weight is held by one of the two optimizers, both have the same rate, and both are "
              "emptied and step.",
              ((swap("optimizer", r"^optimizer = (torch\.optim\.\w+)\(model\.parameters\(\), (.*)$",
                     r"body = [p for name, p in model.named_parameters() if not name.startswith('head')]\n"
                     r"optimizer = \1(body, \2\nfor_head = \1(model.head.parameters(), \2"),
                add("for_head.zero_grad()", after="zero"), add("for_head.step()", after="step")),),
              needs="head one", avoids="schedule halving gain"),
    LookAlike("zero_at_the_end",
              "The drawers are emptied after the step, so they are empty when the next pass begins.",
              ((move("zero", after="step"),),), avoids="slices micro two"),
    LookAlike("size_in_log",
              "Inside `no_grad()` the sizes of the weights are read, and nothing is written.",
              ((add("with torch.no_grad():\n    size = max(p.abs().max().item() for p in model.parameters())",
                    after="after_step"),),)),
    LookAlike("copy_written", "`shifted` is a clone, so the write in place doesn't reach `x`.",
              ((add("shifted = x.clone()\nshifted -= shifted.mean(dim=0)    # for the plots",
              before="epochs"),),)),
    LookAlike("targets_detached", "Targets have no graph, so `detach()` does nothing.",
              ((swap("loss", r"y\[rows\]\)", "y[rows].detach())"),),
               (swap("loss", r"targets\)", "targets.detach())"),))),
    LookAlike("relu_in_place",
              "The ReLU writes over the output of the layer before it, which no formula needs.",
              ((swap("hidden", r"nn\.ReLU\(\)", "nn.ReLU(inplace=True)"),),)),
)}
