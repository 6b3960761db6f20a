"""Random tensors: rand, randn, randint, and the in-place forms uniform_ and normal_."""
from __future__ import annotations
