"""Fixes whose price is "none", where the broken and the mended program can't be compared, and why not."""

FREE = ("none", "none, if that is what you mean")

UNMEASURED = {
    "missing-grad": "the mended program goes on to the pass that the broken one doesn't reach",
    "step_to_a_bare_tensor": "the mended program goes on to the pass that the broken one doesn't reach",
    "stepped_before_any_pass": "the broken program fails in its first step; the mended one takes two",
    "gradcheck-inputs": "gradcheck() refuses the broken program before it computes anything",
    "reinforce": "reinforce() raises before there is a loss, and the mended program computes one",
    "checkpoint": "checkpoint() refuses the argument before it runs the function",
    "matrices": "the product fails before it is recorded; a layer of any width saves its input",
}
