"""Python's search for garbage, which is held back while a large graph is read, drawn and folded."""
import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def held_back() -> Iterator[None]:
    """Decorate a function that makes many objects, and destroys none of them."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()
