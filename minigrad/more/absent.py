"""Methods of PyTorch's tensors that minigrad does not have.

A tensor that is asked for one of them says where the vocabulary ends; of any other
missing name it says, as PyTorch does, that a tensor has no such attribute.  The forms
in place have the same names with an underscore behind.
"""
OF_TENSORS = """
absolute acos acosh addbmm addmv addr adjoint aminmax angle apply arccos arccosh arcsin
arcsinh arctan arctan2 arctanh argsort argwhere as_subclass asin asinh atan atan2 atanh
baddbmm bfloat16 bincount bitwise_and bitwise_left_shift bitwise_not bitwise_or
bitwise_right_shift bitwise_xor broadcast_to byte cauchy cfloat char cholesky
cholesky_inverse cholesky_solve clamp_max clamp_min clip coalesce conj copysign corrcoef
cosh cov cpu cross cuda cummax cummin deg2rad det diag_embed diagflat diagonal_scatter
diff digamma dist divide dsplit erf erfc erfinv exp2 expm1 exponential fill_diagonal fix
fliplr flipud float_power fmax fmin fmod frac frexp gcd geometric ger get_device greater
greater_equal hardshrink heaviside histc histogram hsplit hypot i0 imag index_add
index_copy index_fill index_put index_reduce inner inverse is_complex is_cuda is_nonzero
is_pinned is_same_size is_shared is_signed is_sparse isneginf isposinf isreal istft
itemsize kron kthvalue layout lcm ldexp less less_equal lgamma log10 log2 log_normal
logaddexp logaddexp2 logcumsumexp logdet logical_and logical_not logical_or logical_xor
logit lu mH mT map masked_scatter matrix_exp matrix_power mode moveaxis movedim msort
multinomial multiply nan_to_num nanmean nanmedian nanquantile ndimension negative
nelement new_empty new_full new_ones new_tensor new_zeros nextafter not_equal ormqr
pin_memory pinverse polygamma positive prelu put qr quantile rad2deg random ravel real
renorm repeat_interleave reshape_as resize resize_as roll rot90 scatter scatter_add
scatter_reduce select_scatter set sgn share_memory signbit sinc sinh slice_scatter
slogdet split_with_sizes stft storage storage_offset subtract svd swapaxes swapdims take
take_along_dim tensor_split tile to_dense to_sparse trace triangular_solve true_divide
trunc type_as unflatten unfold unique unique_consecutive unsafe_chunk unsafe_split
values vdot vsplit xlogy
"""
