"""Products of vectors and matrices, and losses: what ends in one number, mostly."""
from .tables import count, floating, from_rows, tamed


def more_products(w, x):
    """The matmul family on x and tensors that fit it (now and then: that do not)."""
    x = floating(tamed(x))
    s, shape, n = x.src, x.shape, x.ndim
    last = shape[-1] if n else 1
    if w.chance(0.04):
        last += 1
    vector = w.literal((last,), x.dtype, w.chance(0.3)).src
    matrix = w.literal((last, 2), x.dtype, w.chance(0.3)).src
    f = "torch.nn.functional."
    flat = f"{s}.flatten()"
    rows = [(f"torch.outer({flat}, {flat})", (count(shape),) * 2), (f"torch.dot({flat}, {flat})", ()),
             (f"torch.inner({s}, {s})", shape[:-1] * 2),
             (f"torch.kron({s}, {s})", tuple(k * k for k in shape)),
            (f"torch.tensordot({s}, {s}, dims={n})", ()), (f"torch.vdot({flat}, {flat})", ())]
    if n:
        rows += [(f"{s} @ {matrix}", shape[:-1] + (2,)), (f"torch.matmul({s}, {vector})", shape[:-1]),
                  (f"{s}.matmul({matrix})", shape[:-1] + (2,)),
                  (f"{f}linear({s}, {matrix}.t())", shape[:-1] + (2,)),
                 (f"{f}linear({s}, {matrix}.t(), torch.ones(2, dtype={s}.dtype))", shape[:-1] + (2,)),
                 (f"torch.tensordot({s}, {vector}, dims=1)", shape[:-1]),
                 (f"torch.einsum('...i,i->...', {s}, {vector})", shape[:-1])]
    if n == 1:
        rows += [(f"{s}.dot({vector})", ()),
                  (f"torch.einsum('i,j->ij', {s}, {vector})", (count(shape), last)), (f"{s} @ {s}", ()),
                  (f"torch.addr(torch.zeros({shape[0]}, {shape[0]}, dtype={s}.dtype), {s}, {s})",
                  (shape[0],) * 2)]
    if n == 2:
        a, b = shape
        rows += [(f"torch.mm({s}, {matrix})", (a, 2)), (f"{s}.mv({vector})", (a,)),
                  (f"torch.addmm(torch.ones(2, dtype={s}.dtype), {s}, {matrix})", (a, 2)),
                  (f"torch.addmv({s}.sum(1), {s}, {vector}, alpha=2)", (a,)),
                 (f"torch.einsum('ij,jk->ik', {s}, {matrix})", (a, 2)),
                 (f"torch.einsum('ij->ji', {s})", (b, a)), (f"{s} @ {s}.T", (a, a)), (f"{s}.T @ {s}", (b, b)),
                 (f"{s}.addmm({s} @ {s}.T, {s}, beta=0.5)", shape),
                 (f"torch.linalg.multi_dot([{s}, {s}.T, {s}])", shape),
                 (f"({s} @ {s}.T).matrix_power(2)", (a, a)), (f"({s} @ {s}.T).trace()", ()),
                 (f"torch.linalg.inv({s} @ {s}.T + torch.eye({a}, dtype={s}.dtype))", (a, a))]
    if n == 3:
        a, b, c = shape
        rows += [(f"torch.bmm({s}, {s}.transpose(1, 2))", (a, b, b)), (f"{s} @ {s}.mT", (a, b, b)),
                  (f"torch.baddbmm({s}, {s} @ {s}.mT, {s})", shape),
                  (f"torch.einsum('bij,bkj->bik', {s}, {s})", (a, b, b))]
    e = from_rows(w, x, rows)
    return e._replace(size=max(e.size, x.size ** 2 * max(last, 1)), src=f"({e.src})")


def loss(w, x):
    """nn.functional losses and layers."""
    x = floating(tamed(x))
    s, shape = x.src, x.shape
    how = w.one_of(("", "", ", reduction='sum'", ", reduction='none'", ", reduction='mean'"))
    out = shape if "none" in how else ()
    target = w.pick(lambda t: t.shape == shape and t.dtype == x.dtype)
    t = target.src if target and w.chance(0.6) else f"torch.zeros_like({s})"
    f = "torch.nn.functional."
    rows = [(f"{f}mse_loss({s}, {t}{how})", out), (f"{f}l1_loss({s}, {t}{how})", out),
             (f"{f}smooth_l1_loss({s}, {t}{how})", out), (f"{f}huber_loss({s}, {t}{how}, delta=0.5)", out),
            (f"{f}binary_cross_entropy_with_logits({s}, {t}.sigmoid(){how})", out),
            (f"{f}binary_cross_entropy({s}.sigmoid(), {t}.detach().sigmoid(){how})", out),
            (f"{f}soft_margin_loss({s}, {t}{how})", out),
            (f"{f}kl_div({s}, {t}.exp(){how})", out), (f"{f}poisson_nll_loss({s}, {t}{how})", out),
            (f"{f}mse_loss(input={s}, target={t}{how})", out),
            (f"{f}hinge_embedding_loss({s}, {t}{how})", out),
            (f"{f}dropout({s}, 0.5, training=False)", shape), (f"{f}dropout({s}, p=0.0)", shape)]
    if len(shape) == 2 and count(shape):
        rows_, classes = shape
        at = f"torch.tensor({[w.below(classes) for _ in range(rows_)]})"
        out = (rows_,) if "none" in how else ()
        rows += [(f"{f}cross_entropy({s}, {at}{how})", out),
                  (f"{f}nll_loss({s}.log_softmax(1), {at}{how})", out),
                  (f"{f}cross_entropy({s}, {s}.softmax(1){how})", out),
                  (f"{f}cosine_similarity({s}, {s} * 2)", (rows_,)),
                 (f"{f}cross_entropy({s}, {at}, label_smoothing=0.1{how})", out),
                 (f"{f}layer_norm({s}, ({classes},), torch.ones({classes}).to({s}.dtype))", shape),
                 (f"{f}embedding({at}, {s})", (rows_, classes)),
                 (f"{f}one_hot({at})", (rows_, classes), "int64"),
                 (f"{f}pairwise_distance({s}, {s} + 1)", (rows_,)),
                 (f"{f}cross_entropy({s}, {at}, ignore_index=0)", ())]
    return from_rows(w, x, rows)
