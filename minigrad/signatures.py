"""The ways to call each function, as PyTorch's argument parser knows them; ``parser.py`` reads them.

A line gives names and their forms.  ``.`` is the tensor (``Tensor input``), which a method does not
count; ``OUT`` is ``Tensor out=None``, which methods do not have; ``?`` allows None; ``[n]`` lets one number
stand for a list; ``~`` tells that there is an old form as well, which messages keep quiet about.  `METHODS`
has those whose forms as methods do not follow from their forms as functions.
"""

OPTIONS = (
    "dtype? dtype=None, layout? layout=None, device? device=None, bool? pin_memory=False, "
    "bool? requires_grad=False")

TABLE = """
abs absolute acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh bitwise_not ceil
    cos cosh deg2rad digamma erf erfc erfinv exp exp2 expm1 fix floor frac i0 inverse isneginf isposinf lgamma
    log log10 log1p log2 logical_not msort neg negative rad2deg reciprocal rsqrt sgn sigmoid sign signbit
    sin sinc sinh sqrt square tan tanh trunc: ., *, OUT
abs_ acos_ acosh_ adjoint arccos_ arccosh_ arcsin_ arcsinh_ arctan_ arctanh_ argwhere asin_ asinh_ atan_
    atanh_ ceil_ cos_ cosh_ deg2rad_ det detach detach_ erf_ erfc_ exp2_ exp_ expm1_ fix_ fliplr flipud
    floor_ frac_ is_complex is_conj is_floating_point is_inference is_neg is_nonzero is_signed isfinite
    isinf isnan isreal log10_ log1p_ log2_ log_ logdet neg_ negative_ positive rad2deg_ ravel reciprocal_
    relu relu_ rsqrt_ selu selu_ sigmoid_ sin_ sinc_ sinh_ sqrt_ square_ t tan_ tanh_ trace trunc_ zero_: .
add sub: ., Tensor other, *, Number alpha=1, OUT; ~
addbmm: ., Tensor batch1, Tensor batch2, *, Number beta=1, Number alpha=1, OUT; ~
addcdiv addcmul: ., Tensor tensor1, Tensor tensor2, *, Number value=1, OUT; ~
addmm: ., Tensor mat1, Tensor mat2, *, Number beta=1, Number alpha=1, OUT; ., Tensor mat1, Tensor mat2,
    dtype out_dtype, *, Number beta=1, Number alpha=1, OUT; ~
addmv: ., Tensor mat, Tensor vec, *, Number beta=1, Number alpha=1, OUT; ~
addbmm_ baddbmm_: ., Tensor batch1, Tensor batch2, *, Number beta=1, Number alpha=1; ~
addmm_: ., Tensor mat1, Tensor mat2, *, Number beta=1, Number alpha=1; ~
addr_: ., Tensor vec1, Tensor vec2, *, Number beta=1, Number alpha=1; ~
addmv_: ., Tensor mat, Tensor vec, *, Number beta=1, Number alpha=1; ~
addr: ., Tensor vec1, Tensor vec2, *, Number beta=1, Number alpha=1, OUT; ~
all any: ., *, OUT; ., ints? dim=None, bool keepdim=False, *, OUT; ., int dim, bool keepdim=False, *, OUT
allclose isclose: ., Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False
amax amin: ., ints[1] dim=None, bool keepdim=False, *, OUT
aminmax: ., *, int? dim=None, bool keepdim=False, OUTS2
arange: Number end, *, Tensor out=None, OPTIONS; Number start, Number end, *, OPTIONS; Number start, Number
    end, Number step=1, *, Tensor out=None, OPTIONS
arctan2 atan2 fmax fmin hypot inner kron ldexp logaddexp logaddexp2 nextafter logical_and logical_or
    logical_xor matmul maximum minimum mul vdot: ., Tensor other, *, OUT
argmax argmin: ., int? dim=None, bool keepdim=False, *, OUT
argsort: ., *, bool stable, int dim=-1, bool descending=False, OUT; ., int dim=-1, bool descending=False
as_strided: ., ints size, ints stride, int? storage_offset=None
baddbmm: ., Tensor batch1, Tensor batch2, *, Number beta=1, Number alpha=1, OUT; ., Tensor batch1, Tensor
    batch2, dtype out_dtype, *, Number beta=1, Number alpha=1, OUT; ~
bernoulli: ., *, Generator? generator=None, OUT; ., float p, *, Generator? generator=None
bincount: ., Tensor? weights=None, int minlength=0
bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor remainder: ., Tensor other, *,
    OUT; Number self, Tensor other; ., Number other, *, OUT
block_diag broadcast_tensors cartesian_prod: Tensors tensors
bmm mm: ., Tensor mat2, *, OUT; ., Tensor mat2, dtype out_dtype, *, OUT
broadcast_to: ., ints size
bucketize: ., Tensor boundaries, *, bool out_int32=False, bool right=False, OUT; Number self, Tensor
    boundaries, *, bool out_int32=False, bool right=False
can_cast: dtype from_, dtype to
cat concat concatenate stack: Tensors tensors, int dim=0, *, OUT
celu celu_: ., Number alpha=1.0
cholesky: ., bool upper=False, *, OUT
chunk unsafe_chunk: ., int chunks, int dim=0
clamp clip: ., Tensor? min=None, Tensor? max=None, *, OUT; ., Number? min=None, Number? max=None, *, OUT
clamp_ clip_: ., Tensor? min=None, Tensor? max=None; ., Number? min=None, Number? max=None
clamp_max: ., Tensor max, *, OUT; ., Number max, *, OUT
clamp_max_: ., Tensor max; ., Number max
clamp_min: ., Tensor min, *, OUT; ., Number min, *, OUT
clamp_min_: ., Tensor min; ., Number min
clone: ., *, memory_format? memory_format=None
column_stack dstack hstack row_stack vstack: Tensors tensors, *, OUT
combinations: ., int r=2, bool with_replacement=False
constant_pad_nd: ., ints pad, Number value=0
copysign eq fmod ge greater greater_equal gt le less less_equal lt ne not_equal: ., Tensor other, *, OUT; .,
    Number other, *, OUT
count_nonzero: ., int? dim=None; ., ints dim
cross: ., Tensor other, int? dim=None, *, OUT
cummax cummin: ., int dim, *, OUTS2
cumprod cumsum: ., int dim, *, dtype? dtype=None, OUT
diag tril triu: ., int diagonal=0, *, OUT
diag_embed: ., int offset=0, int dim1=-2, int dim2=-1
diagflat: ., int offset=0
diagonal: ., int offset=0, int dim1=0, int dim2=1
diff: ., int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None, *, OUT
dist: ., Tensor other, Number p=2
div: ., Tensor other, *, OUT; ., Tensor other, *, str? rounding_mode, OUT; ., Number other, *, str?
    rounding_mode
divide: ., Tensor other, *, OUT; ., Tensor other, *, str? rounding_mode, OUT; ., Number other; ., Number
    other, *, str? rounding_mode
dot: ., Tensor tensor, *, OUT
dsplit hsplit vsplit: ., int sections; ., ints indices
empty: ints size, *, memory_format? memory_format=None, Tensor out=None, OPTIONS
empty_like ones_like zeros_like: ., *, memory_format? memory_format=None, OPTIONS
empty_strided: ints size, ints stride, *, OPTIONS
equal is_same_size: ., Tensor other
eye: int n, *, Tensor out=None, OPTIONS; int n, int m, *, Tensor out=None, OPTIONS
fill fill_: ., Tensor value; ., Number value
flatten: ., int start_dim=0, int end_dim=-1
flip permute tile: ., ints dims
float_power pow: ., Tensor exponent, *, OUT; Number self, Tensor exponent, *, OUT; ., Number exponent, *,
    OUT
floor_divide multiply true_divide: ., Tensor other, *, OUT; ., Number other
full: ints size, Number fill_value, *, Tensor out=None, OPTIONS
full_like: ., Number fill_value, *, memory_format? memory_format=None, OPTIONS
gather: ., int dim, Tensor index, *, bool sparse_grad=False, OUT
ger outer: ., Tensor vec2, *, OUT
hardshrink: ., Number lambd=0.5, *, OUT
heaviside: ., Tensor values, *, OUT
histc: ., int bins=100, Number min=0, Number max=0, *, OUT
index_add: ., int dim, Tensor index, Tensor source, *, Number alpha=1, OUT
index_copy: ., int dim, Tensor index, Tensor source, *, OUT
index_fill: ., int dim, Tensor index, Tensor value; ., int dim, Tensor index, Number value
index_put index_put_: ., Tensors indices, Tensor values, bool accumulate=False
index_select: ., int dim, Tensor index, *, OUT
isin: Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False, OUT; Number
    element, Tensor test_elements, *, bool assume_unique=False, bool invert=False, OUT; Tensor elements,
    Number test_element, *, bool assume_unique=False, bool invert=False, OUT
kthvalue: ., int k, int dim=-1, bool keepdim=False, *, OUTS2
lerp: ., Tensor end, Tensor weight, *, OUT; ., Tensor end, Number weight, *, OUT
linspace: Tensor start, Tensor end, int steps, *, Tensor out=None, OPTIONS; Number start, Tensor end, int
    steps, *, Tensor out=None, OPTIONS; Tensor start, Number end, int steps, *, Tensor out=None, OPTIONS;
    Number start, Number end, int steps, *, Tensor out=None, OPTIONS
log_softmax softmax: ., int dim, dtype? dtype=None, *, OUT
logcumsumexp: ., int dim, *, OUT
logit: ., float? eps=None, *, OUT
logit_: ., float? eps=None
logspace: Tensor start, Tensor end, int steps, float base=10.0, *, Tensor out=None, OPTIONS; Number start,
    Tensor end, int steps, float base=10.0, *, Tensor out=None, OPTIONS; Tensor start, Number end, int
    steps, float base=10.0, *, Tensor out=None, OPTIONS; Number start, Number end, int steps, float
    base=10.0, *, Tensor out=None, OPTIONS
logsumexp: ., ints[1] dim, bool keepdim=False, *, OUT
masked_fill: ., Tensor mask, Tensor value; ., Tensor mask, Number value
masked_scatter: ., Tensor mask, Tensor source
masked_select: ., Tensor mask, *, OUT
matrix_power: ., int n, *, OUT
max min: ., *, OUT; ., Tensor other, *, OUT; ., int dim, bool keepdim=False, *, OUTS2
mean: ., *, dtype? dtype=None, OUT; ., ints[1]? dim, bool keepdim=False, *, dtype? dtype=None, OUT
median nanmedian: .; ., int dim, bool keepdim=False, *, OUTS2
meshgrid: Tensors tensors; Tensors tensors, *, str indexing
mode: ., int dim=-1, bool keepdim=False, *, OUTS2
moveaxis movedim: ., int source, int destination; ., ints source, ints destination
multinomial: ., int num_samples, bool replacement=False, *, Generator? generator=None, OUT
mv: ., Tensor vec, *, OUT
nan_to_num: ., float? nan=None, float? posinf=None, float? neginf=None, *, OUT
nan_to_num_: ., float? nan=None, float? posinf=None, float? neginf=None
nanmean nansum: ., ints[1]? dim=None, bool keepdim=False, *, dtype? dtype=None, OUT
nanquantile quantile: ., Tensor q, int? dim=None, bool keepdim=False, *, str interpolation="linear", OUT; .,
    float q, int? dim=None, bool keepdim=False, *, str interpolation="linear", OUT
narrow: ., int dim, Tensor start, int length; ., int dim, int start, int length
narrow_copy: ., int dim, int start, int length, *, OUT
normal: Tensor mean, Tensor std, *, Generator? generator=None, OUT; Tensor mean, float std=1, *, Generator?
    generator=None, OUT; float mean, Tensor std, *, Generator? generator=None, OUT; float mean, float std,
    ints size, *, Generator? generator=None, Tensor out=None, OPTIONS
ones zeros: ints size, *, Tensor out=None, OPTIONS
pinverse: ., float rcond=1e-15
poisson: ., Generator? generator=None
polygamma: int n, Tensor input, *, OUT
prelu: ., Tensor weight
prod: ., *, dtype? dtype=None; ., int dim, bool keepdim=False, *, dtype? dtype=None, OUT
put: ., Tensor index, Tensor source, bool accumulate=False
rand randn: ints size, *, Generator? generator, Tensor out=None, OPTIONS; ints size, *, Tensor out=None,
    OPTIONS
rand_like randn_like: ., *, Generator? generator, memory_format? memory_format=None, OPTIONS; ., *,
    memory_format? memory_format=None, OPTIONS
randint: int high, ints size, *, Generator? generator, Tensor out=None, OPTIONS; int high, ints size, *,
    Tensor out=None, OPTIONS; int low, int high, ints size, *, Generator? generator, Tensor out=None,
    OPTIONS; int low, int high, ints size, *, Tensor out=None, OPTIONS
randint_like: ., int low, int high, *, Generator? generator, memory_format? memory_format=None, OPTIONS; .,
    int low, int high, *, memory_format? memory_format=None, OPTIONS; ., Tensor high, *, Generator?
    generator, memory_format? memory_format=None, OPTIONS; ., Tensor high, *, memory_format?
    memory_format=None, OPTIONS; ., int high, *, Generator? generator, memory_format? memory_format=None,
    OPTIONS; ., int high, *, memory_format? memory_format=None, OPTIONS
randperm: int n, *, Generator? generator, Tensor out=None, OPTIONS; int n, *, Tensor out=None, OPTIONS
renorm: ., Number p, int dim, Number maxnorm, *, OUT
repeat_interleave: ., Tensor repeats, int? dim=None, *, int? output_size=None; Tensor repeats, *, int?
    output_size=None; ., int repeats, int? dim=None, *, int? output_size=None
reshape: ., ints shape
resize_as_: ., Tensor the_template, *, memory_format? memory_format=None
result_type: Tensor tensor, Tensor other; Number scalar, Tensor tensor; Tensor tensor, Number other; Number
    scalar1, Number scalar2
roll: ., ints[1] shifts, ints[1] dims=None
rot90: ., int k=1, ints dims={0,1}
round: ., *, OUT; ., *, int decimals, OUT
round_: .; ., *, int decimals
rsub: ., Tensor other, *, Number alpha=1; ., Number other, Number alpha=1
scalar_tensor: Number s, *, OPTIONS
scatter: ., int dim, Tensor index, Tensor src, *, OUT; ., int dim, Tensor index, Tensor src, *, str reduce,
    OUT; ., int dim, Tensor index, Number value, *, OUT; ., int dim, Tensor index, Number value, *, str
    reduce, OUT
scatter_add: ., int dim, Tensor index, Tensor src, *, OUT
scatter_reduce: ., int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True, OUT
searchsorted: Tensor sorted_sequence, Tensor input, *, bool out_int32=False, bool right=False, str?
    side=None, Tensor? sorter=None, OUT; Tensor sorted_sequence, Number self, *, bool out_int32=False, bool
    right=False, str? side=None, Tensor? sorter=None, OUT
select: ., int dim, int index
slogdet: ., *, OUTS2
sort: ., *, bool? stable, int dim=-1, bool descending=False, OUTS2; ., int dim=-1, bool descending=False, *,
    OUTS2
split_with_sizes unsafe_split_with_sizes: ., ints split_sizes, int dim=0
squeeze: .; ., int dim; ., ints dim
std var: ., ints[1]? dim, bool unbiased=True, bool keepdim=False, *, OUT; ., ints[1]? dim=None, *, Number?
    correction=None, bool keepdim=False, OUT; ., bool unbiased=True
std_mean var_mean: ., ints[1]? dim, bool unbiased=True, bool keepdim=False; ., ints[1]? dim=None, *, Number?
    correction=None, bool keepdim=False; ., bool unbiased=True
subtract: ., Tensor other, *, Number alpha=1, OUT; ., Number other, Number alpha=1
sum: ., *, dtype? dtype=None; ., ints[1]? dim, bool keepdim=False, *, dtype? dtype=None, OUT
swapaxes: ., int axis0, int axis1
swapdims transpose: ., int dim0, int dim1
take: ., Tensor index, *, OUT
take_along_dim: ., Tensor indices, int? dim=None, *, OUT
tensor_split: ., ints indices, int dim=0; ., Tensor tensor_indices_or_sections, int dim=0; ., int sections,
    int dim=0
threshold: ., Number threshold, Number value, *, OUT
threshold_: ., Number threshold, Number value
topk: ., int k, int dim=-1, bool largest=True, bool sorted=True, *, OUTS2
trapezoid: Tensor y, Tensor x, *, int dim=-1; Tensor y, *, Number dx=1, int dim=-1
tril_indices triu_indices: int row, int col, int offset=0, *, OPTIONS
unbind: ., int dim=0
unflatten: ., int dim, ints sizes
unsafe_split: ., int split_size, int dim=0
unsqueeze: ., int dim
where: Tensor condition; Tensor condition, Tensor input, Tensor other, *, OUT; Tensor condition, Number
    self, Tensor other; Tensor condition, Tensor input, Number other; Tensor condition, Number self, Number
    other
xlogy: ., Tensor other, *, OUT; Number self, Tensor other, *, OUT; ., Number other, *, OUT
xlogy_: ., Tensor other; ., Number other
"""

# Functions of torch.linalg and torch.nn.functional, and what the latter hand their arguments to; `_VF` has
# those that share a name with the Python function in front of them.
TABLE += """
atleast_1d atleast_2d atleast_3d: .; Tensors tensors
batch_norm: ., Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float
    momentum, float eps, bool cudnn_enabled=True
bilinear: Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None
cdist: Tensor x1, Tensor x2, float p=2, str? compute_mode=None
cosine_embedding_loss margin_ranking_loss: Tensor input1, Tensor input2, Tensor target, float margin=0.0, int
    reduction=1
cosine_similarity: Tensor x1, Tensor x2, int dim=1, float eps=1e-08
dropout dropout_ alpha_dropout alpha_dropout_: ., float p, bool train
_VF.einsum: str equation, Tensors tensors, *, ints? path=None
embedding: Tensor weight, Tensor indices, int padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False
group_norm: ., int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool
    cudnn_enabled=True
hinge_embedding_loss: ., Tensor target, float margin=1.0, int reduction=1
kl_div: ., Tensor target, int reduction=1, *, bool log_target=False
layer_norm: ., ints normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool
    cudnn_enable=True
linalg_cholesky: ., *, bool upper=False, OUT
linalg_cond: ., Number? p=None, *, OUT; ., str p, *, OUT
linalg_cross: ., Tensor other, *, int dim=-1, OUT
linalg_det linalg_inv linalg_slogdet: Tensor A, *, OUT
linalg_eigh linalg_eigvalsh: ., str UPLO="L", *, OUT
linalg_matmul: ., Tensor other, *, OUT
linalg_matrix_norm: ., Number ord, ints dim={-2,-1}, bool keepdim=False, *, dtype? dtype=None, OUT; ., str
    ord="fro", ints dim={-2,-1}, bool keepdim=False, *, dtype? dtype=None, OUT
linalg_matrix_power: ., int n, *, OUT
linalg_matrix_rank: ., *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False, OUT; ., *, float?
    atol=None, float? rtol=None, bool hermitian=False, OUT; ., Tensor tol, bool hermitian=False, *, OUT; .,
    float tol, bool hermitian=False, *, OUT
linalg_multi_dot: Tensors tensors, *, OUT
linalg_norm: ., Number? ord=None, ints[1]? dim=None, bool keepdim=False, *, dtype? dtype=None, OUT; ., str
    ord, ints[1]? dim=None, bool keepdim=False, *, dtype? dtype=None, OUT
linalg_pinv: ., *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False, OUT; ., *, float? atol=None,
    float? rtol=None, bool hermitian=False, OUT; ., Tensor rcond, bool hermitian=False, *, OUT; ., float
    rcond, bool hermitian=False, *, OUT
linalg_qr: Tensor A, str mode="reduced", *, OUT
linalg_solve: Tensor A, Tensor B, *, bool left=True, OUT
linalg_svd: Tensor A, bool full_matrices=True, *, str? driver=None, OUT
linalg_svdvals: Tensor A, *, str? driver=None, OUT
linalg_vector_norm: ., Number ord=2, ints[1]? dim=None, bool keepdim=False, *, dtype? dtype=None, OUT
nll_loss_nd: ., Tensor target, Tensor? weight=None, int reduction=1, int ignore_index=-100
cross_entropy_loss: ., Tensor target, Tensor? weight=None, int reduction=1, int ignore_index=-100, float
    label_smoothing=0.0
one_hot: ., int num_classes=-1
pad: ., ints pad, str mode="constant", float? value=None
pairwise_distance: Tensor x1, Tensor x2, float p=2, float eps=1e-06, bool keepdim=False
poisson_nll_loss: ., Tensor target, bool log_input, bool full, float eps, int reduction=1
promote_types: dtype type1, dtype type2
relu6 relu6_: .
soft_margin_loss: ., Tensor target, int reduction=1
_VF.tensordot: ., Tensor other, ints dims_self, ints dims_other, *, OUT
_VF.split: ., int split_size, int dim=0; ., ints split_size, int dim=0
_VF.split_with_sizes: Tensor tensor, ints split_sizes, int dim=0
softplus: ., Number beta=1, Number threshold=20, OUT
softshrink: ., Number lambd=0.5, OUT
triplet_margin_loss: Tensor anchor, Tensor positive, Tensor negative, float margin=1.0, float p=2, float
    eps=1e-06, bool swap=False, int reduction=1
_unique2: ., bool sorted=True, bool return_inverse=False, bool return_counts=False
"""

METHODS = """
addmm: Tensor mat1, Tensor mat2, *, Number beta=1, Number alpha=1; ~
baddbmm: Tensor batch1, Tensor batch2, *, Number beta=1, Number alpha=1; ~
bernoulli_: Tensor p, *, Generator? generator=None; float p=0.5, *, Generator? generator=None
bmm mm: Tensor mat2
cauchy_: float median=0, float sigma=1, *, Generator? generator=None
conj resolve_conj resolve_neg retain_grad:
expand: ints size, *, bool implicit=False
expand_as reshape_as type_as view_as: Tensor other
exponential_: float lambd=1, *, Generator? generator=None
fill_diagonal_: Number fill_value, bool wrap=False
geometric_: float p, *, Generator? generator=None
is_pinned: device? device=None
is_set_to: Tensor tensor
log_normal_: float mean=1, float std=2, *, Generator? generator=None
new: *, device? device=None; Storage storage; Tensor other; ints size, *, device? device=None; object data, *,
    device? device=None
new_empty new_ones new_zeros: ints size, *, OPTIONS
new_empty_strided: ints size, ints stride, *, OPTIONS
new_full: ints size, Number fill_value, *, OPTIONS
normal_: float mean=0, float std=1, *, Generator? generator=None
random_: *, Generator? generator=None; int from, int? to, *, Generator? generator=None; int to, *,
    Generator? generator=None
repeat: ints repeats
resize_: ints size, *, memory_format? memory_format=None
sum_to_size: ints size
unfold: int dimension, int size, int step
uniform_: float from=0, float to=1, *, Generator? generator=None
view: dtype dtype; ints size
where: Tensor condition, Tensor other; Tensor condition, Number other
"""
