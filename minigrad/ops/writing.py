"""Plain writes: copy_, fill_, zero_."""
from __future__ import annotations
