"""PyTorch's settings for threads and algorithms, kept and given back; nothing here heeds them."""
from __future__ import annotations

_settings = {"deterministic": False, "warn_only": False, "threads": 1}


def use_deterministic_algorithms(mode, *, warn_only=False):
    """Ask for algorithms that give the same result each time: all of them do here."""
    if not isinstance(mode, bool):
        raise TypeError("_set_deterministic_algorithms(): argument 'mode' (position 1) must be bool, not "
                        f"{type(mode).__name__}")
    _settings.update(deterministic=mode, warn_only=mode and warn_only)


def are_deterministic_algorithms_enabled() -> bool:
    return _settings["deterministic"]


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    return _settings["warn_only"]


def set_num_threads(num, /):
    """How many threads PyTorch would compute with."""
    if not isinstance(num, int):
        raise RuntimeError(f"set_num_threads expects an int, but got {type(num).__name__}")
    if num <= 0:
        raise RuntimeError("set_num_threads expects a positive integer")
    _settings["threads"] = num


def get_num_threads() -> int:
    return _settings["threads"]
