"""The operations, by kind: each a NumPy function, and the gradients of its inputs.

``autograd/operation.py`` says how one is written.  `declare` is used where the name of
an operation follows from its node's, else the decorator `differentiable`.  Some are not
where one looks first:

    sum             expansion.py, beside expand: each is the gradient of the other
    max, argmax     extremes.py
    norm, softmax   in modules of their own
    clone           piecewise.py
"""
