"""The operations, by kind.  Each is a NumPy function and the gradients of its inputs; see
autograd/differentiable.py."""
