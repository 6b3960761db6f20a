"""Builds, draws, runs backward and frees a large graph, and prints what that took.

    python -m tests.systems.faults.large_graph SHAPE NODES DRAWN     DRAWN: yes or no

Memory is counted in blocks of Python's allocator, as on every system; what is left of them is a leak. A graph
that is freed by recursion ends with a RecursionError or a segmentation fault.
"""
import contextlib
import gc
import json
import sys
import time

import minigrad as torch
from minigrad.viz import draw


def chain(x, nodes):
    for _ in range(nodes):
        x = x * 1.0
    return x


def wide(x, nodes):
    return torch.stack([x * 1.0 for _ in range(nodes)]).sum()


def tree(x, nodes):
    level = [x * 1.0 for _ in range(nodes // 2)]
    while len(level) > 1:
        level = [a + b for a, b in zip(level[::2], level[1::2])] + level[len(level) - len(level) % 2:]
    return level[0]


def twice(x, nodes):
    """The second derivative of a chain, whose first derivative is another chain."""
    (gradient,) = torch.autograd.grad(chain(x, nodes - 1) * x, x, create_graph=True)
    return gradient * x


def boxes_of(y):
    """Up to Python 3.12, a function keeps those of its variables that draw() looked at until it ends."""
    return len(draw(y).picture.boxes)


def main(shape, nodes, drawn):
    draw(chain(torch.ones(1, requires_grad=True), 1))  # what is made once is made now
    took, boxes, start = {}, None, time.process_time()

    def done(what):
        nonlocal start
        took[what] = round(time.process_time() - start, 2)
        start = time.process_time()

    gc.collect()
    before = sys.getallocatedblocks()
    x = torch.tensor([1.0], requires_grad=True)
    y = globals()[shape](x, int(nodes))
    done("built")
    blocks = sys.getallocatedblocks() - before
    if drawn == "yes":
        boxes = boxes_of(y)
        done("drawn")
    y.backward()
    slope = x.grad.item()
    done("backward")
    del y, x
    done("freed")
    gc.collect()
    left = sys.getallocatedblocks() - before
    facts = {"python": sys.version.split()[0], "shape": shape, "slope": slope, "boxes": boxes,
             "seconds": took, "blocks": blocks, "left": left}
    with contextlib.suppress(ImportError):  # on Windows
        import resource
        facts["peak memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # in kB, on macOS in bytes
    print(json.dumps(facts))


if __name__ == "__main__":
    main(*sys.argv[1:])
