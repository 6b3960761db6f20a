"""Calls that fail, or are easily answered with another dtype, shape or node: what PyTorch answers to each.

    python -m tests.answers        asks an installed torch==2.13.0 again, and writes tests/data/answers.json
"""
from __future__ import annotations

import json
import warnings
from pathlib import Path

DATA = Path(__file__).parent / "data" / "answers.json"

CALLS = """
F.binary_cross_entropy(i, i)
F.nll_loss(i, torch.tensor([0, 1]))
F.nll_loss(torch.ones(1, 2, 2, 2).long(), torch.zeros(1, 2, 2).long())
F.batch_norm(i, torch.ones(3), torch.ones(3))
F.batch_norm(f, torch.ones(2), torch.ones(2))
F.group_norm(torch.ones(1, 2, 3).long(), 2)
F.rms_norm(i, (3,))
F.rms_norm(f, ())
F.rms_norm(f, (3,), torch.ones(2))
F.prelu(i, torch.ones(1).long())
F.prelu(f, torch.ones(1, 3))
F.binary_cross_entropy_with_logits(i, i)
torch.round(i, decimals=0)
torch.round(f.requires_grad_(), decimals=0)
torch.renorm(i, 2, 0, 1.)
f.renorm(2, 5, 1.)
torch.norm(i, 'nuc')
torch.linalg.cond(i[:, :2])
F.max_pool1d(i[None], 2)
F.adaptive_avg_pool2d(torch.ones(1, 1, 3, 3).long(), 2)
F.adaptive_avg_pool2d(f[None], ())
F.adaptive_avg_pool2d(f[None], (-1, 0))
F.margin_ranking_loss(i, i, i, margin=.5)
F.triplet_margin_loss(i, i, i)
F.cosine_embedding_loss(i, i, torch.tensor([1, -1]))
F.poisson_nll_loss(i, i, full=True)
F.pairwise_distance(i, i)
torch.trapezoid(i)
torch.trapezoid(f, f.requires_grad_())
torch.cholesky(A.long())
torch.cholesky(torch.tensor([[1., 2.], [2., 1.]]))
torch.linalg.eigh(A.long())
torch.linalg.svd(A.long())
torch.linalg.qr(A.long())
torch.linalg.pinv(A.long())
torch.linalg.matrix_rank(A.long())
torch.linalg.det(torch.ones(0, 0))
torch.logdet(torch.ones(0, 0))
torch.linalg.matrix_rank(A, atol=2.)
torch.linalg.matrix_rank(A, rtol=None, hermitian=True)
torch.linalg.pinv(torch.diag(torch.tensor([2., 1.])), rcond=.6)
torch.linalg.pinv(torch.diag(torch.tensor([2., 1.])), atol=1.5)
torch.bucketize(f, torch.ones(2, 2))
torch.narrow(f, 0, torch.tensor([0, 1]), 1)
torch.narrow(f, 0, torch.tensor(1), 1)
f.narrow_copy(3, 0, 1)
f.narrow_copy(0, 0, -1)
torch.amax(f, 0, out=torch.ones(3, dtype=torch.int32))
torch.aminmax(f, dim=0, out=(torch.ones(3), torch.ones(3).double()))
torch.gather(f, 0, i[:1] * 0, out=torch.ones(1, 3).double())
torch.ones(1).addmm_(torch.ones(2, 2), torch.ones(2, 2), beta=.5)
torch.ones(1).addmv_(f, torch.ones(3))
torch.ones(1).addbmm_(f[None], torch.ones(1, 3, 2))
torch.ones(1).baddbmm_(f[None], torch.ones(1, 3, 2))
torch.ones(1).addr_(torch.ones(2), torch.ones(3))
torch.diff(f.requires_grad_(), 0)
torch.ones((), requires_grad=True).sum_to_size(())
torch.nanquantile(i, .5)
F.avg_pool2d(torch.ones(1, 4, 4), 2, padding=-1)
F.max_pool1d(torch.ones(1, 1, 4), 2, padding=-1)
F.max_pool1d(torch.ones(1, 1, 4), 2, padding=2, return_indices=True)
F.max_pool1d(torch.ones(1, 1, 4), 2, stride=0)
F.max_pool2d(torch.ones(1, 4, 4), 2, dilation=0)
F.conv1d(torch.ones(1, 1, 4), torch.ones(1, 1, 2), dilation=-1)
F.conv1d(torch.ones(1, 1, 4), torch.ones(1, 2))
F.conv1d(torch.ones(1, 1, 4).long(), torch.ones(1, 1, 2).long(), torch.ones(1))
F.conv1d(torch.ones(1, 1, 4), torch.ones(1, 1, 2), groups=0)
F.conv1d(f[:, None], torch.ones(1, 1, 2), torch.ones(1).requires_grad_()).grad_fn._saved_bias_sym_sizes_opt
F.pad(torch.ones(1, 1, 3), (1, 1), mode='foo')
F.pad(torch.ones(1, 1, 3), (1, 1), mode='reflect', value=1.)
F.pad(torch.ones(3), (1, 1), mode='replicate')
F.pad(torch.ones(1, 1, 3), (3, 1), mode='reflect')
F.pad(torch.ones(1, 1, 3), (4, 1), mode='circular')
F.pad(torch.ones(1, 1, 3), (-4, 1), mode='replicate')
F.pad(torch.ones(1, 0, 3), (1, 1), mode='reflect')
F.dropout2d(torch.ones(3))
torch.cdist(f, f, 2, 'foo')
torch.pdist(f[0])
torch.nextafter(i, i)
torch.select_scatter(f, torch.ones(3), 5, 1)
torch.select_scatter(f, torch.ones(7), 0, 1)
f.index_reduce(0, i[0], f, 'sum')
f.index_reduce(0, i, f, 'prod')
f.index_reduce(0, torch.tensor([5, 0]), f, 'prod')
torch.promote_types('a', torch.int8)
torch.autograd.set_detect_anomaly('yes')
torch.optim.Adam([f.detach().requires_grad_()], betas=(.9,))
F.bilinear(torch.ones(2), torch.ones(2), torch.ones(1, 2, 3))
F.bilinear(torch.ones(2, 2), torch.ones(3, 3), torch.ones(1, 2, 3))
nn.ConstantPad1d(2, 3.5)
nn.ReflectionPad2d(1)
nn.ZeroPad1d((1, 2))(torch.ones(1, 2))
torch.autograd._functions.Resize.apply(f, (4,))
torch.addbmm(A.requires_grad_(), A[None], A[None]).grad_fn._saved_batch2_sym_argsize_2
first_gradient_version(lambda x: x.sum())
first_gradient_version(lambda x: (x * 2).sum())
torch._assert(False, 'bar')
p.contiguous(memory_format=torch.channels_last).stride()
p.requires_grad_().to(memory_format=torch.channels_last).grad_fn
p.clone(memory_format=torch.channels_last).double(memory_format=torch.contiguous_format).stride()
f.contiguous(memory_format=torch.channels_last)
torch.empty(2, 3, 2, 2, 2, memory_format=torch.channels_last_3d).stride()
torch.zeros_like(p, memory_format=torch.channels_last).is_contiguous(memory_format=torch.channels_last)
f.t().clone(memory_format=torch.contiguous_format).stride()
torch.linalg.slogdet(A)
torch.linalg.cond(A.requires_grad_())
torch.linalg.cholesky(A.requires_grad_(), upper=True)
F.adaptive_avg_pool2d(f, (2, 2))
F.max_pool1d(f[:0], 1)
F.embedding(i, torch.ones(2))
torch.linspace(torch.ones(2), torch.ones(2), 2)
torch.diff(f, 0, append=f)
torch.imag(f)
torch.conj(f) is f
torch.symeig(A)
A.lstsq(A)
torch.matrix_rank(A)
torch.vander(torch.tensor([1., 2.]).requires_grad_(), 2)
torch.vander(torch.tensor([1, 2]), 3, True)
[n for n in dir(nn.Embedding(2, 2)(torch.tensor([1])).grad_fn) if n.startswith('_saved')]
torch.special.expit(f)
torch.autograd.gradcheck(F.hardsigmoid, torch.tensor([.5, 9.], dtype=torch.float64).requires_grad_())
torch.ones(2, 3).select_scatter(torch.ones(()), 0, 0)
torch.ones(3).select_scatter(torch.zeros(()), 0, 1)
torch.linalg.eigh(torch.tensor([[2., 1.], [1., 3.]])).eigenvalues
torch.polygamma(1, torch.tensor([.5, 1., -1.5], dtype=torch.float64)).tolist()
""".strip().split("\n")


def answer(torch, call):
    """What the call gives, as text: the value and its node, or the error."""
    def first_gradient_version(function):
        x = torch.ones(2, 3, requires_grad=True)
        function(x).backward()
        return x.grad._version

    names = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "f": torch.ones(2, 3),
             "i": torch.ones(2, 3, dtype=torch.int64), "A": torch.eye(2), "p": torch.ones(2, 3, 2, 2),
             "first_gradient_version": first_gradient_version}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return repr(eval(call, names)).partition(" object at ")[0]
        except Exception as error:
            return f"{type(error).__name__}: {error}"


def main():
    import torch
    import torch.autograd._functions

    DATA.write_text(json.dumps({call: answer(torch, call) for call in CALLS}, indent=0) + "\n")


if __name__ == "__main__":
    main()
