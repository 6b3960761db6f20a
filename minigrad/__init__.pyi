"""minigrad: PyTorch's automatic differentiation on NumPy arrays, small enough to read."""
# Generated from the live objects: python -m tests.stubs --write
from builtins import bool as _bool
from builtins import float as _float
from builtins import int as _int
from collections.abc import Sequence
from typing import Any, Literal, overload
from numpy import ndarray
from minigrad import autograd as autograd
from minigrad import cuda as cuda
from minigrad import nn as nn
from minigrad import optim as optim
from minigrad import random as random
from minigrad import utils as utils
from minigrad.autograd.grad_mode import enable_grad as enable_grad
from minigrad.autograd.grad_mode import inference_mode as inference_mode
from minigrad.autograd.grad_mode import no_grad as no_grad
from minigrad.autograd.grad_mode import set_grad_enabled as set_grad_enabled
from minigrad.tensor import ValuesAndIndices
from minigrad.tensor import Tensor as Tensor

__version__: str
bool: dtype
double: dtype
e: _float
float: dtype
float16: dtype
float32: dtype
float64: dtype
half: dtype
inf: _float
int: dtype
int16: dtype
int32: dtype
int64: dtype
int8: dtype
long: dtype
nan: _float
pi: _float
short: dtype
uint8: dtype

class Generator:
    """A stream of random bits, and how much of it has been drawn."""
    def __init__(self) -> None: ...
    def get_state(self) -> Tensor:
        """Return the position in the stream: a uint8 tensor (5056,)."""
    def initial_seed(self) -> _int:
        """Return the seed of the stream."""
    def manual_seed(self, seed: _int) -> Generator:
        """Start the stream of a seed, whose lower 32 bits choose it."""
    def set_state(self, new_state: Any) -> None:
        """Go to a position that `get_state` returned."""

class Size(tuple[_int, ...]):
    """The shape of a tensor; slices and sums of shapes are shapes again."""
    def numel(self) -> _int:
        """Return the number of elements of a tensor of this shape."""

class device(str):
    """The name of a place for tensors: ``torch.device("cpu")`` is the only one."""
    @property
    def type(self) -> str: ...

class dtype:
    """A type of number, such as ``torch.float32``, of which there is one object."""
    name: str
    cpp_name: str
    is_floating_point: _bool
    itemsize: _int
    numpy: Any
    short_name: str
    tensor_type: str

def BoolTensor(*args: Any) -> Tensor:
    """Return a tensor of torch.bool with this shape, or these values."""

def ByteTensor(*args: Any) -> Tensor:
    """Return a tensor of torch.uint8 with this shape, or these values."""

def CharTensor(*args: Any) -> Tensor:
    """Return a tensor of torch.int8 with this shape, or these values."""

def DoubleTensor(*args: Any) -> Tensor:
    """Return a tensor of torch.float64 with this shape, or these values."""

def FloatTensor(*args: Any) -> Tensor:
    """Return a tensor of torch.float32 with this shape, or these values."""

def HalfTensor(*args: Any) -> Tensor:
    """Return a tensor of torch.float16 with this shape, or these values."""

def IntTensor(*args: Any) -> Tensor:
    """Return a tensor of torch.int32 with this shape, or these values."""

def LongTensor(*args: Any) -> Tensor:
    """Return a tensor of torch.int64 with this shape, or these values."""

def ShortTensor(*args: Any) -> Tensor:
    """Return a tensor of torch.int16 with this shape, or these values."""

def abs(self: Tensor) -> Tensor: ...

def add(self: Tensor, other: Tensor | _float | ndarray, *, alpha: _float = 1) -> Tensor:
    """Return self + alpha * other; shapes broadcast, and the dtypes are promoted."""

def addcdiv(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
    """Return self + value * tensor1 / tensor2, of floats; all three broadcast."""

def addcmul(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
    """Return self + value * tensor1 * tensor2; all three broadcast."""

def addmm(self: Tensor, mat1: Tensor, mat2: Tensor, *, beta: _float = 1, alpha: _float = 1) -> Tensor:
    """Return beta * self + alpha * (mat1 @ mat2); `self` broadcasts to the product."""

def all(self: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor:
    """Return whether all of the numbers are true, or all along `dim`: a bool tensor."""

def allclose(
    self: Tensor,
    other: Tensor,
    rtol: _float = 1e-05,
    atol: _float = 1e-08,
    equal_nan: _bool = False,
) -> _bool:
    """Return whether all numbers are close; see ``isclose``."""

def amax(self: Tensor, dim: _int | Sequence[_int] = ..., keepdim: _bool = False) -> Tensor:
    """Return the largest numbers along dimension(s); equal ones share a gradient."""

def amin(self: Tensor, dim: _int | Sequence[_int] = ..., keepdim: _bool = False) -> Tensor:
    """Return the smallest numbers along dimension(s); equal ones share a gradient."""

def any(self: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor:
    """Return whether any of the numbers is true, or any along `dim`: a bool tensor."""

def arange(
    start: _int | _float = 0,
    end: _int | _float | None = None,
    step: _int | _float = 1,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
    requires_grad: _bool = False,
) -> Tensor:
    """Return start, start + step, ... below `end`; ``arange(end)`` begins at 0."""

def argmax(self: Tensor, dim: _int | None = None, keepdim: _bool = False) -> Tensor:
    """Return the place of the largest number along `dim`, or among all of them."""

def argmin(self: Tensor, dim: _int | None = None, keepdim: _bool = False) -> Tensor:
    """Return the place of the smallest number along `dim`, or among all of them."""

def as_strided(
    self: Tensor,
    size: Sequence[_int],
    stride: Sequence[_int],
    storage_offset: _int | None = None,
) -> Tensor:
    """Return a view of this tensor's memory by shape, strides and offset, in elements."""

def as_tensor(data: Any, dtype: dtype | None = None, device: device | str | None = None) -> Tensor:
    """Return `data` as a tensor, without a copy if it has the dtype already."""

def bernoulli(input: Tensor, *, generator: Generator | None = None) -> Tensor:
    """Return 1 with the probability that `input` holds at each place, otherwise 0."""

def bmm(self: Tensor, mat2: Tensor) -> Tensor:
    """Return the products of the matrices of two batches, one by one."""

def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Return views of the tensors, expanded to the shape to which all broadcast."""

def cat(tensors: Sequence[Tensor], dim: _int = 0) -> Tensor:
    """Return the tensors one after the other along `dim`, in the dtype that holds all."""

def ceil(self: Tensor) -> Tensor:
    """Compute the function of this name for each number, in its dtype."""

def chunk(self: Tensor, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]:
    """Return at most `chunks` views of equal size; the last may be smaller."""

def clamp(
    self: Tensor,
    min: Tensor | _float | None = None,
    max: Tensor | _float | None = None,
) -> Tensor:
    """Return the numbers moved into [min, max]; one of the bounds may be None."""

def clamp_max(self: Tensor, max: Tensor | _float | ndarray) -> Tensor:
    """Return the smaller of each number and `max`, which is a number or a tensor."""

def clamp_min(self: Tensor, min: Tensor | _float | ndarray) -> Tensor:
    """Return the larger of each number and `min`, which is a number or a tensor."""

def clone(self: Tensor) -> Tensor: ...

def cos(self: Tensor) -> Tensor:
    """Compute the function of this name for each number, as floats."""

def count_nonzero(self: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor:
    """Return how many numbers are not 0, of all or along `dim`: int64."""

def cumprod(self: Tensor, dim: _int, *, dtype: dtype | None = None) -> Tensor:
    """Return the running products along `dim`; of integers and bools in int64."""

def cumsum(self: Tensor, dim: _int, *, dtype: dtype | None = None) -> Tensor:
    """Return the running sums along `dim`; of integers and bools in int64."""

def detach(self: Tensor) -> Tensor:
    """Return a constant in the same memory, which counts writes with this tensor."""

def detach_(self: Tensor) -> Tensor:
    """Remove this tensor from the graph, and return it; it must not be a view."""

def diag(self: Tensor, diagonal: _int = 0) -> Tensor:
    """Return a copy of a matrix's diagonal, or the matrix with a vector on a diagonal."""

def diagonal(self: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
    """Return a view of the elements whose indices along two dimensions are equal."""

def div(self: Tensor, other: Tensor | _float | ndarray, *, rounding_mode: str | None = None) -> Tensor:
    """Return self / other; rounded down for the mode "floor", towards 0 for "trunc"."""

def dot(self: Tensor, tensor: Tensor) -> Tensor:
    """Return the sum of the products of two vectors."""

def einsum(equation: str, *operands: Tensor) -> Tensor:
    """Return the operands' products, summed over letters that the result doesn't name."""

def empty(
    *sizes: _int | Sequence[_int],
    size: _int | Sequence[_int] = ...,
    dtype: dtype | None = None,
    device: device | str | None = None,
    requires_grad: _bool = False,
) -> Tensor:
    """Return a tensor of 0; PyTorch promises no values at all here."""

def empty_like(
    input: Tensor,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
    requires_grad: _bool = False,
) -> Tensor:
    """Return a tensor of 0; PyTorch promises only the shape and the dtype."""

def eq(self: Tensor, other: Tensor | _float | ndarray) -> Tensor:
    """Return NumPy's `equal` of each pair of numbers."""

def equal(self: Tensor, other: Tensor) -> _bool:
    """Return whether two tensors have the same shape and the same numbers."""

def exp(self: Tensor) -> Tensor:
    """Compute the function of this name for each number, as floats."""

def eye(
    n: _int,
    m: _int | None = None,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
    requires_grad: _bool = False,
) -> Tensor:
    """Return n rows and m (or n) columns with 1 on the diagonal and 0 elsewhere."""

def fill_(self: Tensor, value: Tensor | _float | ndarray) -> Tensor:
    """Write one number, or a tensor without dimensions, everywhere."""

def flatten(self: Tensor, start_dim: _int = 0, end_dim: _int = -1) -> Tensor:
    """Run the dimensions from `start_dim` to `end_dim` into one: a view if possible."""

def flip(
    self: Tensor,
    *order: _int | Sequence[_int],
    dims: _int | Sequence[_int] | None = None,
) -> Tensor:
    """Return a copy in reverse order along some dimensions."""

def floor(self: Tensor) -> Tensor:
    """Compute the function of this name for each number, in its dtype."""

def floor_divide(self: Tensor, other: Tensor | _float | ndarray) -> Tensor:
    """Return self / other rounded down, as ``//`` does; it has no gradient."""

def from_numpy(ndarray: ndarray) -> Tensor:
    """Return a tensor that shares the memory of a NumPy array."""

def full(
    size: Sequence[_int],
    fill_value: _float,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
    requires_grad: _bool = False,
) -> Tensor:
    """Return a tensor of the shape `size` with one number, which decides the dtype."""

def full_like(
    input: Tensor,
    fill_value: _float,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
    requires_grad: _bool = False,
) -> Tensor:
    """Return a tensor of one number with the shape and the dtype of a tensor."""

def gather(self: Tensor, dim: _int, index: Tensor, *, sparse_grad: _bool = False) -> Tensor:
    """Return the elements that an index tensor (int64) names along a dimension."""

def ge(self: Tensor, other: Tensor | _float | ndarray) -> Tensor:
    """Return NumPy's `greater_equal` of each pair of numbers."""

def get_default_dtype() -> dtype:
    """Return the dtype of tensors made from Python floats."""

def get_rng_state() -> Tensor:
    """Return the position in the stream: a uint8 tensor (5056,)."""

def gt(self: Tensor, other: Tensor | _float | ndarray) -> Tensor:
    """Return NumPy's `greater` of each pair of numbers."""

def index_select(self: Tensor, dim: _int, index: Tensor) -> Tensor:
    """Return the positions along a dimension that a vector of indices names."""

def initial_seed() -> _int:
    """Return the seed of the stream."""

def is_anomaly_enabled() -> _bool:
    """Return whether anomaly mode is on."""

def is_floating_point(self: Tensor) -> _bool:
    """Return whether the numbers are floats."""

def is_grad_enabled() -> _bool:
    """Return whether recording is on in this thread, ``inference_mode`` aside."""

def is_inference(self: Tensor) -> _bool:
    """Return whether this tensor was made inside ``inference_mode``."""

def is_inference_mode_enabled() -> _bool:
    """Return whether this thread is inside ``inference_mode``."""

def is_tensor(obj: object) -> _bool:
    """Return whether `obj` is a tensor."""

def isclose(
    self: Tensor,
    other: Tensor,
    rtol: _float = 1e-05,
    atol: _float = 1e-08,
    equal_nan: _bool = False,
) -> Tensor:
    """Return where abs(self - other) <= atol + rtol * abs(other)."""

def isfinite(self: Tensor) -> Tensor:
    """isfinite(x, /, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True[, signature])"""

def isinf(self: Tensor) -> Tensor:
    """isinf(x, /, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True[, signature])"""

def isnan(self: Tensor) -> Tensor:
    """isnan(x, /, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True[, signature])"""

def le(self: Tensor, other: Tensor | _float | ndarray) -> Tensor:
    """Return NumPy's `less_equal` of each pair of numbers."""

def lerp(self: Tensor, end: Tensor, weight: Tensor | _float) -> Tensor:
    """Return self + weight * (end - self): self for weight 0, end for weight 1."""

def linspace(
    start: _float,
    end: _float,
    steps: _int,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
    requires_grad: _bool = False,
) -> Tensor:
    """Return `steps` numbers from start to end, both included, at equal distances."""

def load(f: Any, *, weights_only: _bool = True) -> Any:
    """Read what `save` wrote."""

def log(self: Tensor) -> Tensor:
    """Compute the function of this name for each number, as floats."""

def log1p(self: Tensor) -> Tensor:
    """Compute the function of this name for each number, as floats."""

def log_softmax(self: Tensor, dim: _int, dtype: dtype | None = None) -> Tensor:
    """Return log(softmax(x)) along `dim`, without probabilities that round to 0."""

def logsumexp(self: Tensor, dim: _int | Sequence[_int], keepdim: _bool = False) -> Tensor:
    """Return log(sum(exp(x))) along the dimension(s) `dim`, as floats."""

def lt(self: Tensor, other: Tensor | _float | ndarray) -> Tensor:
    """Return NumPy's `less` of each pair of numbers."""

def manual_seed(seed: _int) -> Generator:
    """Start the stream of a seed, whose lower 32 bits choose it."""

def masked_fill(self: Tensor, mask: Tensor, value: Tensor | _float | ndarray) -> Tensor:
    """Return a copy with one number where the mask (bool) is True; both broadcast."""

def masked_select(self: Tensor, mask: Tensor) -> Tensor:
    """Return the elements where the mask (bool) is True, as a vector; both broadcast."""

def matmul(self: Tensor, other: Tensor) -> Tensor:
    """Return the product of two tensors, by their dimensions."""

@overload
def max(self: Tensor) -> Tensor:
    """Return the largest number; along `dim`, (values, indices); or of each pair."""
@overload
def max(self: Tensor, dim: Tensor) -> Tensor: ...
@overload
def max(self: Tensor, dim: _int, keepdim: _bool = False) -> ValuesAndIndices: ...

def maximum(self: Tensor, other: Tensor) -> Tensor:
    """Return the larger (smaller) of each two numbers; nan if one is."""

def mean(
    self: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: dtype | None = None,
) -> Tensor:
    """Return the mean of all numbers, or the means over the dimension(s) `dim`."""

@overload
def median(self: Tensor) -> Tensor:
    """Return the middle number, the lower one of two; along `dim` (values, indices)."""
@overload
def median(self: Tensor, dim: _int, keepdim: _bool = False) -> ValuesAndIndices: ...

@overload
def min(self: Tensor) -> Tensor:
    """Return the smallest number; along `dim`, (values, indices); or of each pair."""
@overload
def min(self: Tensor, dim: Tensor) -> Tensor: ...
@overload
def min(self: Tensor, dim: _int, keepdim: _bool = False) -> ValuesAndIndices: ...

def minimum(self: Tensor, other: Tensor) -> Tensor:
    """Return the larger (smaller) of each two numbers; nan if one is."""

def mm(self: Tensor, mat2: Tensor) -> Tensor:
    """Return the product of two matrices."""

def mul(self: Tensor, other: Tensor | _float | ndarray) -> Tensor:
    """Return self * other; shapes broadcast, and the dtypes are promoted."""

def mv(self: Tensor, vec: Tensor) -> Tensor:
    """Return the product of a matrix and a vector."""

def nansum(
    self: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: dtype | None = None,
) -> Tensor:
    """Return the sum of the numbers that are not nan, of all or along `dim`."""

def narrow(self: Tensor, dim: _int, start: _int, length: _int) -> Tensor:
    """Return a view of `length` positions along a dimension, from `start` on."""

def ne(self: Tensor, other: Tensor | _float | ndarray) -> Tensor:
    """Return NumPy's `not_equal` of each pair of numbers."""

def neg(self: Tensor) -> Tensor: ...

@overload
def nonzero(self: Tensor, *, as_tuple: Literal[False] = False) -> Tensor:
    """Return the indices of elements that are not zero, in rows."""
@overload
def nonzero(self: Tensor, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]: ...

def norm(
    self: Tensor,
    p: _float | str = 'fro',
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
) -> Tensor:
    """Return (sum |x|^p)^(1/p) of all numbers, or along the dimension(s) `dim`."""

def normal(
    mean: Tensor | _float,
    std: Tensor | _float = 1.0,
    size: Sequence[_int] | None = None,
    *,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    device: device | str | None = None,
    requires_grad: _bool = False,
) -> Tensor:
    """Return normal numbers with this mean and standard deviation."""

def numel(self: Tensor) -> _int:
    """Return the number of elements."""

def ones(
    *sizes: _int | Sequence[_int],
    size: _int | Sequence[_int] = ...,
    dtype: dtype | None = None,
    device: device | str | None = None,
    requires_grad: _bool = False,
) -> Tensor:
    """Return a tensor filled with 1: ``ones(2, 3)`` or ``ones((2, 3))``."""

def ones_like(
    input: Tensor,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
    requires_grad: _bool = False,
) -> Tensor:
    """Return a tensor of 1 with the shape and the dtype of a tensor."""

def outer(self: Tensor, vec2: Tensor) -> Tensor:
    """Return the products of each element of one vector with each of another."""

def permute(
    self: Tensor,
    *order: _int | Sequence[_int],
    dims: _int | Sequence[_int] | None = None,
) -> Tensor:
    """Return a view with the dimensions in another order."""

def pow(self: Tensor | _float, exponent: Tensor | _float | ndarray) -> Tensor:
    """Return self ** exponent; one of the two may be a number."""

def prod(
    self: Tensor,
    dim: _int | None = None,
    keepdim: _bool = False,
    *,
    dtype: dtype | None = None,
) -> Tensor:
    """Return the product of all numbers, or those along one dimension."""

def promote_types(type1: dtype, type2: dtype) -> dtype:
    """Return the dtype of a sum of tensors of these two dtypes."""

def rand(
    *sizes: _int | Sequence[_int],
    size: _int | Sequence[_int] = ...,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    device: device | str | None = None,
    requires_grad: _bool = False,
) -> Tensor:
    """Return numbers spread evenly over [0, 1): ``rand(2, 3)``."""

def rand_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    device: device | str | None = None,
    requires_grad: _bool = False,
) -> Tensor:
    """Return numbers spread evenly over [0, 1), in the shape and dtype of a tensor."""

def randint(
    low: _int = 0,
    high: _int | None = None,
    size: Sequence[_int] | None = None,
    *,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    device: device | str | None = None,
    requires_grad: _bool = False,
) -> Tensor:
    """Return whole numbers from low (0) to high - 1: ``randint(10, (2, 3))``."""

def randn(
    *sizes: _int | Sequence[_int],
    size: _int | Sequence[_int] = ...,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    device: device | str | None = None,
    requires_grad: _bool = False,
) -> Tensor:
    """Return normal numbers, mean 0 and standard deviation 1: ``randn(2, 3)``."""

def randn_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    device: device | str | None = None,
    requires_grad: _bool = False,
) -> Tensor:
    """Return normal numbers in the shape and dtype of a tensor."""

def randperm(
    n: _int,
    *,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    device: device | str | None = None,
    requires_grad: _bool = False,
) -> Tensor:
    """Return the numbers 0 to n - 1 in random order."""

def ravel(self: Tensor) -> Tensor:
    """Return the numbers in one dimension: a view if they are in order, else a copy."""

def reciprocal(self: Tensor) -> Tensor:
    """Compute the function of this name for each number, as floats."""

def relu(self: Tensor) -> Tensor: ...

def remainder(self: Tensor, other: Tensor | _float | ndarray) -> Tensor:
    """Return self - other * (self // other), as ``%`` does, with the sign of other."""

def reshape(
    self: Tensor,
    *sizes: _int | Sequence[_int],
    shape: _int | Sequence[_int] | None = None,
) -> Tensor:
    """Return the same numbers in another shape: a view if possible, else a copy."""

def result_type(tensor1: Tensor | _float | ndarray, tensor2: Tensor | _float | ndarray) -> dtype:
    """Return the dtype of a sum of these two, tensors or numbers."""

def round(self: Tensor, *, decimals: _int = 0) -> Tensor:
    """Round to so many decimals, and halves to the even neighbour: 0.5 to 0."""

def rsqrt(self: Tensor) -> Tensor:
    """Compute the function of this name for each number, as floats."""

def save(obj: Any, f: Any) -> None:
    """Write an object, without gradients: ``torch.save(model.state_dict(), "m.pt")``."""

def scatter(
    self: Tensor,
    dim: _int,
    index: Tensor,
    src: Tensor | _float | None = None,
    *,
    value: Any = None,
) -> Tensor:
    """Return a copy to which `scatter_` has written."""

def scatter_add(self: Tensor, dim: _int, index: Tensor, src: Tensor) -> Tensor:
    """Return a copy to which the elements of `src` were added; see `scatter_`."""

def select(self: Tensor, dim: _int, index: _int) -> Tensor:
    """Return a view of one position along a dimension, which disappears."""

def set_default_dtype(d: dtype) -> None:
    """Make ``d`` the dtype of tensors made from Python floats."""

def set_default_tensor_type(t: Any) -> None:
    """Make the dtype of ``torch.DoubleTensor``, or its like, that of Python floats."""

def set_printoptions(
    precision: _int | None = None,
    threshold: _int | _float | None = None,
    edgeitems: _int | None = None,
    linewidth: _int | None = None,
    *,
    sci_mode: _bool | None = None,
) -> None:
    """Change how tensors are printed; what is None stays as it is, except `sci_mode`."""

def set_rng_state(new_state: Any) -> None:
    """Go to a position that `get_state` returned."""

def sigmoid(self: Tensor) -> Tensor:
    """Compute the function of this name for each number, as floats."""

def sign(self: Tensor) -> Tensor: ...

def sin(self: Tensor) -> Tensor:
    """Compute the function of this name for each number, as floats."""

def softmax(self: Tensor, dim: _int, dtype: dtype | None = None) -> Tensor:
    """Return exp(x) / sum(exp(x)) along `dim`: positive numbers that add up to 1."""

def sort(
    self: Tensor,
    dim: _int = -1,
    descending: _bool = False,
    *,
    stable: _bool = True,
) -> ValuesAndIndices:
    """Return (values, indices) in order along `dim`; nan comes after all numbers."""

def split(
    self: Tensor,
    split_size_or_sections: _int | Sequence[_int],
    dim: _int = 0,
) -> tuple[Tensor, ...]:
    """Return views of so many positions each, or of the sizes in a list."""

def sqrt(self: Tensor) -> Tensor:
    """Compute the function of this name for each number, as floats."""

def square(self: Tensor) -> Tensor:
    """Return self ** 2."""

def squeeze(
    self: Tensor,
    *dims: _int | Sequence[_int],
    dim: _int | Sequence[_int] | None = None,
) -> Tensor:
    """Return a view without dimensions of size 1: all, or those among the given ones."""

def stack(tensors: Sequence[Tensor], dim: _int = 0) -> Tensor:
    """Return the tensors, all of one shape, one after the other along a new dimension."""

def std(
    self: Tensor,
    dim: _int | Sequence[_int] | None = None,
    unbiased: _bool | None = None,
    keepdim: _bool = False,
    *,
    correction: _float | None = None,
) -> Tensor:
    """Return the standard deviation, the root of the variance; see ``var``."""

def sub(self: Tensor, other: Tensor | _float | ndarray, *, alpha: _float = 1) -> Tensor:
    """Return self - alpha * other, as `add` does; raises RuntimeError for bools."""

def sum(
    self: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: dtype | None = None,
    axis: _int | Sequence[_int] | None = None,
    keepdims: _bool = False,
) -> Tensor:
    """Return the sum of all numbers, or the sums over the dimension(s) `dim`."""

def t(self: Tensor) -> Tensor:
    """Return a view of a matrix, transposed; a vector stays as it is."""

def tan(self: Tensor) -> Tensor:
    """Compute the function of this name for each number, as floats."""

def tanh(self: Tensor) -> Tensor:
    """Compute the function of this name for each number, as floats."""

def tensor(
    data: Any,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
    requires_grad: _bool = False,
) -> Tensor:
    """Return a new leaf with a copy of `data`."""

def topk(
    self: Tensor,
    k: _int,
    dim: _int = -1,
    largest: _bool = True,
    sorted: _bool = True,
) -> ValuesAndIndices:
    """Return (values, indices) of the k largest, or smallest, numbers along `dim`."""

def transpose(self: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """Return a view with two dimensions exchanged."""

def tril(self: Tensor, diagonal: _int = 0) -> Tensor:
    """Return a copy with zeros above a diagonal: the lower triangle."""

def triu(self: Tensor, diagonal: _int = 0) -> Tensor:
    """Return a copy with zeros below a diagonal: the upper triangle."""

def unbind(self: Tensor, dim: _int = 0) -> tuple[Tensor, ...]:
    """Return a view of every position along a dimension, which disappears."""

def unsqueeze(self: Tensor, dim: _int) -> Tensor:
    """Return a view with a new dimension of size 1 at `dim`."""

def var(
    self: Tensor,
    dim: _int | Sequence[_int] | None = None,
    unbiased: _bool | None = None,
    keepdim: _bool = False,
    *,
    correction: _float | None = None,
) -> Tensor:
    """Return the variance of all numbers, or along dimension(s)."""

def var_mean(
    self: Tensor,
    dim: _int | Sequence[_int] | None = None,
    unbiased: _bool | None = None,
    keepdim: _bool = False,
    *,
    correction: _float | None = None,
) -> tuple[Tensor, Tensor]:
    """Return variance and mean; see ``var``."""

def where(
    condition: Tensor,
    self: Tensor | _float | ndarray | None = None,
    other: Tensor | _float | ndarray | None = None,
) -> Tensor:
    """Return self where the condition is true and other elsewhere; all three broadcast."""

def zero_(self: Tensor) -> Tensor:
    """Write 0 everywhere."""

def zeros(
    *sizes: _int | Sequence[_int],
    size: _int | Sequence[_int] = ...,
    dtype: dtype | None = None,
    device: device | str | None = None,
    requires_grad: _bool = False,
) -> Tensor:
    """Return a tensor filled with 0: ``zeros(2, 3)`` or ``zeros((2, 3))``."""

def zeros_like(
    input: Tensor,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
    requires_grad: _bool = False,
) -> Tensor:
    """Return a tensor of 0 with the shape and the dtype of a tensor."""
