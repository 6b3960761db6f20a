"""Anomaly mode: nodes keep the lines that made them; NaN ends a pass."""
# Generated from the live objects: python -m tests.stubs --write
from contextlib import AbstractContextManager
from typing import Any

class detect_anomaly(set_detect_anomaly):
    """Switch anomaly mode on for a ``with`` block, with a warning that it is slow."""
    def __enter__(self) -> Any: ...
    def __init__(self, check_nan: bool = True) -> None: ...

class set_detect_anomaly(AbstractContextManager[Any]):
    """Switch anomaly mode on or off at once; a block restores the old setting."""
    def __enter__(self) -> None:
        """Leave the mode as it is: making the object has switched it."""
    def __exit__(self, *error: object) -> None: ...
    def __init__(self, mode: bool, check_nan: bool = True) -> None: ...
