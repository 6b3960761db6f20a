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
    "dimension_order": "T permute squeeze",
    "einsum": "einsum",
    "floor_division": """
        floor_divide floor_divide_ __floordiv__ __rfloordiv__ __ifloordiv__
    """,
    "index_add": "index_add_ index_select",
    "making": "as_tensor cpu from_numpy new_ones new_zeros __array_wrap__",
    "masks": "masked_fill masked_fill_ masked_select nonzero",
    "strided_memory": "as_strided resize_",
    "mixtures": "addcdiv addcdiv_ addcmul addcmul_ lerp lerp_",
    "narrowing": "narrow select",
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
        "saved_tensor_blocks": """
            allow_mutation_on_saved_tensors disable_saved_tensors_hooks
            get_gradient_edge increment_version register_multi_grad_hook save_on_cpu
        """,
    },
    "nn": {
        "activations": "ELU GELU LeakyReLU LogSoftmax SiLU",
        "binary_cross_entropy": "BCELoss BCEWithLogitsLoss",
        "containers": "ModuleDict ModuleList ParameterDict ParameterList",
        "embedding": "Embedding",
        "lazy_linear": "LazyLinear",
        "other_losses": "HuberLoss L1Loss NLLLoss SmoothL1Loss",
        "normalization": "BatchNorm1d LayerNorm",
    },
    "nn.init": {
        "initialization": """
            kaiming_normal_ kaiming_uniform_ ones_ xavier_normal_ xavier_uniform_
        """,
    },
    "nn.utils": {
        "parameter_tools": """
            clip_grad_value_ parameters_to_vector vector_to_parameters
        """,
    },
    "nn.functional": {
        "activations": "elu gelu leaky_relu silu softplus",
        "binary_cross_entropy": """
            binary_cross_entropy binary_cross_entropy_with_logits
        """,
        "embedding": "embedding",
        "other_losses": "huber_loss l1_loss smooth_l1_loss",
        "masks": "one_hot",
        "normalizing": "batch_norm layer_norm",
    },
    "optim": {
        "other_optimizers": "Adagrad AdamW RMSprop",
    },
    "optim.lr_scheduler": {
        "schedulers": """
            CosineAnnealingLR ExponentialLR LambdaLR LRScheduler StepLR
        """,
    },
    "utils.data": {
        "data_sets": "DataLoader Dataset Subset TensorDataset random_split",
    },
}


# What PyTorch's tensors and modules have and minigrad's don't: their use says where the
# vocabulary ends.  Names of other places are in pytorch_names.txt, read when needed.
ABSENT = {
    "Tensor": frozenset("""
H absolute absolute_ acos acos_ acosh acosh_ addbmm addbmm_ addmm_ addmv addmv_ addr
addr_ adjoint aminmax angle apply_ arccos arccos_ arccosh arccosh_ arcsin arcsin_
arcsinh arcsinh_ arctan arctan2 arctan2_ arctan_ arctanh arctanh_ argsort argwhere
as_strided_ as_strided_scatter as_subclass asin asin_ asinh asinh_ atan atan2 atan2_
atan_ atanh atanh_ baddbmm baddbmm_ bfloat16 bincount bitwise_and bitwise_and_
bitwise_left_shift bitwise_left_shift_ bitwise_not bitwise_not_ bitwise_or bitwise_or_
bitwise_right_shift bitwise_right_shift_ bitwise_xor bitwise_xor_ broadcast_to byte
cauchy_ ccol_indices cdouble cfloat chalf char cholesky cholesky_inverse cholesky_solve
clip clip_ coalesce col_indices conj conj_physical conj_physical_ const_data_ptr
copysign copysign_ corrcoef cosh cosh_ cov cross crow_indices cuda cummax cummin
cumprod_ cumsum_ deg2rad deg2rad_ dense_dim dequantize det diag_embed diagflat
diagonal_scatter diff digamma digamma_ dim_order dist divide divide_ dsplit eig erf erf_
erfc erfc_ erfinv erfinv_ exp2 exp2_ expm1 expm1_ exponential_ fill_diagonal_ fix fix_
fliplr flipud float_power float_power_ fmax fmin fmod fmod_ frac frac_ frexp gcd gcd_
geometric_ geqrf ger get_device grad_dtype greater greater_ greater_equal greater_equal_
hardshrink hash_tensor heaviside heaviside_ histc histogram hsplit hypot hypot_ i0 i0_
igamma igamma_ igammac igammac_ imag index index_add index_copy index_copy_ index_fill
index_fill_ index_put index_put_ index_reduce index_reduce_ indices inner int_repr
inverse ipu is_coalesced is_complex is_conj is_cpu is_cuda is_distributed is_ipu is_maia
is_meta is_mkldnn is_mps is_mtia is_neg is_nested is_nonzero is_pinned is_quantized
is_same_size is_set_to is_shared is_signed is_sparse is_sparse_csr is_vulkan is_xla
is_xpu isneginf isposinf isreal istft itemsize kron kthvalue layout lcm lcm_ ldexp
ldexp_ less less_ less_equal less_equal_ lgamma lgamma_ log10 log10_ log2 log2_
log_normal_ logaddexp logaddexp2 logcumsumexp logdet logical_and logical_and_
logical_not logical_not_ logical_or logical_or_ logical_xor logical_xor_ logit logit_
lstsq lu lu_solve mH mT map2_ map_ masked_scatter masked_scatter_ matrix_exp
matrix_power mode module_load moveaxis movedim msort mtia multinomial multiply multiply_
mvlgamma mvlgamma_ nan_to_num nan_to_num_ nanmean nanmedian nanquantile narrow_copy
ndimension negative negative_ nelement new new_empty new_empty_strided new_full
new_tensor nextafter nextafter_ nonzero_static not_equal not_equal_ orgqr ormqr
pin_memory pinverse polygamma polygamma_ positive prelu put put_ q_per_channel_axis
q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qr qscheme quantile
rad2deg rad2deg_ random_ real record_stream renorm renorm_ repeat_interleave reshape_as
resize resize_as resize_as_ resize_as_sparse_ resolve_conj resolve_neg roll rot90
row_indices scatter_reduce scatter_reduce_ select_scatter set_ sgn sgn_ share_memory_
signbit sinc sinc_ sinh sinh_ slice_inverse slice_scatter slogdet smm solve sparse_dim
sparse_mask sparse_resize_ sparse_resize_and_clear_ split_with_sizes squeeze_ sspaddmm
stft storage storage_offset storage_type subtract subtract_ svd swapaxes swapaxes_
swapdims swapdims_ symeig t_ take take_along_dim tensor_split tile to_dense to_mkldnn
to_padded_tensor to_sparse to_sparse_bsc to_sparse_bsr to_sparse_coo to_sparse_csc
to_sparse_csr trace transpose_ triangular_solve tril_ triu_ true_divide true_divide_
trunc trunc_ type_as unflatten unfold unique unique_consecutive unsafe_chunk
unsafe_split unsafe_split_with_sizes unsqueeze_ values vdot vsplit xlogy xlogy_ xpu
""".split()),
    "nn.Module": frozenset("""
T_destination bfloat16 call_super_init compile cuda dump_patches get_buffer
get_extra_state get_parameter get_submodule half ipu mtia register_backward_hook
register_load_state_dict_post_hook register_load_state_dict_pre_hook register_module
register_state_dict_post_hook register_state_dict_pre_hook set_extra_state set_submodule
share_memory to_empty type xpu
""".split()),
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
