"""Random tensors: the same seed gives PyTorch's numbers.

How bits become numbers is in ``sampling.py``; here the arrays become tensors, and in-place forms become
operations, whose gradient is zero: what was there before has no say in what is drawn.
"""
from __future__ import annotations

import numpy as np

from .. import dtypes
from . import sampling as draw
from ..autograd.differentiable import differentiable
from ..autograd.inplace import in_place
from ..creation import finish, is_whole, like, numpy_dtype, plain_number, size_of, write_out
from .generator import Generator, default_generator
from ..memory import element_strides, memory_order
from ..errors import common_shape, type_name
from ..tensor import Tensor, wrap, wrap_new


def drawn_from(generator, function=None):
    """The generator to draw from, for the ``generator=`` argument of a function."""
    if generator is None:
        return default_generator
    if not isinstance(generator, Generator):
        if function is not None:
            raise no_form(function)
        raise TypeError(f"expected a torch.Generator, but got {type_name(generator)}")
    return generator


def filled(like, draw, *beside):
    """What ``draw(shape, *beside)`` gives, drawn in the order in which the numbers of `like` lie in memory.

    beside: arrays that broadcast to `like`.
    """
    if like.flags.c_contiguous:
        return draw(like.shape, *beside)
    axes = memory_order(like.shape, element_strides(like))
    beside = [np.broadcast_to(array, like.shape).transpose(axes) for array in beside]
    return draw(tuple([like.shape[i] for i in axes]), *beside).transpose(np.argsort(axes))


# --- new tensors --------------------------------------------------------------------------------------------

def rand(*args, size=None, generator=None, out=None, dtype=None, layout=None, device=None,
         requires_grad=False, pin_memory=False) -> Tensor:
    """Numbers spread evenly over [0, 1)."""
    kind = numpy_dtype(dtype, dtypes.Default.numpy, "rand")
    array = draw.uniform(size_of(args, size, "rand"), kind,
                         generator=drawn_from(generator, "rand"))
    return finish(array, requires_grad, device, "rand", layout) if out is None else write_out(out, array)


def randn(*args, size=None, generator=None, out=None, dtype=None, layout=None, device=None,
          requires_grad=False, pin_memory=False) -> Tensor:
    """Numbers from the bell curve with mean 0 and standard deviation 1."""
    kind = numpy_dtype(dtype, dtypes.Default.numpy, "randn")
    array = draw.normal(size_of(args, size, "randn"), kind,
                         generator=drawn_from(generator, "randn"))
    return finish(array, requires_grad, device, "randn", layout) if out is None else write_out(out, array)


def randint(*args, low=None, high=None, size=None, generator=None, out=None, dtype=None, layout=None,
            device=None, requires_grad=False, pin_memory=False) -> Tensor:
    """Whole numbers from low (0) to high - 1: `randint(high, size)` or `randint(low, high, size)`."""
    bounds = list(args)
    if size is None:
        if not bounds or len(bounds) + (low is not None) + (high is not None) < 2:
            raise no_form("randint")
        size = bounds.pop()
        if not isinstance(size, (tuple, list)):
            raise TypeError(f"randint(): argument 'size' (position {len(bounds) + 1}) must be tuple of ints, "
                            f"not {type_name(size)}")
    if high is None and bounds:
        high = bounds.pop()
    if low is None:
        low = bounds.pop() if bounds else 0
    for position, (name, bound) in enumerate((("high", high), ("low", low)), 1):
        if not is_whole(bound):
            raise TypeError(f"randint(): argument '{name}' (position {position}) must be int, not "
                            f"{type_name(bound)}")
    array = draw.randint(int(low), int(high), size_of((size,), None, "randint"),
                         numpy_dtype(dtype, dtypes.INT64, "randint"), drawn_from(generator))
    return finish(array, requires_grad, device, "randint", layout) if out is None else write_out(out, array)


def randperm(n=None, *, generator=None, out=None, dtype=None, layout=None, device=None, requires_grad=False,
             pin_memory=False) -> Tensor:
    """The numbers 0 to n - 1 in random order."""
    if n is None:
        raise no_form("randperm")
    if not is_whole(n):
        raise TypeError(f"randperm(): argument 'n' (position 1) must be int, not {type_name(n)}")
    array = draw.randperm(int(n), numpy_dtype(dtype, dtypes.INT64, "randperm"), drawn_from(generator))
    return finish(array, requires_grad, device, "randperm", layout) if out is None else write_out(out, array)


def rand_like(input, *, generator=None, dtype=None, layout=None, device=None, pin_memory=False,
              requires_grad=False, memory_format=None) -> Tensor:
    """`rand` of this tensor's shape and dtype."""
    array = like(input, "rand_like", dtype, memory_format)
    array[...] = filled(array, lambda shape: draw.uniform(shape, array.dtype,
                                                          generator=drawn_from(generator)))
    return finish(array, requires_grad, device, "rand_like", layout)


def randn_like(input, *, generator=None, dtype=None, layout=None, device=None, pin_memory=False,
               requires_grad=False, memory_format=None) -> Tensor:
    """`randn` of this tensor's shape and dtype."""
    array = like(input, "randn_like", dtype, memory_format)
    array[...] = filled(array, lambda shape: draw.normal(shape, array.dtype, generator=drawn_from(generator),
                                                         is_contiguous=array.flags.c_contiguous))
    return finish(array, requires_grad, device, "randn_like", layout)


# --- drawn according to tensors -----------------------------------------------------------------------------

def nothing(grad):
    """The gradient of what does not depend on its input: zeros."""
    return wrap(np.zeros_like(grad._array)) if isinstance(grad, Tensor) else np.zeros_like(grad)


@differentiable("BernoulliBackward0", self=nothing)
def _bernoulli(self, generator):
    return draw.bernoulli(self.shape, self, self.dtype, generator)


def bernoulli(input, p=None, *, generator=None, out=None) -> Tensor:
    """1 with the probability that stands in `input` (or with probability p), else 0."""
    if p is None:
        result = _bernoulli(input, drawn_from(generator))
    else:
        result = wrap_new(draw.bernoulli(input._array.shape, float(p), input._array.dtype,
                                         drawn_from(generator)))
    return result if out is None else write_out(out, result._array)


def normal(mean=None, std=None, size=None, *, generator=None, out=None, dtype=None, layout=None, device=None,
           pin_memory=False, requires_grad=False) -> Tensor:
    """Numbers from bell curves.

    mean, std: tensors, which broadcast, or a tensor and a number; or two numbers, together with a `size`.
    """
    generator = drawn_from(generator)
    if std is None and isinstance(mean, Tensor):
        std = 1.0
    if isinstance(mean, Tensor) and isinstance(std, Tensor):
        common_shape(mean._array.shape, std._array.shape)           # says what does not fit
        result = _normal_both(mean, std, generator)
    elif isinstance(mean, Tensor):
        result = _normal_mean(mean, plain_number(std, "normal", "std", 2), generator)
    elif isinstance(std, Tensor):
        result = _normal_std(plain_number(mean, "normal", "mean", 1), std, generator)
    elif size is None or mean is None or std is None:
        raise no_form("normal")
    else:
        kind = numpy_dtype(dtype, dtypes.Default.numpy, "normal")
        array = draw.normal(size_of((size,), None, "normal"), kind, float(mean), float(std), generator)
        result = finish(array, requires_grad, device, "normal", layout)
    return result if out is None else write_out(out, result._array)


# --- in place -----------------------------------------------------------------------------------------------

@in_place
@differentiable("UniformBackward0", self=nothing)
def _uniform(self, low, high, generator):
    return filled(self, lambda shape: draw.uniform(shape, self.dtype, low, high, generator))


@in_place
@differentiable("NormalBackward0", self=nothing)
def _normal(self, mean, std, generator):
    return filled(self, lambda shape: draw.normal(shape, self.dtype, mean, std, generator,
                                                  self.flags.c_contiguous))


@in_place
@differentiable("BernoulliBackward2", self=nothing)
def _bernoulli_number(self, p, generator):
    return filled(self, lambda shape: draw.bernoulli(shape, p, self.dtype, generator))


def uniform_(self, *args, generator=None, **bounds):
    """Fill with numbers spread evenly over [from, to), by default [0, 1)."""
    names = dict(zip(("from", "to"), args)) | bounds
    low, high = names.pop("from", 0.0), names.pop("to", 1.0)
    if names or len(args) > 2:
        raise TypeError(f"uniform_() got an unexpected keyword argument '{next(iter(names), args[2:])}'")
    return _uniform(self, float(low), float(high), drawn_from(generator))


def normal_(self, mean=0.0, std=1.0, *, generator=None):
    """Fill with numbers from the bell curve."""
    return _normal(self, float(mean), float(std), drawn_from(generator))


def bernoulli_(self, p=0.5, *, generator=None):
    """Fill with 1 (with probability p, a number or a tensor that broadcasts) and 0."""
    if isinstance(p, Tensor):
        return _bernoulli_tensor(self, p, drawn_from(generator))
    return _bernoulli_number(self, float(p), drawn_from(generator))


METHODS = """
bernoulli
"""
METHODS_ONLY = """
uniform_ normal_ bernoulli_
"""
FUNCTIONS_ONLY = """
rand randn randint randperm rand_like randn_like normal
"""
