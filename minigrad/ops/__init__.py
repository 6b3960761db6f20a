"""The operations, by kind: each a NumPy function, and the gradients of its inputs.

``autograd/differentiable.py`` says how one is written.
"""
