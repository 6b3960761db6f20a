"""The tensor: a NumPy array that remembers which operation made it."""
# Generated from the live objects: python -m tests.stubs --write
from builtins import bool as _bool
from builtins import float as _float
from builtins import int as _int
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, overload
from numpy import ndarray
from typing_extensions import Self
from minigrad import Generator, Size
from minigrad import device as _device
from minigrad import dtype as _dtype
from minigrad.autograd.graph import Node, RemovableHandle

FLAG_OF_COMPUTED: str
FLAG_OF_FLOATS: str
FLAG_OF_LEAVES: str
GRAD_DTYPE: str
GRAD_SIZE: str
GRAD_TYPE: str
INFERENCE_REQUIRES_GRAD: str
INFERENCE_WRITE: str
NON_LEAF_GRAD: str
ONLY_FLOATS: str
UNCOUNTED: Uncounted
new_object: Any

class ValuesAndIndices(NamedTuple):
    values: Tensor
    indices: Tensor

class Extra:
    """What few tensors have, kept apart so that a tensor stays small, quick to make."""
    accumulator: Any
    detached_at: _int
    hooks: Any
    inference: _bool
    post_accumulate_hooks: Any
    retain_node: Any

class Tensor:
    """A multi-dimensional array of one dtype, with its place in the recorded graph."""
    _array: ndarray
    _requires_grad: Any
    _node: Any
    _output_nr: Any
    _grad: Any
    _counter: Any
    _view: Any
    _extra: Any
    H: Any
    @property
    def T(self) -> Tensor:
        """Return a view with the dimensions in reverse order: ``x.T`` of a matrix."""
    def __abs__(self) -> Tensor: ...
    def __add__(self, other: Tensor | _float | ndarray) -> Tensor:
        """add(x1, x2, /, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True[, signature])"""
    def __and__(self, other: Tensor | _float | ndarray) -> Tensor: ...
    def __array__(self, dtype: _dtype | None = None, copy: Any = None) -> ndarray:
        """Return what NumPy takes for this tensor."""
    def __bool__(self) -> _bool:
        """Return whether the only element is not zero."""
    def __eq__(self, other: object) -> Tensor:  # type: ignore[override]
        """Compare with ``==``; a NumPy array counts as a tensor, as in PyTorch."""
    def __float__(self) -> _float:
        """Return the only element as a float; warn if it requires a gradient."""
    def __floordiv__(self, other: Tensor | _float | ndarray) -> Tensor: ...
    def __ge__(self, other: Tensor | _float | ndarray) -> Tensor:  # type: ignore[misc]
        """greater_equal(x1, x2, /, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True[, signature])"""
    def __getitem__(self, index: Any) -> Tensor:
        """Return ``x[index]``: a view for numbers, slices, None and ``...``, else a copy."""
    def __gt__(self, other: Tensor | _float | ndarray) -> Tensor:  # type: ignore[misc]
        """greater(x1, x2, /, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True[, signature])"""
    def __hash__(self) -> _int: ...
    def __iadd__(self, other: Tensor | _float | ndarray) -> Tensor:
        """Write `add` over the tensor itself, and return it."""
    def __iand__(self, other: Tensor | _float | ndarray) -> Tensor:
        """Write `bitwise_and` over the tensor itself, and return it."""
    def __ifloordiv__(self, other: Tensor | _float | ndarray) -> Tensor: ...
    def __imod__(self, other: Tensor | _float | ndarray) -> Tensor: ...
    def __imul__(self, other: Tensor | _float | ndarray) -> Tensor:
        """Write `mul` over the tensor itself, and return it."""
    def __index__(self) -> _int:
        """Return the only element, an integer, as the position of an item in a list."""
    def __int__(self) -> _int:
        """Return the only element as an int."""
    def __invert__(self) -> Tensor: ...
    def __ior__(self, other: Tensor | _float | ndarray) -> Tensor:
        """Write `bitwise_or` over the tensor itself, and return it."""
    def __ipow__(self, other: Tensor | _float | ndarray) -> Tensor: ...
    def __isub__(self, other: Tensor | _float | ndarray) -> Tensor:
        """Write `sub` over the tensor itself, and return it."""
    def __iter__(self) -> Iterator[Tensor]:
        """Loop over the positions along the first dimension: ``for row in x``."""
    def __itruediv__(self, other: Tensor | _float | ndarray) -> Tensor:
        """Write `div` over the tensor itself, and return it."""
    def __ixor__(self, other: Tensor | _float | ndarray) -> Tensor:
        """Write `bitwise_xor` over the tensor itself, and return it."""
    def __le__(self, other: Tensor | _float | ndarray) -> Tensor:  # type: ignore[misc]
        """less_equal(x1, x2, /, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True[, signature])"""
    def __len__(self) -> _int: ...
    def __lt__(self, other: Tensor | _float | ndarray) -> Tensor:  # type: ignore[misc]
        """less(x1, x2, /, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True[, signature])"""
    def __matmul__(self, other: Tensor | ndarray) -> Tensor: ...
    def __mod__(self, other: Tensor | _float | ndarray) -> Tensor: ...
    def __mul__(self, other: Tensor | _float | ndarray) -> Tensor:
        """multiply(x1, x2, /, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True[, signature])"""
    def __ne__(self, other: object) -> Tensor:  # type: ignore[override]
        """not_equal(x1, x2, /, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True[, signature])"""
    def __neg__(self) -> Tensor: ...
    def __new__(cls, *args: Any) -> Self:
        """Return what ``torch.Tensor(...)`` makes of a shape, of lists, or of a tensor."""
    def __or__(self, other: Tensor | _float | ndarray) -> Tensor: ...
    def __pos__(self) -> Tensor: ...
    def __pow__(self, other: Tensor | _float | ndarray) -> Tensor: ...
    def __radd__(self, other: Tensor | _float | ndarray) -> Tensor:
        """add(x1, x2, /, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True[, signature])"""
    def __rand__(self, other: Tensor | _float | ndarray) -> Tensor: ...
    def __rfloordiv__(self, other: Tensor | _float | ndarray) -> Tensor: ...
    def __rmod__(self, other: Tensor | _float | ndarray) -> Tensor: ...
    def __rmul__(self, other: Tensor | _float | ndarray) -> Tensor:
        """multiply(x1, x2, /, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True[, signature])"""
    def __ror__(self, other: Tensor | _float | ndarray) -> Tensor: ...
    def __rpow__(self, other: Tensor | _float | ndarray) -> Tensor: ...
    def __rsub__(self, other: Tensor | _float | ndarray) -> Tensor: ...
    def __rtruediv__(self, other: Tensor | _float | ndarray) -> Tensor:
        """Return other / self, as PyTorch does: by the reciprocal of self."""
    def __rxor__(self, other: Tensor | _float | ndarray) -> Tensor: ...
    def __setitem__(self, index: Any, value: Any) -> None:
        """Do ``x[index] = value``: a number or a tensor, which is broadcast and converted."""
    def __sub__(self, other: Tensor | _float | ndarray) -> Tensor: ...
    def __truediv__(self, other: Tensor | _float | ndarray) -> Tensor: ...
    def __xor__(self, other: Tensor | _float | ndarray) -> Tensor: ...
    @property
    def _base(self) -> Tensor | None: ...
    def _is_view(self) -> _bool: ...
    @property
    def _version(self) -> _int:
        """How often the memory of this tensor was written in place."""
    def abs(self) -> Tensor: ...
    def abs_(self) -> Tensor:
        """Write `abs` over the tensor itself, and return it."""
    absolute: Any
    absolute_: Any
    acos: Any
    acos_: Any
    acosh: Any
    acosh_: Any
    def add(self, other: Tensor | _float | ndarray, *, alpha: _float = 1) -> Tensor:
        """Return self + alpha * other; shapes broadcast, and the dtypes are promoted."""
    def add_(self, other: Tensor | _float | ndarray, *, alpha: _float = 1) -> Tensor:
        """Return self + alpha * other; shapes broadcast, and the dtypes are promoted."""
    addbmm: Any
    addbmm_: Any
    def addcdiv(self, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
        """Return self + value * tensor1 / tensor2, of floats; all three broadcast."""
    def addcdiv_(self, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
        """Return self + value * tensor1 / tensor2, of floats; all three broadcast."""
    def addcmul(self, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
        """Return self + value * tensor1 * tensor2; all three broadcast."""
    def addcmul_(self, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
        """Return self + value * tensor1 * tensor2; all three broadcast."""
    def addmm(self, mat1: Tensor, mat2: Tensor, *, beta: _float = 1, alpha: _float = 1) -> Tensor:
        """Return beta * self + alpha * (mat1 @ mat2); `self` broadcasts to the product."""
    addmm_: Any
    addmv: Any
    addmv_: Any
    addr: Any
    addr_: Any
    adjoint: Any
    def all(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor:
        """Return whether all of the numbers are true, or all along `dim`: a bool tensor."""
    def allclose(
        self,
        other: Tensor,
        rtol: _float = 1e-05,
        atol: _float = 1e-08,
        equal_nan: _bool = False,
    ) -> _bool:
        """Return whether all numbers are close; see ``isclose``."""
    def amax(self, dim: _int | Sequence[_int] = ..., keepdim: _bool = False) -> Tensor:
        """Return the largest numbers along dimension(s); equal ones share a gradient."""
    def amin(self, dim: _int | Sequence[_int] = ..., keepdim: _bool = False) -> Tensor:
        """Return the smallest numbers along dimension(s); equal ones share a gradient."""
    aminmax: Any
    angle: Any
    def any(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor:
        """Return whether any of the numbers is true, or any along `dim`: a bool tensor."""
    apply_: Any
    arccos: Any
    arccos_: Any
    arccosh: Any
    arccosh_: Any
    arcsin: Any
    arcsin_: Any
    arcsinh: Any
    arcsinh_: Any
    arctan: Any
    arctan2: Any
    arctan2_: Any
    arctan_: Any
    arctanh: Any
    arctanh_: Any
    def argmax(self, dim: _int | None = None, keepdim: _bool = False) -> Tensor:
        """Return the place of the largest number along `dim`, or among all of them."""
    def argmin(self, dim: _int | None = None, keepdim: _bool = False) -> Tensor:
        """Return the place of the smallest number along `dim`, or among all of them."""
    argsort: Any
    argwhere: Any
    def as_strided(
        self,
        size: Sequence[_int],
        stride: Sequence[_int],
        storage_offset: _int | None = None,
    ) -> Tensor:
        """Return a view of this tensor's memory by shape, strides and offset, in elements."""
    as_strided_: Any
    as_strided_scatter: Any
    as_subclass: Any
    asin: Any
    asin_: Any
    asinh: Any
    asinh_: Any
    atan: Any
    atan2: Any
    atan2_: Any
    atan_: Any
    atanh: Any
    atanh_: Any
    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: _bool | None = None,
        create_graph: _bool = False,
        inputs: Tensor | Sequence[Tensor] | None = None,
    ) -> None:
        """Add the gradient of this tensor to the ``.grad`` of the leaves it depends on."""
    baddbmm: Any
    baddbmm_: Any
    def bernoulli(input, *, generator: Generator | None = None) -> Tensor:
        """Return 1 with the probability that `input` holds at each place, otherwise 0."""
    def bernoulli_(self, p: _float = 0.5, *, generator: Generator | None = None) -> Tensor:
        """Fill with 1 with probability p, a number, and otherwise with 0."""
    bfloat16: Any
    bincount: Any
    bitwise_and: Any
    bitwise_and_: Any
    bitwise_left_shift: Any
    bitwise_left_shift_: Any
    bitwise_not: Any
    bitwise_not_: Any
    bitwise_or: Any
    bitwise_or_: Any
    bitwise_right_shift: Any
    bitwise_right_shift_: Any
    bitwise_xor: Any
    bitwise_xor_: Any
    def bmm(self, mat2: Tensor) -> Tensor:
        """Return the products of the matrices of two batches, one by one."""
    def bool(self) -> Tensor:
        """Return the tensor as torch.bool."""
    broadcast_to: Any
    byte: Any
    cauchy_: Any
    ccol_indices: Any
    cdouble: Any
    def ceil(self) -> Tensor:
        """Compute the function of this name for each number, in its dtype."""
    def ceil_(self) -> Tensor:
        """Write `ceil` over the tensor itself, and return it."""
    cfloat: Any
    chalf: Any
    char: Any
    cholesky: Any
    cholesky_inverse: Any
    cholesky_solve: Any
    def chunk(self, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]:
        """Return at most `chunks` views of equal size; the last may be smaller."""
    def clamp(self, min: Tensor | _float | None = None, max: Tensor | _float | None = None) -> Tensor:
        """Return the numbers moved into [min, max]; one of the bounds may be None."""
    def clamp_(self, min: Tensor | _float | None = None, max: Tensor | _float | None = None) -> Tensor:
        """Return the numbers moved into [min, max]; one of the bounds may be None."""
    def clamp_max(self, max: Tensor | _float | ndarray) -> Tensor:
        """Return the smaller of each number and `max`, which is a number or a tensor."""
    def clamp_max_(self, max: Tensor | _float | ndarray) -> Tensor:
        """Return the smaller of each number and `max`, which is a number or a tensor."""
    def clamp_min(self, min: Tensor | _float | ndarray) -> Tensor:
        """Return the larger of each number and `min`, which is a number or a tensor."""
    def clamp_min_(self, min: Tensor | _float | ndarray) -> Tensor:
        """Return the larger of each number and `min`, which is a number or a tensor."""
    clip: Any
    clip_: Any
    def clone(self) -> Tensor: ...
    coalesce: Any
    col_indices: Any
    conj: Any
    conj_physical: Any
    conj_physical_: Any
    const_data_ptr: Any
    def contiguous(self) -> Tensor:
        """Return the tensor itself if its numbers are in order and dense, else a copy."""
    def copy_(self, other: Tensor, non_blocking: _bool = False) -> Tensor:
        """Write the numbers of another tensor, broadcast and converted to this one's dtype."""
    copysign: Any
    copysign_: Any
    corrcoef: Any
    def cos(self) -> Tensor:
        """Compute the function of this name for each number, as floats."""
    def cos_(self) -> Tensor:
        """Write `cos` over the tensor itself, and return it."""
    cosh: Any
    cosh_: Any
    def count_nonzero(self, dim: _int | Sequence[_int] | None = None) -> Tensor:
        """Return how many numbers are not 0, of all or along `dim`: int64."""
    cov: Any
    def cpu(self) -> Tensor:
        """Return the tensor itself: there is no other device."""
    cross: Any
    crow_indices: Any
    cuda: Any
    cummax: Any
    cummin: Any
    def cumprod(self, dim: _int, *, dtype: _dtype | None = None) -> Tensor:
        """Return the running products along `dim`; of integers and bools in int64."""
    cumprod_: Any
    def cumsum(self, dim: _int, *, dtype: _dtype | None = None) -> Tensor:
        """Return the running sums along `dim`; of integers and bools in int64."""
    cumsum_: Any
    @property
    def data(self) -> Tensor:
        """A constant in the same memory, whose writes this tensor does not notice."""
    @data.setter
    def data(self, value: Tensor) -> None: ...
    def data_ptr(self) -> _int:
        """Return the address of the first element; 0 if there is none."""
    deg2rad: Any
    deg2rad_: Any
    dense_dim: Any
    dequantize: Any
    det: Any
    def detach(self) -> Tensor:
        """Return a constant in the same memory, which counts writes with this tensor."""
    def detach_(self) -> Tensor:
        """Remove this tensor from the graph, and return it; it must not be a view."""
    @property
    def device(self) -> _device: ...
    def diag(self, diagonal: _int = 0) -> Tensor:
        """Return a copy of a matrix's diagonal, or the matrix with a vector on a diagonal."""
    diag_embed: Any
    diagflat: Any
    def diagonal(self, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
        """Return a view of the elements whose indices along two dimensions are equal."""
    diagonal_scatter: Any
    diff: Any
    digamma: Any
    digamma_: Any
    def dim(self) -> _int:
        """Return the number of dimensions."""
    dim_order: Any
    dist: Any
    def div(self, other: Tensor | _float | ndarray, *, rounding_mode: str | None = None) -> Tensor:
        """Return self / other; rounded down for the mode "floor", towards 0 for "trunc"."""
    def div_(self, other: Tensor | _float | ndarray, *, rounding_mode: str | None = None) -> Tensor:
        """Return self / other; rounded down for the mode "floor", towards 0 for "trunc"."""
    divide: Any
    divide_: Any
    def dot(self, tensor: Tensor) -> Tensor:
        """Return the sum of the products of two vectors."""
    def double(self) -> Tensor:
        """Return the tensor as torch.float64."""
    dsplit: Any
    @property
    def dtype(self) -> _dtype:
        """The type of the numbers, such as ``torch.float32``."""
    eig: Any
    def element_size(self) -> _int:
        """Return the number of bytes of one element."""
    def eq(self, other: Tensor | _float | ndarray) -> Tensor:
        """Return NumPy's `equal` of each pair of numbers."""
    def eq_(self, other: Tensor | _float | ndarray) -> Tensor:
        """Return NumPy's `equal` of each pair of numbers."""
    def equal(self, other: Tensor) -> _bool:
        """Return whether two tensors have the same shape and the same numbers."""
    erf: Any
    erf_: Any
    erfc: Any
    erfc_: Any
    erfinv: Any
    erfinv_: Any
    def exp(self) -> Tensor:
        """Compute the function of this name for each number, as floats."""
    exp2: Any
    exp2_: Any
    def exp_(self) -> Tensor:
        """Write `exp` over the tensor itself, and return it."""
    def expand(self, *sizes: _int | Sequence[_int], size: _int | Sequence[_int] | None = None) -> Tensor:
        """Return a view that repeats dimensions of size 1, or new ones in front."""
    def expand_as(self, other: Tensor) -> Tensor:
        """Return ``self.expand(other.shape)``."""
    expm1: Any
    expm1_: Any
    exponential_: Any
    def fill_(self, value: Tensor | _float | ndarray) -> Tensor:
        """Write one number, or a tensor without dimensions, everywhere."""
    fill_diagonal_: Any
    fix: Any
    fix_: Any
    def flatten(self, start_dim: _int = 0, end_dim: _int = -1) -> Tensor:
        """Run the dimensions from `start_dim` to `end_dim` into one: a view if possible."""
    def flip(self, *order: _int | Sequence[_int], dims: _int | Sequence[_int] | None = None) -> Tensor:
        """Return a copy in reverse order along some dimensions."""
    fliplr: Any
    flipud: Any
    def float(self) -> Tensor:
        """Return the tensor as torch.float32."""
    float_power: Any
    float_power_: Any
    def floor(self) -> Tensor:
        """Compute the function of this name for each number, in its dtype."""
    def floor_(self) -> Tensor:
        """Write `floor` over the tensor itself, and return it."""
    def floor_divide(self, other: Tensor | _float | ndarray) -> Tensor:
        """Return self / other rounded down, as ``//`` does; it has no gradient."""
    def floor_divide_(self, other: Tensor | _float | ndarray) -> Tensor:
        """Return self / other rounded down, as ``//`` does; it has no gradient."""
    fmax: Any
    fmin: Any
    fmod: Any
    fmod_: Any
    frac: Any
    frac_: Any
    frexp: Any
    def gather(self, dim: _int, index: Tensor, *, sparse_grad: _bool = False) -> Tensor:
        """Return the elements that an index tensor (int64) names along a dimension."""
    gcd: Any
    gcd_: Any
    def ge(self, other: Tensor | _float | ndarray) -> Tensor:
        """Return NumPy's `greater_equal` of each pair of numbers."""
    def ge_(self, other: Tensor | _float | ndarray) -> Tensor:
        """Return NumPy's `greater_equal` of each pair of numbers."""
    geometric_: Any
    geqrf: Any
    ger: Any
    get_device: Any
    @property
    def grad(self) -> Tensor | None:
        """The gradient that backward passes have accumulated; None before the first."""
    @grad.setter
    def grad(self, value: Tensor | None) -> None: ...
    grad_dtype: Any
    @property
    def grad_fn(self) -> Node | None:
        """The node that made this tensor, or None for a leaf."""
    greater: Any
    greater_: Any
    greater_equal: Any
    greater_equal_: Any
    def gt(self, other: Tensor | _float | ndarray) -> Tensor:
        """Return NumPy's `greater` of each pair of numbers."""
    def gt_(self, other: Tensor | _float | ndarray) -> Tensor:
        """Return NumPy's `greater` of each pair of numbers."""
    def half(self) -> Tensor:
        """Return the tensor as torch.float16."""
    hardshrink: Any
    hash_tensor: Any
    heaviside: Any
    heaviside_: Any
    histc: Any
    histogram: Any
    hsplit: Any
    hypot: Any
    hypot_: Any
    i0: Any
    i0_: Any
    igamma: Any
    igamma_: Any
    igammac: Any
    igammac_: Any
    imag: Any
    index: Any
    index_add: Any
    def index_add_(self, dim: _int, index: Tensor, source: Tensor, *, alpha: _float = 1) -> Tensor:
        """Add alpha * source at the positions along a dimension that indices name."""
    index_copy: Any
    index_copy_: Any
    index_fill: Any
    index_fill_: Any
    index_put: Any
    index_put_: Any
    index_reduce: Any
    index_reduce_: Any
    def index_select(self, dim: _int, index: Tensor) -> Tensor:
        """Return the positions along a dimension that a vector of indices names."""
    indices: Any
    inner: Any
    def int(self) -> Tensor:
        """Return the tensor as torch.int32."""
    int_repr: Any
    inverse: Any
    ipu: Any
    is_coalesced: Any
    is_complex: Any
    is_conj: Any
    def is_contiguous(self) -> _bool:
        """Return whether the elements are in memory row after row, without gaps."""
    is_cpu: Any
    is_cuda: Any
    is_distributed: Any
    def is_floating_point(self) -> _bool:
        """Return whether the numbers are floats."""
    def is_inference(self) -> _bool:
        """Return whether this tensor was made inside ``inference_mode``."""
    is_ipu: Any
    @property
    def is_leaf(self) -> _bool:
        """Whether no recorded operation made this tensor."""
    is_maia: Any
    is_meta: Any
    is_mkldnn: Any
    is_mps: Any
    is_mtia: Any
    is_neg: Any
    is_nested: Any
    is_nonzero: Any
    is_pinned: Any
    is_quantized: Any
    is_same_size: Any
    is_set_to: Any
    is_shared: Any
    is_signed: Any
    is_sparse: Any
    is_sparse_csr: Any
    is_vulkan: Any
    is_xla: Any
    is_xpu: Any
    def isclose(
        self,
        other: Tensor,
        rtol: _float = 1e-05,
        atol: _float = 1e-08,
        equal_nan: _bool = False,
    ) -> Tensor:
        """Return where abs(self - other) <= atol + rtol * abs(other)."""
    def isfinite(self) -> Tensor:
        """isfinite(x, /, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True[, signature])"""
    def isinf(self) -> Tensor:
        """isinf(x, /, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True[, signature])"""
    def isnan(self) -> Tensor:
        """isnan(x, /, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True[, signature])"""
    isneginf: Any
    isposinf: Any
    isreal: Any
    istft: Any
    def item(self) -> Any:
        """Return the only element as a Python number."""
    itemsize: Any
    kron: Any
    kthvalue: Any
    layout: Any
    lcm: Any
    lcm_: Any
    ldexp: Any
    ldexp_: Any
    def le(self, other: Tensor | _float | ndarray) -> Tensor:
        """Return NumPy's `less_equal` of each pair of numbers."""
    def le_(self, other: Tensor | _float | ndarray) -> Tensor:
        """Return NumPy's `less_equal` of each pair of numbers."""
    def lerp(self, end: Tensor, weight: Tensor | _float) -> Tensor:
        """Return self + weight * (end - self): self for weight 0, end for weight 1."""
    def lerp_(self, end: Tensor, weight: Tensor | _float) -> Tensor:
        """Return self + weight * (end - self): self for weight 0, end for weight 1."""
    less: Any
    less_: Any
    less_equal: Any
    less_equal_: Any
    lgamma: Any
    lgamma_: Any
    def log(self) -> Tensor:
        """Compute the function of this name for each number, as floats."""
    log10: Any
    log10_: Any
    def log1p(self) -> Tensor:
        """Compute the function of this name for each number, as floats."""
    def log1p_(self) -> Tensor:
        """Write `log1p` over the tensor itself, and return it."""
    log2: Any
    log2_: Any
    def log_(self) -> Tensor:
        """Write `log` over the tensor itself, and return it."""
    log_normal_: Any
    def log_softmax(self, dim: _int, dtype: _dtype | None = None) -> Tensor:
        """Return log(softmax(x)) along `dim`, without probabilities that round to 0."""
    logaddexp: Any
    logaddexp2: Any
    logcumsumexp: Any
    logdet: Any
    logical_and: Any
    logical_and_: Any
    logical_not: Any
    logical_not_: Any
    logical_or: Any
    logical_or_: Any
    logical_xor: Any
    logical_xor_: Any
    logit: Any
    logit_: Any
    def logsumexp(self, dim: _int | Sequence[_int], keepdim: _bool = False) -> Tensor:
        """Return log(sum(exp(x))) along the dimension(s) `dim`, as floats."""
    def long(self) -> Tensor:
        """Return the tensor as torch.int64."""
    lstsq: Any
    def lt(self, other: Tensor | _float | ndarray) -> Tensor:
        """Return NumPy's `less` of each pair of numbers."""
    def lt_(self, other: Tensor | _float | ndarray) -> Tensor:
        """Return NumPy's `less` of each pair of numbers."""
    lu: Any
    lu_solve: Any
    mH: Any
    mT: Any
    map2_: Any
    map_: Any
    def masked_fill(self, mask: Tensor, value: Tensor | _float | ndarray) -> Tensor:
        """Return a copy with one number where the mask (bool) is True; both broadcast."""
    def masked_fill_(self, mask: Tensor, value: Tensor | _float | ndarray) -> Tensor:
        """Write one number where the mask, broadcast, is True."""
    masked_scatter: Any
    masked_scatter_: Any
    def masked_select(self, mask: Tensor) -> Tensor:
        """Return the elements where the mask (bool) is True, as a vector; both broadcast."""
    def matmul(self, other: Tensor) -> Tensor:
        """Return the product of two tensors, by their dimensions."""
    matrix_exp: Any
    matrix_power: Any
    @overload
    def max(self) -> Tensor:
        """Return the largest number; along `dim`, (values, indices); or of each pair."""
    @overload
    def max(self, dim: Tensor) -> Tensor: ...
    @overload
    def max(self, dim: _int, keepdim: _bool = False) -> ValuesAndIndices: ...
    def maximum(self, other: Tensor) -> Tensor:
        """Return the larger (smaller) of each two numbers; nan if one is."""
    def mean(
        self,
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
        *,
        dtype: _dtype | None = None,
    ) -> Tensor:
        """Return the mean of all numbers, or the means over the dimension(s) `dim`."""
    @overload
    def median(self) -> Tensor:
        """Return the middle number, the lower one of two; along `dim` (values, indices)."""
    @overload
    def median(self, dim: _int, keepdim: _bool = False) -> ValuesAndIndices: ...
    @overload
    def min(self) -> Tensor:
        """Return the smallest number; along `dim`, (values, indices); or of each pair."""
    @overload
    def min(self, dim: Tensor) -> Tensor: ...
    @overload
    def min(self, dim: _int, keepdim: _bool = False) -> ValuesAndIndices: ...
    def minimum(self, other: Tensor) -> Tensor:
        """Return the larger (smaller) of each two numbers; nan if one is."""
    def mm(self, mat2: Tensor) -> Tensor:
        """Return the product of two matrices."""
    mode: Any
    module_load: Any
    moveaxis: Any
    movedim: Any
    msort: Any
    mtia: Any
    def mul(self, other: Tensor | _float | ndarray) -> Tensor:
        """Return self * other; shapes broadcast, and the dtypes are promoted."""
    def mul_(self, other: Tensor | _float | ndarray) -> Tensor:
        """Return self * other; shapes broadcast, and the dtypes are promoted."""
    multinomial: Any
    multiply: Any
    multiply_: Any
    def mv(self, vec: Tensor) -> Tensor:
        """Return the product of a matrix and a vector."""
    mvlgamma: Any
    mvlgamma_: Any
    @property
    def name(self) -> str | None: ...
    nan_to_num: Any
    nan_to_num_: Any
    nanmean: Any
    nanmedian: Any
    nanquantile: Any
    def nansum(
        self,
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
        *,
        dtype: _dtype | None = None,
    ) -> Tensor:
        """Return the sum of the numbers that are not nan, of all or along `dim`."""
    def narrow(self, dim: _int, start: _int, length: _int) -> Tensor:
        """Return a view of `length` positions along a dimension, from `start` on."""
    narrow_copy: Any
    @property
    def nbytes(self) -> _int: ...
    @property
    def ndim(self) -> _int:
        """Return the number of dimensions."""
    ndimension: Any
    def ne(self, other: Tensor | _float | ndarray) -> Tensor:
        """Return NumPy's `not_equal` of each pair of numbers."""
    def ne_(self, other: Tensor | _float | ndarray) -> Tensor:
        """Return NumPy's `not_equal` of each pair of numbers."""
    def neg(self) -> Tensor: ...
    def neg_(self) -> Tensor:
        """Write `neg` over the tensor itself, and return it."""
    negative: Any
    negative_: Any
    nelement: Any
    new: Any
    new_empty: Any
    new_empty_strided: Any
    new_full: Any
    def new_ones(
        self,
        *sizes: _int | Sequence[_int],
        size: Sequence[_int] = ...,
        dtype: _dtype | None = None,
        device: _device | str | None = None,
        requires_grad: _bool = False,
    ) -> Tensor:
        """Return ones in the dtype of this tensor: ``x.new_ones(2, 3)``."""
    new_tensor: Any
    def new_zeros(
        self,
        *sizes: _int | Sequence[_int],
        size: Sequence[_int] = ...,
        dtype: _dtype | None = None,
        device: _device | str | None = None,
        requires_grad: _bool = False,
    ) -> Tensor:
        """Return zeros in the dtype of this tensor: ``x.new_zeros(2, 3)``."""
    nextafter: Any
    nextafter_: Any
    @overload
    def nonzero(self, *, as_tuple: Literal[False] = False) -> Tensor:
        """Return the indices of elements that are not zero, in rows."""
    @overload
    def nonzero(self, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]: ...
    nonzero_static: Any
    def norm(
        self,
        p: _float | str = 'fro',
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
    ) -> Tensor:
        """Return (sum |x|^p)^(1/p) of all numbers, or along the dimension(s) `dim`."""
    def normal_(
        self,
        mean: _float = 0.0,
        std: _float = 1.0,
        *,
        generator: Generator | None = None,
    ) -> Tensor:
        """Fill with normal numbers with this mean and standard deviation."""
    not_equal: Any
    not_equal_: Any
    def numel(self) -> _int:
        """Return the number of elements."""
    def numpy(self, *, force: _bool = False) -> ndarray:
        """Return a NumPy array that shares the memory."""
    orgqr: Any
    ormqr: Any
    def outer(self, vec2: Tensor) -> Tensor:
        """Return the products of each element of one vector with each of another."""
    @property
    def output_nr(self) -> _int:
        """Which output of its ``grad_fn`` this tensor is; 0 for a leaf."""
    def permute(self, *order: _int | Sequence[_int], dims: _int | Sequence[_int] | None = None) -> Tensor:
        """Return a view with the dimensions in another order."""
    pin_memory: Any
    pinverse: Any
    polygamma: Any
    polygamma_: Any
    positive: Any
    def pow(self, exponent: Tensor | _float | ndarray) -> Tensor:
        """Return self ** exponent; one of the two may be a number."""
    def pow_(self, exponent: Tensor | _float | ndarray) -> Tensor:
        """Return self ** exponent; one of the two may be a number."""
    prelu: Any
    def prod(
        self,
        dim: _int | None = None,
        keepdim: _bool = False,
        *,
        dtype: _dtype | None = None,
    ) -> Tensor:
        """Return the product of all numbers, or those along one dimension."""
    put: Any
    put_: Any
    q_per_channel_axis: Any
    q_per_channel_scales: Any
    q_per_channel_zero_points: Any
    q_scale: Any
    q_zero_point: Any
    qr: Any
    qscheme: Any
    quantile: Any
    rad2deg: Any
    rad2deg_: Any
    random_: Any
    def ravel(self) -> Tensor:
        """Return the numbers in one dimension: a view if they are in order, else a copy."""
    real: Any
    def reciprocal(self) -> Tensor:
        """Compute the function of this name for each number, as floats."""
    def reciprocal_(self) -> Tensor:
        """Write `reciprocal` over the tensor itself, and return it."""
    record_stream: Any
    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(grad)` each time a gradient with respect to this tensor is computed."""
    def register_post_accumulate_grad_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(tensor)` after a backward pass has added to this leaf's ``.grad``."""
    def reinforce(self, reward: _float) -> Tensor:
        """Raise the error that says how to write this today."""
    def relu(self) -> Tensor: ...
    def relu_(self) -> Tensor:
        """Write `relu` over the tensor itself, and return it."""
    def remainder(self, other: Tensor | _float | ndarray) -> Tensor:
        """Return self - other * (self // other), as ``%`` does, with the sign of other."""
    def remainder_(self, other: Tensor | _float | ndarray) -> Tensor:
        """Return self - other * (self // other), as ``%`` does, with the sign of other."""
    renorm: Any
    renorm_: Any
    def repeat(self, *counts: _int | Sequence[_int], repeats: _int | Sequence[_int] | None = None) -> Tensor:
        """Return the tensor copied side by side, so often along each dimension."""
    repeat_interleave: Any
    @property
    def requires_grad(self) -> _bool:
        """Whether a gradient flows back to this tensor.  May be set on leaves only."""
    @requires_grad.setter
    def requires_grad(self, value: _bool) -> None: ...
    def requires_grad_(self, requires_grad: _bool = True) -> Tensor:
        """Switch the recording of operations on this leaf on or off, and return the tensor."""
    def reshape(self, *sizes: _int | Sequence[_int], shape: _int | Sequence[_int] | None = None) -> Tensor:
        """Return the same numbers in another shape: a view if possible, else a copy."""
    reshape_as: Any
    resize: Any
    def resize_(self, *sizes: _int | Sequence[_int]) -> Tensor:
        """Give the tensor another size, in new memory; what is added may be anything."""
    resize_as: Any
    resize_as_: Any
    resize_as_sparse_: Any
    resolve_conj: Any
    resolve_neg: Any
    def retain_grad(self) -> None:
        """Keep this tensor's gradient in ``.grad``, although it is not a leaf."""
    @property
    def retains_grad(self) -> _bool:
        """Whether ``retain_grad()`` was called when this tensor was not a leaf."""
    roll: Any
    rot90: Any
    def round(self, *, decimals: _int = 0) -> Tensor:
        """Round to so many decimals, and halves to the even neighbour: 0.5 to 0."""
    def round_(self, *, decimals: _int = 0) -> Tensor:
        """Round to so many decimals, and halves to the even neighbour: 0.5 to 0."""
    row_indices: Any
    def rsqrt(self) -> Tensor:
        """Compute the function of this name for each number, as floats."""
    def rsqrt_(self) -> Tensor:
        """Write `rsqrt` over the tensor itself, and return it."""
    def scatter(
        self,
        dim: _int,
        index: Tensor,
        src: Tensor | _float | None = None,
        *,
        value: Any = None,
    ) -> Tensor:
        """Return a copy to which `scatter_` has written."""
    def scatter_(
        self,
        dim: _int,
        index: Tensor,
        src: Tensor | _float | None = None,
        *,
        value: Any = None,
    ) -> Tensor:
        """Write src[i][j], or a number, to self[i][index[i][j]] for dim=1, and so on."""
    def scatter_add(self, dim: _int, index: Tensor, src: Tensor) -> Tensor:
        """Return a copy to which the elements of `src` were added; see `scatter_`."""
    def scatter_add_(self, dim: _int, index: Tensor, src: Tensor) -> Tensor:
        """Add src[i][j] to self[i][index[i][j]] for dim=1, and so on."""
    scatter_reduce: Any
    scatter_reduce_: Any
    def select(self, dim: _int, index: _int) -> Tensor:
        """Return a view of one position along a dimension, which disappears."""
    select_scatter: Any
    set_: Any
    sgn: Any
    sgn_: Any
    @property
    def shape(self) -> Size:
        """The number of elements along each dimension."""
    share_memory_: Any
    def short(self) -> Tensor:
        """Return the tensor as torch.int16."""
    def sigmoid(self) -> Tensor:
        """Compute the function of this name for each number, as floats."""
    def sigmoid_(self) -> Tensor:
        """Write `sigmoid` over the tensor itself, and return it."""
    def sign(self) -> Tensor: ...
    def sign_(self) -> Tensor:
        """Write `sign` over the tensor itself, and return it."""
    signbit: Any
    def sin(self) -> Tensor:
        """Compute the function of this name for each number, as floats."""
    def sin_(self) -> Tensor:
        """Write `sin` over the tensor itself, and return it."""
    sinc: Any
    sinc_: Any
    sinh: Any
    sinh_: Any
    @overload
    def size(self) -> Size:
        """Return the shape, or the number of elements along one dimension."""
    @overload
    def size(self, dim: _int) -> _int: ...
    slice_inverse: Any
    slice_scatter: Any
    slogdet: Any
    smm: Any
    def softmax(self, dim: _int, dtype: _dtype | None = None) -> Tensor:
        """Return exp(x) / sum(exp(x)) along `dim`: positive numbers that add up to 1."""
    solve: Any
    def sort(self, dim: _int = -1, descending: _bool = False, *, stable: _bool = True) -> ValuesAndIndices:
        """Return (values, indices) in order along `dim`; nan comes after all numbers."""
    sparse_dim: Any
    sparse_mask: Any
    sparse_resize_: Any
    sparse_resize_and_clear_: Any
    def split(self, split_size_or_sections: _int | Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]:
        """Return views of so many positions each, or of the sizes in a list."""
    split_with_sizes: Any
    def sqrt(self) -> Tensor:
        """Compute the function of this name for each number, as floats."""
    def sqrt_(self) -> Tensor:
        """Write `sqrt` over the tensor itself, and return it."""
    def square(self) -> Tensor:
        """Return self ** 2."""
    def square_(self) -> Tensor:
        """Return self ** 2."""
    def squeeze(self, *dims: _int | Sequence[_int], dim: _int | Sequence[_int] | None = None) -> Tensor:
        """Return a view without dimensions of size 1: all, or those among the given ones."""
    squeeze_: Any
    sspaddmm: Any
    def std(
        self,
        dim: _int | Sequence[_int] | None = None,
        unbiased: _bool | None = None,
        keepdim: _bool = False,
        *,
        correction: _float | None = None,
    ) -> Tensor:
        """Return the standard deviation, the root of the variance; see ``var``."""
    stft: Any
    storage: Any
    storage_offset: Any
    storage_type: Any
    @overload
    def stride(self) -> tuple[_int, ...]:
        """Return how many elements apart neighbours are in memory, along each dimension."""
    @overload
    def stride(self, dim: _int) -> _int: ...
    def sub(self, other: Tensor | _float | ndarray, *, alpha: _float = 1) -> Tensor:
        """Return self - alpha * other, as `add` does; raises RuntimeError for bools."""
    def sub_(self, other: Tensor | _float | ndarray, *, alpha: _float = 1) -> Tensor:
        """Return self - alpha * other, as `add` does; raises RuntimeError for bools."""
    subtract: Any
    subtract_: Any
    def sum(
        self,
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
        *,
        dtype: _dtype | None = None,
        axis: _int | Sequence[_int] | None = None,
        keepdims: _bool = False,
    ) -> Tensor:
        """Return the sum of all numbers, or the sums over the dimension(s) `dim`."""
    def sum_to_size(x, shape: Sequence[_int]) -> Tensor:
        """Sum over the dimensions that `shape` lacks or has as 1: undo broadcasting."""
    svd: Any
    swapaxes: Any
    swapaxes_: Any
    swapdims: Any
    swapdims_: Any
    symeig: Any
    def t(self) -> Tensor:
        """Return a view of a matrix, transposed; a vector stays as it is."""
    t_: Any
    take: Any
    take_along_dim: Any
    def tan(self) -> Tensor:
        """Compute the function of this name for each number, as floats."""
    def tan_(self) -> Tensor:
        """Write `tan` over the tensor itself, and return it."""
    def tanh(self) -> Tensor:
        """Compute the function of this name for each number, as floats."""
    def tanh_(self) -> Tensor:
        """Write `tanh` over the tensor itself, and return it."""
    tensor_split: Any
    tile: Any
    def to(
        self,
        *args: Any,
        dtype: _dtype | None = None,
        device: _device | str | None = None,
        non_blocking: _bool = False,
        copy: _bool = False,
    ) -> Tensor:
        """Return the tensor in another dtype: ``x.to(torch.float64)``, ``x.to(other)``."""
    to_dense: Any
    to_mkldnn: Any
    to_padded_tensor: Any
    to_sparse: Any
    to_sparse_bsc: Any
    to_sparse_bsr: Any
    to_sparse_coo: Any
    to_sparse_csc: Any
    to_sparse_csr: Any
    def tolist(self) -> Any:
        """Return the elements as nested lists; without dimensions, as a number."""
    def topk(self, k: _int, dim: _int = -1, largest: _bool = True, sorted: _bool = True) -> ValuesAndIndices:
        """Return (values, indices) of the k largest, or smallest, numbers along `dim`."""
    trace: Any
    def transpose(self, dim0: _int, dim1: _int) -> Tensor:
        """Return a view with two dimensions exchanged."""
    transpose_: Any
    triangular_solve: Any
    def tril(self, diagonal: _int = 0) -> Tensor:
        """Return a copy with zeros above a diagonal: the lower triangle."""
    tril_: Any
    def triu(self, diagonal: _int = 0) -> Tensor:
        """Return a copy with zeros below a diagonal: the upper triangle."""
    triu_: Any
    true_divide: Any
    true_divide_: Any
    trunc: Any
    trunc_: Any
    @overload
    def type(self) -> str:
        """Return the dtype's old name, ``"torch.FloatTensor"``, or convert to a dtype."""
    @overload
    def type(self, dtype: _dtype | str) -> Tensor: ...
    type_as: Any
    def unbind(self, dim: _int = 0) -> tuple[Tensor, ...]:
        """Return a view of every position along a dimension, which disappears."""
    unflatten: Any
    unfold: Any
    def uniform_(
        self,
        from_: _float = 0.0,
        to: _float = 1.0,
        *,
        generator: Generator | None = None,
    ) -> Tensor:
        """Fill with numbers spread evenly over [from, to)."""
    unique: Any
    unique_consecutive: Any
    unsafe_chunk: Any
    unsafe_split: Any
    unsafe_split_with_sizes: Any
    def unsqueeze(self, dim: _int) -> Tensor:
        """Return a view with a new dimension of size 1 at `dim`."""
    unsqueeze_: Any
    def untyped_storage(self) -> Any:
        """Return the memory that views share: it has ``data_ptr()`` and ``nbytes()``."""
    values: Any
    def var(
        self,
        dim: _int | Sequence[_int] | None = None,
        unbiased: _bool | None = None,
        keepdim: _bool = False,
        *,
        correction: _float | None = None,
    ) -> Tensor:
        """Return the variance of all numbers, or along dimension(s)."""
    vdot: Any
    def view(self, *sizes: _int | Sequence[_int], size: _int | Sequence[_int] | None = None) -> Tensor:
        """Return the same numbers in the same memory, in another shape."""
    def view_as(self, other: Tensor) -> Tensor:
        """Return ``self.view(other.shape)``."""
    @property
    def volatile(self) -> _bool:
        """False: recording is now switched off by ``torch.no_grad()``."""
    @volatile.setter
    def volatile(self, value: _bool) -> None: ...
    vsplit: Any
    def where(self, condition: Tensor, other: Tensor | _float | ndarray) -> Tensor:
        """Return self where the condition is true, and other elsewhere."""
    xlogy: Any
    xlogy_: Any
    xpu: Any
    def zero_(self) -> Tensor:
        """Write 0 everywhere."""

class Uncounted:
    """The counter of a tensor made in inference mode, whose writes are not counted."""
    place: Any
    @property
    def value(self) -> Any: ...

class VersionCounter:
    """Counts the writes to memory; a tensor, its views and ``detach()`` share one."""
    def __init__(self) -> None: ...
    place: Any
    value: Any

class readonly(property):
    """A property that refuses to be set or deleted in PyTorch's words."""
    def __init__(self, get: Any, name: str | None = None) -> None: ...

def bump_version(tensor: Tensor, place: Any = None) -> None:
    """Count a write to the tensor's memory, and remember where in the program it is."""

def mark_inference(tensor: Tensor) -> None:
    """Mark as made in inference_mode: no node may save it, no version is counted."""

def wrap(array: Any, kind: Any = ...) -> Tensor:
    """Return a tensor without history around `array` itself, not a copy of it."""

def wrap_new(array: Any) -> Tensor:
    """Return a tensor around a new array, marked if made in inference_mode."""
