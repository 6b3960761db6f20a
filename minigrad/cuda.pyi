"""The GPUs, of which minigrad knows none: ``torch.cuda.is_available()`` is False."""
# Generated from the live objects: python -m tests.stubs --write


def is_available() -> bool:
    """Return whether tensors can be put on a GPU."""
