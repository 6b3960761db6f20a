"""The recorded graph, as ``torch.autograd.graph`` lets a program look at it."""
# Generated from the live objects: python -m tests.stubs --write
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple
from minigrad.tensor import Tensor

class RemovableHandle(AbstractContextManager[Any]):
    def remove(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...

class GradientEdge(NamedTuple):
    """One output of one node, where a gradient arrives; it may stand for a tensor."""
    node: Node
    output_nr: int
    ownership_token: Any

class Node:
    """One recorded operation; subclasses carry the names that grad_fn=<...> shows."""
    def __call__(self, *grads: Any) -> Any:
        """Return the gradients of the inputs, given those of the outputs."""
    @property
    def metadata(self) -> dict[str, Any]:
        """Your own notes on this node; anomaly mode keeps the forward trace here."""
    def name(self) -> str: ...
    @property
    def next_functions(self) -> tuple[Any, ...]:
        """For each input: the node its gradient goes to, or None, and which output."""
    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(grad_inputs, grad_outputs)` after this node ran."""
    def register_prehook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(grad_outputs)`, which may replace these, before this node runs."""
    def __getattr__(self, name: str) -> Any: ...

class save_on_cpu(saved_tensors_hooks):
    """Keep saved tensors in main memory, where every tensor of minigrad is."""
    def __init__(self, pin_memory: bool = False, device_type: str = 'cuda') -> None: ...

class saved_tensors_hooks:
    """Within the block, save `pack_hook(tensor)` instead of each tensor."""
    def __enter__(self) -> Any: ...
    def __exit__(self, *error: object) -> None: ...
    def __init__(self, pack_hook: Callable[..., Any], unpack_hook: Callable[..., Any]) -> None: ...

def allow_mutation_on_saved_tensors() -> AbstractContextManager[Any]:
    """Within the block, save copies, so that what was saved may be written in place."""

def disable_saved_tensors_hooks(error_message: str) -> AbstractContextManager[None]:
    """Within the block, make it a RuntimeError to enter ``saved_tensors_hooks``."""

def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """Return the edge of the graph along which the gradient of the tensor arrives."""

def increment_version(tensors: Tensor | Iterable[Tensor]) -> None:
    """Count a write to one or several tensors that was not seen."""

def register_multi_grad_hook(
    tensors: Sequence[Tensor],
    fn: Callable[..., Any],
    *,
    mode: str = 'all',
) -> RemovableHandle:
    """Call `fn` in each backward pass that computes gradients of some of the tensors."""
