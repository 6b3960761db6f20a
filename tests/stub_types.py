"""The types that tests/stubs.py writes where a definition has no annotation.

An annotation in the source is better, where it says the type; these tables are for what many
operations share, and for what one annotation cannot say.
"""
from __future__ import annotations


def table(text):
    """Return {name: type} of lines that hold a type, two spaces or more, and the names with it."""
    found, type_ = {}, ""
    for line in text.strip("\n").split("\n"):
        first, _, names = line.strip().partition("  ")
        if names:
            type_ = first
        else:               # a line of names only: of the same type as the one above
            names = first
        found.update(dict.fromkeys(names.split(), type_))
    return found


# The public names of modules that do not list them; of other modules all that they define.
NAMES = {
    "minigrad.autograd.grad_mode": "Mode enable_grad inference_mode no_grad set_grad_enabled",
    "minigrad.autograd.anomaly_mode": "detect_anomaly set_detect_anomaly",
    "minigrad.autograd.function": "Function once_differentiable",
    "minigrad.nn.parameter": "Parameter",
    "minigrad.utils.checkpoint": "CheckpointError checkpoint",
}

# A parameter, by its name, or of one function or class: "function.parameter".
PARAMETERS = table("""
Tensor                      self input target tensor tensor1 tensor2 mat1 mat2 vec vec2 mask sum_to_size.x
                            gather.index scatter.index scatter_.index scatter_add_.index index_select.index
                            index_add_.index one_hot.index scatter_add.index index_add.index
                            source src condition other weight bias running_mean running_var
                            pos_weight lerp.end lerp_.end gradient detach.self Parameter.data
                            broadcast_tensors.tensors TensorDataset.tensors einsum.operands
                            Variable.data SavedTensor.owner get_gradient_edge.tensor
                            save_for_backward.tensors
Tensor | float | ndarray    clamp_min.min clamp_min_.min clamp_max.max clamp_max_.max
                            add.other sub.other mul.other div.other floor_divide.other
                            remainder.other pow.exponent fill_.value masked_fill.value
                            eq.other ne.other lt.other le.other gt.other ge.other
                            eq_.other ne_.other lt_.other le_.other gt_.other ge_.other
                            add_.other sub_.other mul_.other div_.other floor_divide_.other
                            remainder_.other pow_.exponent masked_fill_.value
                            __add__.other __sub__.other __mul__.other __truediv__.other
                            __floordiv__.other __mod__.other __pow__.other __pow__.exponent
                            __radd__.other __rsub__.other __rmul__.other __rtruediv__.other
                            __rfloordiv__.other __rmod__.other __rpow__.other
                            __iadd__.other __isub__.other __imul__.other __itruediv__.other
                            __ifloordiv__.other __imod__.other __ipow__.other __ipow__.exponent
                            __and__.other __or__.other __xor__.other __rand__.other __ror__.other
                            __rxor__.other __iand__.other __ior__.other __ixor__.other
                            __lt__.other __le__.other __gt__.other __ge__.other
                            where.self where.other result_type.tensor1 result_type.tensor2
                            __rsub__.number __rtruediv__.number __rmod__.number __rpow__.number
                            __rfloordiv__.number
Tensor | ndarray            __matmul__.other __rmatmul__.other
Tensor | None               batch_norm.running_mean batch_norm.running_var
Tensor | float              pow.self scatter.src scatter_.src lerp.weight lerp_.weight normal.mean normal.std
                            clamp.min clamp.max clamp_.min clamp_.max
Tensor | Iterable[Tensor]   clip_grad_norm_.parameters clip_grad_value_.parameters
                            increment_version.tensors
Iterable[Tensor]            parameters ParameterList.values extend.values __iadd__.values
Iterable[Tensor] | Iterable[dict[str, Any]]     params
Sequence[Tensor]            tensors
Tensor | Sequence[Tensor]   backward.tensors backward.inputs grad.inputs grad.outputs
                            jacobian.inputs hessian.inputs vjp.inputs jvp.inputs vhp.inputs
                            hvp.inputs v gradcheck.inputs gradgradcheck.inputs grad_variables
Tensor | Sequence[Tensor | None]    grad_outputs grad_tensors
Sequence[Tensor]            register_multi_grad_hook.tensors
float                       reward alpha beta value mean std low high start step end fill_value from_ to
                            lr momentum dampening weight_decay lr_decay eps gamma max_norm
                            clip_value eta_min atol rtol threshold gain a b p val nondet_tol
                            initial_accumulator_value correction norm_type
float | str                 norm.p
float | None                BatchNorm1d.momentum
int                         dim dim0 dim1 dim2 start_dim end_dim diagonal offset decimals
                            num_classes ignore_index padding_idx batch_size step_size last_epoch
                            chunks k length n m steps seed num_embeddings embedding_dim
                            in_features out_features num_features T_max output_nr storage_offset
                            precision edgeitems linewidth num_workers narrow.start randint.low
                            randint.high select.index count idx
int | Sequence[int]         sum.dim sum.axis mean.dim std.dim var.dim var_mean.dim norm.dim any.dim
                            all.dim amax.dim amin.dim nansum.dim count_nonzero.dim logsumexp.dim
                            flip.dims permute.dims view.size expand.size reshape.shape
                            repeat.repeats squeeze.dim resize_.size zeros.args ones.args empty.args
                            rand.args randn.args zeros.size ones.size empty.size rand.size
                            randn.size sizes dims order counts split_size_or_sections
                            normalized_shape view.shape
Sequence[int]               size shape stride Size.sizes indices
Sequence[float]             lengths
int | float                 arange.start arange.end arange.step threshold
bool                        unbiased retain_graph allow_unused sci_mode use_reentrant require_grad
                            set_grad_enabled.mode set_detect_anomaly.mode train.mode
                            allow_unused materialize_grads
str                         name prefix reduction equation nonlinearity error_message
                            rounding_mode kaiming_uniform_.mode kaiming_normal_.mode key
dtype                       dtype d type1 type2
device | str                device
Generator                   generator
Optimizer                   optimizer
Dataset                     dataset
Parameter                   param
Module                      module
Iterable[Module]            Sequential.args modules extend.modules
dict[str, Any]              state_dict defaults param_group destination
tuple[float, float]         betas
ndarray                     ndarray
Callable[..., Any]          hook fn closure func function pack_hook unpack_hook lr_lambda
object                      error is_tensor.obj
dict[str, Any]              group
Any                         w grad grads names rate base data obj f new_state value args kwargs options ctx
                            inputs output __getitem__.index __setitem__.index named idx
                            Dataset.index
""")
PARAMETERS.update(table("""
Tensor | None               register_buffer.tensor
Any                         __getitem__.index __setitem__.index __setitem__.value
                            setup_context.inputs setup_context.output backward.grad_outputs memo get
                            set_default_tensor_type.t share index
                            SavedTensor.index SavedTensor.node place wrap.array wrap_new.array wrap.kind copy
"""))

# What a function or a property returns, by its name or as "Class.name".  An operation that is
# missing here, and has no annotation, returns a Tensor.
RETURNS = table("""
None                        backward retain_grad save set_rng_state set_state clip_grad_value_
                            vector_to_parameters set_printoptions zero_grad register_parameter
                            register_buffer add_module __setitem__ __delitem__ __init__ __exit__
                            increment_version reset_parameters reset_running_stats
                            add_param_group update remove
                            LRScheduler.step set_default_tensor_type Optimizer.load_state_dict
                            LRScheduler.load_state_dict mark_dirty mark_non_differentiable
                            save_for_backward set_materialize_grads register_hooks
                            set_detect_anomaly.__enter__ wrap.none bump_version mark_inference
Any                         Uncounted.value SavedTensor.data
                            item tolist load __getattr__ __call__ checkpoint step jacobian hessian
                            Function.apply untyped_storage unpack_hook load_state_dict
                            Dataset.__getitem__ TensorDataset.__getitem__ Subset.__getitem__
                            saved_tensors_hooks.__enter__ Mode.__enter__
bool                        gradcheck gradgradcheck __bool__ __contains__ _is_view is_shared
int                         __len__ __hash__ __int__ __index__ Tensor.ndim Tensor.nbytes
float                       __float__ next_rate
Any                         remembered count_step state_array running_sum
str                         extra_repr name device.type
Self                        Mode.clone Module.apply train eval Module.to Module.float Module.double
                            Module.requires_grad_ append extend ParameterList.__iadd__ Variable.__new__
                            Parameter.__new__
                            Tensor.__new__ Size.__new__
tuple[Tensor, ...]          chunk split unbind broadcast_tensors grad saved_tensors
tuple[Any, Any]             vjp jvp vhp hvp
tuple[Tensor, Tensor]       var_mean
ValuesAndIndices            sort topk
RemovableHandle             register_hook register_prehook register_post_accumulate_grad_hook
                            register_forward_hook register_forward_pre_hook
                            register_full_backward_hook register_full_backward_pre_hook
                            register_multi_grad_hook
AbstractContextManager[None]    disable_saved_tensors_hooks
AbstractContextManager[Any]     allow_mutation_on_saved_tensors
ndarray                     numpy __array__
Node | None                 Tensor.grad_fn
Tensor | None               Tensor._base Tensor.grad
device                      Tensor.device
str | None                  Tensor.name
Tensor                      Tensor.T Tensor.data Tensor.float Tensor.double Tensor.to Tensor.grad_
                            parameters_to_vector clip_grad_norm_
Size                        Tensor.shape
Iterator[Tensor]            Tensor.__iter__ buffers
Iterator[Parameter]         parameters ParameterList.__iter__
Parameter                   ParameterList.__getitem__
Iterator[tuple[str, Parameter]]     named_parameters
Iterator[tuple[str, Tensor]]        named_buffers
Iterator[Module]            children modules Sequential.__iter__ ModuleList.__iter__
Iterator[str]               ModuleDict.__iter__
Module                      ModuleDict.__getitem__ ModuleList.__getitem__ Sequential.__getitem__
Iterator[tuple[str, Module]]        named_children named_modules
Iterator[Any]               DataLoader.__iter__
dict[str, Any]              state_dict
list[float]                 get_last_lr get_lr
list[Subset]                random_split
Generator                   manual_seed
GradientEdge                get_gradient_edge
""")

# Whole signatures; several of them where the type of the result depends on the arguments.
SIGNATURES = {
    "Tensor.size": ["(self) -> Size", "(self, dim: int) -> int"],
    "Tensor.stride": ["(self) -> tuple[int, ...]", "(self, dim: int) -> int"],
    "Tensor.type": ["(self) -> str", "(self, dtype: dtype | str) -> Tensor"],
    "Tensor.__eq__": ["(self, other: object) -> Tensor"],
    "Tensor.__ne__": ["(self, other: object) -> Tensor"],
    **dict.fromkeys(["max", "min"], [
        "(self) -> Tensor", "(self, dim: Tensor) -> Tensor",
        "(self, dim: int, keepdim: bool = False) -> ValuesAndIndices"]),
    "median": ["(self) -> Tensor", "(self, dim: int, keepdim: bool = False) -> ValuesAndIndices"],
    "nonzero": ["(self, *, as_tuple: Literal[False] = False) -> Tensor",
                "(self, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]"],
    # Subclasses choose their own parameters.
    **dict.fromkeys(["Module.forward", "Module.__call__"],
                    ["(self, *args: Any, **kwargs: Any) -> Any"]),
    **dict.fromkeys(["Function.forward", "Function.setup_context", "Function.backward",
                     "Function.vjp"], ["(*args: Any, **kwargs: Any) -> Any"]),
    "Function.apply": ["(cls, *args: Any, **kwargs: Any) -> Any"],
    # A mode is a context manager, and a decorator with and without parentheses.
    "Mode.__new__": ["(cls, function: _F) -> _F", "(cls) -> Self"],
    "Mode.__call__": ["(self, function: _F) -> _F"],
    "once_differentiable": ["(backward: _F) -> _F"],
}
# Members that a stub must not show: a signature above replaces them, or the base class says more,
# or, for `__getattr__`, a misspelt name would be no error.
LEFT_OUT = {"Tensor.__getattr__", "inference_mode.__init__", "Size.__getitem__", "Size.__add__",
            "Size.__new__", "NLLLoss.compute", "CrossEntropyLoss.compute"}
# Classes of which a program sees only a part.
MEMBERS = {
    "Node": "__call__ metadata name next_functions register_hook register_prehook",
    "Generator": "__init__ get_state initial_seed manual_seed set_state",
    "dtype": "",
}
PRIVATE = ["_version", "_base", "_is_view"]
# What mypy finds wrong in a stub, because PyTorch does it so.
IGNORED = {
    "Tensor.__eq__": "override",
    "Tensor.__ne__": "override",
    **dict.fromkeys(["Tensor.__lt__", "Tensor.__le__", "Tensor.__gt__", "Tensor.__ge__"], "misc"),
    "Mode.__new__": "misc",
}

BASES = {"Size": "tuple[int, ...]", "device": "str", "GradientEdge": "NamedTuple",
         "Variable": "Tensor", "ModuleDict": "Module", "GradcheckError": "RuntimeError",
         "CheckpointError": "RuntimeError", "readonly": "property",
         "RemovableHandle": "AbstractContextManager[Any]",
         "set_detect_anomaly": "AbstractContextManager[Any]"}
# Classes that a program meets but no module offers by this name.
FURTHER_CLASSES = {
    "minigrad.tensor": {"ValuesAndIndices": """\
class ValuesAndIndices(NamedTuple):
    values: Tensor
    indices: Tensor"""},
    "minigrad.autograd.graph": {"RemovableHandle": """\
class RemovableHandle(AbstractContextManager[Any]):
    def remove(self) -> None: ...
    def __exit__(self, *error: object) -> None: ..."""},
}
FURTHER_MEMBERS = {
    "inference_mode": ["@overload", "def __new__(cls, mode: _F) -> _F: ...  # type: ignore[misc]",
                       "@overload", "def __new__(cls, mode: bool = True) -> Self: ..."],
    "Node": ["def __getattr__(self, name: str) -> Any: ..."],
}
ATTRIBUTES = {
    "GradientEdge": {"node": "Node", "output_nr": "int", "ownership_token": "Any"},
    **dict.fromkeys(["StepLR", "LRScheduler"], {
        "optimizer": "Optimizer", "last_epoch": "int", "base_lrs": "list[float]"}),
    "DataLoader": {"dataset": "Dataset", "generator": "Generator | None"},
    "dtype": {"name": "str"},
    "Optimizer": {"param_groups": "list[dict[str, Any]]", "state": "dict[Tensor, Any]",
                  "defaults": "dict[str, Any]"},
}
# How an object of a class is made whose attributes are then shown.
EXAMPLES = {
    "Module": "nn.Module()",
    "Linear": "nn.Linear(1, 1)",
    "Embedding": "nn.Embedding(2, 1)",
    "Dropout": "nn.Dropout()",
    "Flatten": "nn.Flatten()",
    "LayerNorm": "nn.LayerNorm(2)",
    "BatchNorm1d": "nn.BatchNorm1d(2)",
    "StepLR": "torch.optim.lr_scheduler.StepLR(torch.optim.SGD([torch.ones(1)]), 1)",
    "TensorDataset": "torch.utils.data.TensorDataset(torch.ones(2))",
    "DataLoader": "torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(2)))",
    "dtype": "torch.float32",
}
