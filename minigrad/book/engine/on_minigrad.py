"""minigrad under the names of the learner's engine, so that one program runs on both."""
from __future__ import annotations

from typing import Any

import numpy as np

import minigrad

no_grad = minigrad.no_grad


class Tensor:
    """What the learner's class is compared with: its methods, and no others."""

    def __init__(self, data: Any, requires_grad: bool = False) -> None:
        self.inner = minigrad.tensor(data, dtype=minigrad.float64, requires_grad=requires_grad)

    @classmethod
    def around(cls, inner: Any) -> Tensor:
        result = cls.__new__(cls)
        result.inner = inner
        return result

    @property
    def data(self) -> np.ndarray:
        """The numbers; who writes to them is not counted, as with `.data`."""
        return self.inner.detach().numpy()

    @data.setter
    def data(self, value: Any) -> None:
        self.data[...] = value

    @property
    def grad(self) -> np.ndarray | None:
        if not self.inner.is_leaf or self.inner.grad is None:
            return None
        return self.inner.grad.numpy()

    @grad.setter
    def grad(self, value: None) -> None:
        self.inner.grad = value

    @property
    def requires_grad(self) -> bool:
        return self.inner.requires_grad

    def __add__(self, other: Tensor) -> Tensor:
        return Tensor.around(self.inner + other.inner)

    def __mul__(self, other: Tensor) -> Tensor:
        return Tensor.around(self.inner * other.inner)

    def sum(self) -> Tensor:
        return Tensor.around(self.inner.sum())

    def detach(self) -> Tensor:
        return Tensor.around(self.inner.detach())

    def add_(self, number: float) -> Tensor:
        self.inner.add_(number)
        return self

    def backward(self, v: Any = None, retain_graph: bool = False) -> None:
        v = None if v is None else minigrad.tensor(v, dtype=minigrad.float64)
        self.inner.backward(v, retain_graph=retain_graph)
