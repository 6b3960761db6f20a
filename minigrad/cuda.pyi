"""The GPUs, of which minigrad knows none: ``torch.cuda.is_available()`` is False."""
# Generated from the live objects: python -m tests.stubs --write


def is_available() -> bool:
    """Return whether tensors can be put on a GPU."""

def manual_seed(seed: int) -> None:
    """Seed the generator of the GPU: there is none, and nothing happens."""

def manual_seed_all(seed: int) -> None:
    """Seed the generator of the GPU: there is none, and nothing happens."""
