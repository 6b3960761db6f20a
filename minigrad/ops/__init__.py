"""The operations, by kind: each a NumPy function, and the gradients of its inputs.

``autograd/operation.py`` says how one is written.
"""
