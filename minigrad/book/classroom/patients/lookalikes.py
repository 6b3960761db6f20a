"""Look-alikes: lines that look like a bug and change no number. Only a measurement tells them from a bug."""
from __future__ import annotations

from .bug import LookAlike
from .script import add, move, swap

SEEN = 'print("largest activation", round(model.seen.abs().max().item(), 3))'

LOOK_ALIKES = {one.name: one for one in (
    LookAlike("item_asserted", "`.item()` makes a number for the comparison; the loss keeps its graph.",
              ((add('assert not loss.item() > 1000, "the loss explodes"', after="after_loss"),),)),
    LookAlike("detached_copies",
              "`detach().clone()` copies the weights before training, and leaves the graph as it is.",
              ((add("before = [p.detach().clone() for p in model.parameters()]", before="epochs"),
                add('print("moved", [round((p - s).norm().item(), 2) '
                    'for p, s in zip(model.parameters(), before)])', after="trained")),)),
    LookAlike("data_counted", "`.data` is only read, and nothing is written to it.",
              ((add('weights = sum(p.data.numel() for p in model.parameters())\nprint("weights", weights)',
                    before="optimizer"),),)),
    LookAlike("zero_of_model",
              "It empties the drawers of the model's parameters, and the optimizer moves no others.",
              ((swap("zero", r"optimizer\.zero_grad", "model.zero_grad"),),), avoids="two clip"),
    LookAlike("seen_detached", "`self.seen` has no graph; the next layer reads `h` itself.",
              ((add("self.seen = h.detach()", after="h"), add(SEEN, after="trained")),)),
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
    LookAlike("size_printed",
              "Inside `no_grad()` the sizes of the weights are read, and nothing is written.",
              ((add('with torch.no_grad():\n'
                    '    largest = max(p.abs().max().item() for p in model.parameters())\n'
                    'print("largest weight", round(largest, 3))', after="trained"),),)),
    LookAlike("copy_written", "`spread` is a clone, so the write in place doesn't reach `x`.",
              ((add('spread = x.clone()\nspread -= x.mean(dim=0)\n'
                    'print("spread of x", round((spread ** 2).mean().item(), 3))', before="epochs"),),)),
    LookAlike("targets_detached", "Targets have no graph, so `detach()` does nothing.",
              ((swap("loss", r"y\[rows\]\)", "y[rows].detach())"),),
               (swap("loss", r"targets\)", "targets.detach())"),))),
    LookAlike("relu_in_place",
              "The ReLU writes over the output of the layer before it, which no formula needs.",
              ((swap("hidden", r"nn\.ReLU\(\)", "nn.ReLU(inplace=True)"),),)),
)}
