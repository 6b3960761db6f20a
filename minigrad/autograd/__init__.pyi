"""Recorded history and how it is replayed.  Public names as in ``torch.autograd``."""
# Generated from the live objects: python -m tests.stubs --write
from collections.abc import Callable, Sequence
from typing import Any
from minigrad.autograd import anomaly_mode as anomaly_mode
from minigrad.autograd import function as function
from minigrad.autograd import functional as functional
from minigrad.autograd import grad_mode as grad_mode
from minigrad.autograd import graph as graph
from minigrad.autograd.anomaly_mode import detect_anomaly as detect_anomaly
from minigrad.autograd.anomaly_mode import set_detect_anomaly as set_detect_anomaly
from minigrad.autograd.function import Function as Function
from minigrad.autograd.grad_mode import enable_grad as enable_grad
from minigrad.autograd.grad_mode import inference_mode as inference_mode
from minigrad.autograd.grad_mode import no_grad as no_grad
from minigrad.autograd.grad_mode import set_grad_enabled as set_grad_enabled
from minigrad.tensor import Tensor

class SavedTensor:
    """One value of a node, or of a `SavedList` in it; hooks can still be put on it."""
    def __init__(self, owner: Tensor | None = None, index: Any = None, node: Any = None) -> None: ...
    @property
    def data(self) -> Any:
        """The tensor; of a result, without its history; what a pack hook returned."""
    def register_hooks(self, pack_hook: Callable[..., Any], unpack_hook: Callable[..., Any]) -> None:
        """Replace the saved tensor by ``pack_hook(tensor)``."""
    @property
    def unpack_hook(self) -> Any:
        """The function that will be asked for the tensor, or None."""

class Variable(Tensor): ...

def backward(
    tensors: Tensor | Sequence[Tensor],
    grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Tensor | Sequence[Tensor] | None = None,
    inputs: Tensor | Sequence[Tensor] | None = None,
) -> None:
    """Add the gradient of the sum of `tensors` to the ``.grad`` of the leaves."""

def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor, ...]:
    """Return the gradients of the sum of `outputs`, one for each of `inputs`."""

def gradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Tensor],
    *,
    eps: float = 1e-06,
    atol: float = 1e-05,
    rtol: float = 0.001,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    fast_mode: bool = False,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_backward_ad: bool = True,
) -> bool:
    """Compare the gradients of ``func(*inputs)`` with difference quotients."""

def gradgradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    **options: Any,
) -> bool:
    """Check the gradients of the gradients: `gradcheck` the function that returns them."""
