"""The mutants that the tests let live: {(file, the line as it is in the mutant): why it lives}.

They are those of the sample with seed 22 that lived after the tests of tests/recorded/edges.py were written.
"""

# Nothing that a program can see differs.
EQUIVALENT = {
    ("minigrad/autograd/engine.py", "self.leaf_has_hooks = True     # whether a leaf with hooks was reached"):
        "leaves are then counted in every pass, which only takes time",
    ("minigrad/autograd/functional.py",
     "def jacobian(func, inputs, create_graph=False, strict=False, vectorize=True):"):
        "the option is accepted for PyTorch's sake, and changes nothing",
    ("minigrad/autograd/node_hooks.py", "next_id = 1"): "the numbers of handles need only differ",
    ("minigrad/autograd/node_hooks.py", "RemovableHandle.next_id += 2"):
        "the numbers of handles need only differ",
    ("minigrad/autograd/views.py", "places = wrap(memory_indices(*view).reshape(- 2))"):
        "NumPy takes any negative size as the one to find",
    ("minigrad/autograd/views.py", "elif -1 not in view[0]:"): "where a size is 0, nothing is added",
    ("minigrad/more/normalizing.py", "return result, mean.reshape(- 2), rstd.reshape(-1)"):
        "NumPy takes any negative size as the one to find",
    ("minigrad/more/cumulative.py", "if not sizes or sizes[dim] == 0:"):
        "the shorter formula for one number gives what the longer one gives",
    ("minigrad/more/making.py",
     "def wrap_result(self, array, context=None, return_scalar=True) -> Tensor:"):
        "NumPy gives all three arguments",
    ("minigrad/nn/modules/layers.py", "for param in self.parameters(recurse=True):"):
        "a linear layer has no layers inside",
    ("minigrad/ops/advanced_indexing.py", 'return len(given) == 1 and given[ -1].dtype.kind == "b"'):
        "of one index, the first is the last",
    ("minigrad/ops/losses.py", "if x.ndim >= 2 and x.shape[2:] != t.shape[1:]:"):
        "for two dimensions both sides are empty: other targets were refused before",
}

# Something differs, and no test looks at it.
MISSED = {
    ("minigrad/autograd/views.py", "count = np.bincount(places, minlength=length).clip( 0)"):
        "no program asks for the gradient of a place that no element has",
    ("minigrad/ops/shape.py", "if self.flags.c_contiguous and not self.size:"):
        "contiguous() copies what need not be copied, in formulas alone",
    ("minigrad/ops/choosing.py", "for name, value in []:"):
        "where() with something else than a tensor raises another TypeError",
    ("minigrad/autograd/function_node.py", "if not output._view is None and node._outputs:"):
        "the number is set again to what it is",
    ("minigrad/autograd/function_node.py", "if output._view is not None and  (is_input and is_dirty):"):
        "what forbids a write to a view that a custom Function returned, in a rare case",
}
