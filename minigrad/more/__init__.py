"""The rest of the vocabulary: operations, layers and optimizers that no chapter uses.

A module in this folder is imported when one of its names is first used.  The tables
below, which this package loads with itself, say which module that is.  A module of
operations ends with the same lists as those of `minigrad.ops` (see `methods.py`).
"""
# {module: names of methods and functions}; an in-place form is a name of its own.
OPERATIONS = {
    "batches": "bmm",
    "before_2018": """
        BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor
        LongTensor ShortTensor reinforce set_default_tensor_type type volatile
    """,
    "bounds": "clamp_max clamp_max_ clamp_min clamp_min_",
    "cumulative": "cumprod cumsum",
    "dimensions": "T permute squeeze",
    "einsum": "einsum",
    "floor_division": """
        floor_divide floor_divide_ __floordiv__ __rfloordiv__ __ifloordiv__
    """,
    "index_add": "index_add_ index_select",
    "making": "as_tensor cpu from_numpy new_ones new_zeros __array_wrap__",
    "masks": "masked_fill masked_fill_ masked_select nonzero",
    "memory": "as_strided resize_",
    "mixtures": "addcdiv addcdiv_ addcmul addcmul_ lerp lerp_",
    "parts": "narrow select",
    "products": "dot mm mv outer",
    "random_tensors": "bernoulli normal rand_like randn_like",
    "rearrange": "flip ravel repeat tril triu",
    "reductions": "amax amin nansum prod",
    "scatter": "gather scatter scatter_ scatter_add scatter_add_",
    "settings": """
        get_default_dtype is_anomaly_enabled promote_types result_type set_default_dtype
    """,
    "sorting": "median sort topk",
    "variance": "std var var_mean",
}
# Of all these names, those that tensors don't have, and those that only tensors have.
FUNCTIONS_ONLY = """
BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor
LongTensor ShortTensor as_tensor einsum from_numpy get_default_dtype
is_anomaly_enabled normal promote_types rand_like randn_like result_type
set_default_dtype set_default_tensor_type var_mean
"""
METHODS_ONLY = """
T __array_wrap__ __floordiv__ __ifloordiv__ __rfloordiv__ addcdiv_ addcmul_ clamp_max_
clamp_min_ cpu floor_divide_ index_add_ lerp_ masked_fill_ new_ones new_zeros reinforce
repeat resize_ scatter_ scatter_add_ type volatile
"""

# What other parts of the package offer.
PARTS = {
    "autograd": {
        "before_2018": "Variable",
    },
    "autograd.functional": {
        "jacobian_products": "hvp jvp vhp",
    },
    "autograd.graph": {
        "gradient_edges": "get_gradient_edge",
        "multi_grad_hook": "register_multi_grad_hook",
        "saved_tensors": """
            allow_mutation_on_saved_tensors disable_saved_tensors_hooks
            increment_version save_on_cpu
        """,
    },
    "nn": {
        "activation_layers": "ELU GELU LeakyReLU LogSoftmax SiLU",
        "binary_cross_entropy": "BCELoss BCEWithLogitsLoss",
        "containers": "ModuleDict ModuleList",
        "embedding": "Embedding",
        "lazy_linear": "LazyLinear",
        "losses": "HuberLoss L1Loss NLLLoss SmoothL1Loss",
        "normalization": "BatchNorm1d LayerNorm",
        "parameter_containers": "ParameterDict ParameterList",
    },
    "nn.init": {
        "initialization": """
            kaiming_normal_ kaiming_uniform_ ones_ xavier_normal_ xavier_uniform_
        """,
    },
    "nn.utils": {
        "parameter_vectors": "parameters_to_vector vector_to_parameters",
        "value_clipping": "clip_grad_value_",
    },
    "nn.functional": {
        "activations": "elu gelu leaky_relu silu softplus",
        "binary_cross_entropy": """
            binary_cross_entropy binary_cross_entropy_with_logits
        """,
        "embedding_table": "embedding",
        "losses": "huber_loss l1_loss smooth_l1_loss",
        "masks": "one_hot",
        "normalizing": "batch_norm layer_norm",
    },
    "optim": {
        "adagrad": "Adagrad",
        "adamw": "AdamW",
        "rmsprop": "RMSprop",
    },
    "optim.lr_scheduler": {
        "schedulers": """
            CosineAnnealingLR ExponentialLR LambdaLR LRScheduler StepLR
        """,
    },
    "utils.data": {
        "data": "DataLoader Dataset Subset TensorDataset random_split",
    },
}


def find_module(owner, name):
    """Return the path of the module that offers `name` to an owner, or None."""
    for module, names in table_of(owner).items():
        if name in names.split():
            return f"more.{module}"
    return None


def list_names(owner):
    """Return the names that are offered to an owner."""
    names = {name for row in table_of(owner).values() for name in row.split()}
    if owner == "Tensor":
        return names - set(FUNCTIONS_ONLY.split())
    if owner == "":
        return names - set(METHODS_ONLY.split())
    return names


def table_of(owner):
    """Return {module: names} of an owner: "" is the package itself, "nn" a part."""
    return OPERATIONS if owner in ("", "Tensor") else PARTS.get(owner, {})
