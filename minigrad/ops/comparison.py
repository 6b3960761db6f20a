"""Questions asked of every element, whose answers are True or False, and choices made by them."""
from __future__ import annotations

import numpy as np

from ..autograd.differentiable import differentiable

def where(): ...
def logical_and(): ...
