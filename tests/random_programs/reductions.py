"""Reductions, sorting and running totals: over everything, one dimension or several, with keywords."""
from .tables import count, floating, from_rows, some_dim, tamed, with_dim, without_dim

OVER_ALL = ("sum mean prod std var norm max min amax amin any all argmax argmin median nansum nanmean "
            "count_nonzero logsumexp numel aminmax std_mean").split()


def more_reductions(w, x):
    x = tamed(x)
    if not x.ndim or w.chance(0.25):
        return over_all(w, x)
    return w.weighted((along, ordered, running), (5, 2, 3))(w, x)


def over_all(w, x):
    x = floating(x) if w.chance(0.8) else x
    s, n = x.src, x.ndim
    return from_rows(w, x, [
        (f"torch.sum({s})", ()), (f"torch.mean({s})", ()), (f"{s}.prod()", ()),
        (f"{s}.sum(dtype=torch.float64)", (), "float64"),
        (f"{s}.mean(dtype=torch.float64)", (), "float64"), (f"{s}.std()", ()),
        (f"{s}.var(unbiased=False)", ()), (f"{s}.std(correction=0)", ()),
        (f"{s}.norm(1)", ()), (f"{s}.norm(p=3)", ()), (f"torch.norm({s}, 2)", ()),
        (f"{s}.norm(float('inf'))", ()), (f"torch.linalg.norm({s})", ()),
        (f"torch.linalg.vector_norm({s}, 1)", ()), (f"{s}.median()", ()), (f"{s}.nansum()", ()),
        (f"{s}.nanmean()", ()), (f"{s}.count_nonzero()", (), "int64"),
        (f"{s}.logsumexp({tuple(range(n))})", ()), (f"{s}.aminmax()[0]", ()), (f"torch.var_mean({s})[1]", ()),
        (f"torch.std_mean({s})[0]", ()),
        (f"torch.max({s})", ()), (f"torch.min(input={s})", ()), (f"{s}.amax()", ()),
        (f"{s}.argmin()", (), "int64"), (f"torch.argmax({s})", (), "int64"),
        (f"{s}.quantile(0.5)", ()), (f"{s}.all()", (), "bool"), (f"torch.any({s})", (), "bool"),
        (f"{s}.sum(dim=None)", ()), (f"{s}.sum(())", ()),
        (f"{s}.sum(dim={tuple(range(n))}, keepdim=True)", (1,) * n), (f"{s}.mean({list(range(n))})", ()),
        (f"torch.trace({s})", ()),
        (f"{s}.square().sum().sqrt()", ()), (f"torch.dist({s}, {s} * 2)", ()),
        (f"torch.nn.functional.normalize({s}, dim=0)", x.shape)])


def along(w, x):
    """Over one or two dimensions."""
    x = floating(x) if w.chance(0.85) else x
    s, shape = x.src, x.shape
    d, written = some_dim(w, x)
    keep = w.chance(0.4)
    out, k = without_dim(shape, d, keep), ", keepdim=True" if keep else w.one_of(("", "", ", keepdim=False"))
    where = w.one_of((f"{written}", f"dim={written}", f"({d},)", f"dim=[{d}]"))
    name = w.one_of(("sum", "mean", "amax", "amin", "std", "var", "nansum", "logsumexp", "nanmean"))
    one = w.one_of(("prod", "argmax", "argmin", "any", "all"))
    pair = w.one_of(("max", "min", "median", "mode", "kthvalue", "nanmedian"))
    kind = {"argmax": "int64", "argmin": "int64", "any": "bool", "all": "bool"}.get(one, x.dtype)
    arguments = f"1, {written}" if pair == "kthvalue" else f"{written}"
    indices = ".values" if pair == "kthvalue" else ".indices"
    if pair == "mode":
        s = f"{s}.nan_to_num()"
    return from_rows(w, x, [
        (f"{s}.{name}({where}{k})", out), (f"{s}.{name}({where}{k})", out),
        (f"torch.{name}({s}, {where}{k})", out),
        (f"{s}.{one}({written}{k})", out, kind), (f"torch.{one}({s}, dim={d}{k})", out, kind),
        (f"{s}.{pair}({arguments}{k})[0]", out), (f"{s}.{pair}({arguments}{k}).values", out),
        (f"{s}.{pair}({arguments}{k}){indices}", out, "int64"),
        (f"{s}.norm(dim={written}{k})", out), (f"{s}.norm(1, {written}{k})", out),
        (f"torch.linalg.vector_norm({s}, dim={d}{k})", out),
        (f"{s}.sum({written}{k}, dtype=torch.float64)", out, "float64"),
        (f"{s}.var({written}, unbiased=False{k})", out), (f"{s}.std(dim={d}, correction=0{k})", out),
        (f"{s}.sum(axis={written})", without_dim(shape, d)),
        (f"{s}.mean(axis={d}, keepdims=True)", without_dim(shape, d, True)),
        (f"{s}.count_nonzero(dim={written})", without_dim(shape, d), "int64"),
        (f"torch.aminmax({s}, dim={d}{k})[1]", out),
        (f"{s}.quantile(0.5, dim={d}{k})", out),
        (f"{s}.sum((0, -1){k})" if x.ndim > 1 else f"{s}.sum((-1,){k})", ())])


def ordered(w, x):
    """Sorting and picking by rank."""
    s, shape = x.src, x.shape
    d, written = some_dim(w, x)
    few = min(shape[d], 2)
    end = w.one_of(("[0]", ".values"))
    return from_rows(w, x, [
        (f"{s}.sort({written}){end}", shape), (f"torch.sort({s}, dim={d}, descending=True){end}", shape),
        (f"{s}.sort(stable=True, dim={d})[1]", shape, "int64"),
        (f"{s}.argsort({written})", shape, "int64"),
        (f"{s}.argsort(dim={d}, descending=True)", shape, "int64"), (f"{s}.msort()", shape),
        (f"{s}.topk({few}, dim={written}){end}", with_dim(shape, d, few)),
        (f"torch.topk({s}, {few}, {d}, largest=False)[0]", with_dim(shape, d, few)),
        (f"{s}.unique()", (count(shape),)), (f"{s}.kthvalue(1, {d})[0]", without_dim(shape, d)),
        (f"torch.unique({s}, return_counts=True)[1]", (count(shape),), "int64")])


def running(w, x):
    """Running totals, and normalisations along a dimension."""
    x = floating(x) if w.chance(0.8) else x
    s, shape = x.src, x.shape
    d, written = some_dim(w, x)
    f = "torch.nn.functional."
    return from_rows(w, x, [
        (f"{s}.cumsum({written})", shape), (f"torch.cumsum({s}, dim={d})", shape),
        (f"{s}.cumsum({d}, dtype=torch.float64)", shape, "float64"),
        (f"{s}.cumprod({written})", shape), (f"{s}.logcumsumexp({written})", shape),
        (f"{s}.cummax({written})[0]", shape), (f"{s}.cummin(dim={d}).values", shape),
        (f"{s}.softmax({written})", shape), (f"{s}.softmax(dim={d})", shape),
        (f"torch.softmax({s}, {written})", shape), (f"{s}.log_softmax(dim={d})", shape),
        (f"{f}softmax({s}, dim={written})", shape), (f"{f}log_softmax({s}, {written})", shape),
        (f"{f}softmin({s}, dim={d})", shape),
        (f"torch.softmax({s}, dim={d}, dtype=torch.float64)", shape, "float64"),
        (f"{s}.diff(dim={written})", with_dim(shape, d, max(shape[d] - 1, 0))),
        (f"{f}normalize({s}, dim={d})", shape), (f"{f}layer_norm({s}, ({shape[-1]},))", shape),
        (f"{s}.flip({written})", shape), (f"torch.trapezoid({s}, dim={d})", without_dim(shape, d))])
