"""minigrad, or PyTorch, under the names of the learner's engine, so that one program runs on both."""
from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

import minigrad

no_grad = minigrad.no_grad


class Tensor:
    """What the learner's class is compared with: its methods, and no others."""

    package: Any = minigrad

    def __init__(self, data: Any, requires_grad: bool = False) -> None:
        self.inner = self.package.tensor(data, dtype=self.package.float64, requires_grad=requires_grad)

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
    def grad(self) -> Tensor | None:
        if not self.inner.is_leaf or self.inner.grad is None:
            return None
        return self.around(self.inner.grad)

    @grad.setter
    def grad(self, value: None) -> None:
        self.inner.grad = value

    @property
    def requires_grad(self) -> bool:
        return self.inner.requires_grad

    def __add__(self, other: Tensor) -> Tensor:
        return self.around(self.inner + other.inner)

    def __sub__(self, other: Tensor) -> Tensor:
        return self.around(self.inner - other.inner)

    def __mul__(self, other: Tensor) -> Tensor:
        return self.around(self.inner * other.inner)

    def __pow__(self, n: float) -> Tensor:
        return self.around(self.inner ** n)

    def tanh(self) -> Tensor:
        return self.around(self.inner.tanh())

    def __matmul__(self, other: Tensor) -> Tensor:
        return self.around(self.inner @ other.inner)

    def sum(self) -> Tensor:
        return self.around(self.inner.sum())

    def mean(self) -> Tensor:
        return self.around(self.inner.mean())

    def relu(self) -> Tensor:
        return self.around(self.inner.relu())

    def cross_entropy(self, labels: Any) -> Tensor:
        labels = self.package.tensor(labels)
        return self.around(self.package.nn.functional.cross_entropy(self.inner, labels))

    def detach(self) -> Tensor:
        return self.around(self.inner.detach())

    def add_(self, number: float) -> Tensor:
        self.inner.add_(number)
        return self

    def register_hook(self, hook: Any) -> None:
        def called(grad: Any) -> Any:
            result = hook(self.around(grad))
            return None if result is None else result.inner

        self.inner.register_hook(called)

    def backward(self, v: Any = None, retain_graph: bool = False, create_graph: bool = False) -> None:
        v = None if v is None else self.package.tensor(v, dtype=self.package.float64)
        with warnings.catch_warnings():     # that create_graph makes a cycle is of no interest here
            warnings.simplefilter("ignore")
            self.inner.backward(v, retain_graph=retain_graph or create_graph, create_graph=create_graph)


class SGD:
    """What the learner's optimizer is compared with."""

    def __init__(self, parameters: Sequence[Tensor], lr: float) -> None:
        self.inner = parameters[0].package.optim.SGD([one.inner for one in parameters], lr=lr)

    def zero_grad(self) -> None:
        self.inner.zero_grad()

    def step(self) -> None:
        self.inner.step()


def tensor_of(package: Any) -> type:
    """Return such a class `Tensor` for minigrad, or for PyTorch, which a program calls `torch`."""
    return type("Tensor", (Tensor,), {"package": package})
