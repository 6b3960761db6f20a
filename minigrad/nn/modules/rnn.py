"""Cells of recurrent networks: one step of what is computed from an input and the state before it."""
from __future__ import annotations

import math

from ...creation import empty, zeros
from .. import init
from ..functional.layers import linear
from ..parameter import Parameter
from .module import Module


class _Cell(Module):
    gates = 1

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows = self.gates * hidden_size
        for name, shape in (("weight_ih", (rows, input_size)), ("weight_hh", (rows, hidden_size))):
            setattr(self, name, Parameter(empty(shape, device=device, dtype=dtype)))
        for name in ("bias_ih", "bias_hh"):
            value = Parameter(empty(rows, device=device, dtype=dtype)) if bias else None
            self.register_parameter(name, value)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw first values."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def extra_repr(self):
        return f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else f", bias={self.bias}")

    def batched(self, input, hx):
        """Input and state with a batch dimension, and whether the input had one; no state means zeros."""
        name = type(self).__name__
        if input.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        if hx is not None and hx.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected hidden to be 1D or 2D, got {hx.dim()}D instead")
        is_batched = input.dim() == 2
        input = input if is_batched else input.unsqueeze(0)
        if hx is None:
            hx = zeros(input.size(0), self.hidden_size, dtype=input.dtype)
        elif not is_batched:
            hx = hx.unsqueeze(0)
        self.check(input, hx, 0)
        return input, hx, is_batched

    def check(self, input, state, number):
        if input.size(1) != self.input_size:
            raise RuntimeError(f"input has inconsistent input_size: got {input.size(1)} expected "
                               f"{self.input_size}")
        if input.size(0) != state.size(0):
            raise RuntimeError(f"Input batch size {input.size(0)} doesn't match hidden{number} batch size "
                               f"{state.size(0)}")
        if state.size(1) != self.hidden_size:
            raise RuntimeError(f"hidden{number} has inconsistent hidden_size: got {state.size(1)}, expected "
                               f"{self.hidden_size}")

    def from_state(self, state):
        return linear(state, self.weight_hh, self.bias_hh)

    def from_input(self, input):
        return linear(input, self.weight_ih, self.bias_ih)


class RNNCell(_Cell):
    """tanh (or relu) of what the weights make of the input and of the state before."""

    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input, hx=None):
        input, hx, is_batched = self.batched(input, hx)
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        total = self.from_state(hx).add_(self.from_input(input))
        result = total.tanh() if self.nonlinearity == "tanh" else total.relu()
        return result if is_batched else result.squeeze(0)

    def extra_repr(self):
        return super().extra_repr() + ("" if self.nonlinearity == "tanh" else
                                       f", nonlinearity={self.nonlinearity}")


class LSTMCell(_Cell):
    """A step of long short-term memory: gates decide what the cell forgets, takes in and shows.

    The state is a pair (hidden, cell), and so is the result.
    """

    gates = 4

    def forward(self, input, hx=None):
        if hx is not None and not isinstance(hx, (tuple, list)):
            raise TypeError("lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not "
                            + type(hx).__name__)
        hidden, cell = (None, None) if hx is None else hx
        input, hidden, is_batched = self.batched(input, hidden)
        if cell is None:
            cell = hidden
        elif not is_batched:
            cell = cell.unsqueeze(0)
        self.check(input, cell, 1)
        gates = self.from_state(hidden).add_(self.from_input(input)).unsafe_chunk(4, 1)
        take, keep, show = [gates[i].sigmoid_() for i in (0, 1, 3)]
        cell = (keep * cell).add_(take * gates[2].tanh_())
        hidden = show * cell.tanh()
        return (hidden, cell) if is_batched else (hidden.squeeze(0), cell.squeeze(0))


class GRUCell(_Cell):
    """A step of a gated recurrent unit: gates decide what of the state stays."""

    gates = 3

    def forward(self, input, hx=None):
        input, hx, is_batched = self.batched(input, hx)
        new, old = self.from_input(input).unsafe_chunk(3, 1), self.from_state(hx).unsafe_chunk(3, 1)
        reset = old[0].add_(new[0]).sigmoid_()
        stay = old[1].add_(new[1]).sigmoid_()
        proposed = new[2].add(old[2].mul_(reset)).tanh_()
        result = (hx - proposed).mul_(stay).add_(proposed)
        return result if is_batched else result.squeeze(0)
