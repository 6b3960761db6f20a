"""Filling tensors from the rarer distributions: log_normal_, cauchy_, geometric_, and torch.poisson."""
from __future__ import annotations

from . import sampling_more as draw
from .autograd.differentiable import differentiable
from .autograd.inplace import in_place
from .random_ops import drawn_from, filled, nothing


@in_place
@differentiable("LogNormalBackward0", self=nothing)
def _log_normal(self, mean, std, generator):
    return filled(self, lambda shape: draw.log_normal(shape, self.dtype, mean, std, generator))


@in_place
@differentiable("CauchyBackward0", self=nothing)
def _cauchy(self, median, sigma, generator):
    return filled(self, lambda shape: draw.cauchy(shape, self.dtype, median, sigma, generator))


@in_place
@differentiable("GeometricBackward0", self=nothing)
def _geometric(self, p, generator):
    return filled(self, lambda shape: draw.geometric(shape, self.dtype, p, generator))


@differentiable("PoissonBackward0", self=nothing)
def _poisson(self, generator):
    return draw.poisson(self, generator)


def log_normal_(self, mean=1.0, std=2.0, *, generator=None):
    """Fill with numbers whose logarithms come from the bell curve of this mean and std."""
    return _log_normal(self, float(mean), float(std), drawn_from(generator))


def cauchy_(self, median=0.0, sigma=1.0, *, generator=None):
    """Fill with numbers from the Cauchy distribution."""
    return _cauchy(self, float(median), float(sigma), drawn_from(generator))


def geometric_(self, p, *, generator=None):
    """Fill with the number of attempts that the first success takes, each succeeding with probability p."""
    return _geometric(self, float(p), drawn_from(generator))


def poisson(input, generator=None):
    """Counts of events (in the dtype of `input`), where `input` says how many are expected."""
    return _poisson(input, drawn_from(generator))


METHODS_ONLY = "log_normal_ cauchy_ geometric_"
FUNCTIONS_ONLY = "poisson"
