"""The rest of the vocabulary: operations, layers and optimizers that no chapter uses.

A module in this folder is imported when one of its names is first used.  The tables
below, which this package loads with itself, say which module that is.  A module of
operations ends with the same lists as those of `minigrad.ops` (see `methods.py`).
"""
# {module: names of methods and functions}; an in-place form is a name of its own.
OPERATIONS = {
    "batches": "bmm",
    "cumulative": "cumprod cumsum",
    "dimensions": "T permute squeeze",
    "einsum": "einsum",
    "index_add": "index_add_ index_select",
    "masks": "masked_fill masked_fill_ masked_select nonzero",
    "mixtures": "addcdiv addcdiv_ addcmul addcmul_ lerp lerp_",
    "old_types": """
        BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor
        LongTensor ShortTensor set_default_tensor_type
    """,
    "parts": "narrow select",
    "products": "dot mm mv outer",
    "random_tensors": "bernoulli normal rand_like randn_like",
    "rearrange": "flip repeat tril triu",
    "reductions": "amax amin nansum prod",
    "scatter": "gather scatter_ scatter_add_",
    "sorting": "median sort topk",
    "variance": "std var var_mean",
}
# Modules of the core that many programs don't need are loaded in the same way.
CORE = {
    "ops.diagonals": "diag diagonal",
    "ops.extremes": "argmax argmin max min",
    "ops.joining": "cat stack _stack",
    "ops.norm": "norm",
    "ops.softmax": "log_softmax logsumexp softmax",
    "ops.splitting": "chunk split unbind __iter__",
    "printing": "set_printoptions __repr__ __format__",
    "random.generator": """
        Generator get_rng_state initial_seed manual_seed set_rng_state
    """,
    "random.sampling": """
        bernoulli_ normal_ rand randint randn randperm uniform_
    """,
    "utils.serialization": "load save",
}
# Of all these names, those that tensors don't have, and those that only tensors have.
FUNCTIONS_ONLY = """
BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor Generator HalfTensor
IntTensor LongTensor ShortTensor cat einsum get_rng_state initial_seed load manual_seed
normal rand rand_like randint randn randn_like randperm save set_default_tensor_type
set_printoptions set_rng_state stack var_mean
"""
METHODS_ONLY = """
T __format__ __iter__ __repr__ _stack addcdiv_ addcmul_ bernoulli_ index_add_ lerp_
masked_fill_ normal_ repeat scatter_ scatter_add_ uniform_
"""

# What other parts of the package offer.
PARTS = {
    "autograd.graph": {
        "gradient_edges": "get_gradient_edge",
        "multi_grad_hook": "register_multi_grad_hook",
        "saved_tensors": """
            allow_mutation_on_saved_tensors disable_saved_tensors_hooks
            increment_version save_on_cpu
        """,
    },
    "nn": {
        "binary_cross_entropy": "BCEWithLogitsLoss",
        "containers": "ModuleDict ModuleList ParameterList",
        "embedding": "Embedding",
        "normalization": "BatchNorm1d LayerNorm",
    },
    "nn.init": {
        "initialization": """
            kaiming_normal_ kaiming_uniform_ xavier_normal_ xavier_uniform_
        """,
    },
    "nn.utils": {
        "parameter_vectors": "parameters_to_vector vector_to_parameters",
    },
    "nn.functional": {
        "binary_cross_entropy": """
            binary_cross_entropy binary_cross_entropy_with_logits
        """,
        "embedding_table": "embedding",
        "masks": "one_hot",
        "normalizing": "batch_norm layer_norm",
        "softplus": "softplus",
    },
    "optim": {
        "adagrad": "Adagrad",
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


def find_module(place, name):
    """Return the path of the module that offers `name` at a place, or None."""
    for module, names in table_of(place).items():
        if name in names.split():
            return module
    return None


def list_names(place):
    """Return the names that are offered at a place."""
    names = {name for row in table_of(place).values() for name in row.split()}
    if place == "Tensor":
        return names - set(FUNCTIONS_ONLY.split())
    if place == "":
        return names - set(METHODS_ONLY.split())
    return names


def table_of(place):
    """Return {path: names} of a place: "" is the package itself, "nn" its part nn."""
    is_top = place in ("", "Tensor")
    here = OPERATIONS if is_top else PARTS.get(place, {})
    table = {f"more.{module}": names for module, names in here.items()}
    return table | CORE if is_top else table
