"""Reading and writing by index: gather, take, masks, lists; and what joins, repeats and turns tensors."""
from .tables import count, from_rows, some_dim, with_dim


def indices(w, size, many):
    """A list of valid indices."""
    return [w.below(size) for _ in range(many)]


def more_indexing(w, x):
    """Elements chosen by index or mask."""
    s, shape = x.src, x.shape
    if not x.ndim or not count(shape):
        return from_rows(w, x, [(f"{s}.take(torch.tensor([0]))", (1,)), (f"{s}[None]", (1,) + shape),
            (f"{s}[...]", shape),
                                (f"{s}[{s} > 0]", (1,) + shape),
                                (f"{s}.index_select(0, torch.tensor([0]))", shape),
                                (f"{s}[True]", (1,) + shape)])
    d, written = some_dim(w, x)
    size = shape[d]
    many = 1 + w.below(3)
    at = indices(w, size, many)
    chosen = with_dim(shape, d, many)
    ones = with_dim(shape, d, 1)
    full = f"torch.zeros({ones}, dtype=torch.int64)"
    same = f"torch.full({shape}, {at[0]})"
    rows = [(f"{s}.index_select({written}, torch.tensor({at}))", chosen),
             (f"torch.index_select({s}, dim={d}, index=torch.tensor({at}))", chosen),
            (f"{s}.gather({written}, {full})", ones), (f"torch.gather({s}, {d}, {same})", shape),
            (f"{s}.take(torch.tensor({at}))", (many,)),
            (f"{s}.masked_select({s} > 0)", (2,)), (f"{s}[{s} > 0]", (2,)), (f"{s}[{s} != {s}]", (0,)),
            (f"{s}.nonzero()", (2, x.ndim), "int64"),
            (f"torch.where({s} > 0)[0]", (2,), "int64"), (f"{s}.take_along_dim({same}, {d})", shape),
            (f"torch.argwhere({s})", (2, x.ndim), "int64"),
            (f"{s}[torch.tensor({indices(w, shape[0], many)})]", (many,) + shape[1:]),
            (f"{s}[{indices(w, shape[0], many)}]", (many,) + shape[1:]),
            (f"{s}.index_add({written}, torch.tensor([{at[0]}]), torch.ones({ones}).to({s}.dtype))", shape),
            (f"{s}.index_add({d}, torch.tensor([{at[0]}]), {s}.narrow({d}, 0, 1), alpha=2)", shape),
            (f"{s}.index_fill({written}, torch.tensor({at}), 1)", shape),
            (f"{s}.index_copy({d}, torch.tensor([{at[0]}]), {s}.narrow({d}, 0, 1))", shape),
            (f"{s}.scatter({d}, {full}, 2)", shape),
            (f"{s}.scatter({written}, {full}, {s})", shape), (f"{s}.scatter_add({d}, {same}, {s})", shape),
            (f"torch.scatter({s}, {d}, {full}, {s} * 2)", shape),
            (f"{s}.scatter_reduce({d}, {same}, {s}, reduce='sum')", shape),
            (f"{s}.scatter_reduce({d}, {same}, {s}, reduce='amax')", shape),
            (f"{s}.index_put((torch.tensor([0]),), torch.tensor(1, dtype={s}.dtype))", shape),
            (f"{s}.masked_scatter({s} > 0, {s})", shape),
            (f"{s}.index_put((torch.tensor({indices(w, shape[0], 2)}),), {s}[0], accumulate=True)", shape),
            (f"torch.masked_fill({s}, {s} > 1, 0)", shape),
            (f"{s}.put(torch.tensor({at[:1]}), torch.ones(1, dtype={s}.dtype))", shape),
            (f"{s}.masked_fill(mask={s} < 0, value=1)", shape)]
    if x.ndim == 2:
        a, b = shape
        rows += [(f"{s}[torch.arange({a}), 0]", (a,)), (f"{s}[:, [{w.below(b)}, 0]]", (a, 2)),
                  (f"{s}[[0], 1:]", (1, b - 1)), (f"{s}[..., [0]]", (a, 1)),
                 (f"{s}[torch.tensor([0]), torch.tensor([[0], [0]])]", (2, 1)),
                 (f"{s}[{w.below(a)}, [0, 0]]", (2,)), (f"{s}[:, None, [0]]", (a, 1, 1)),
                 (f"{s}[[True] + [False] * {a - 1}]", (1, b)), (f"{s}[({s} > 0).any(1)]", (1, b)),
                 (f"{s}[:, torch.tensor(0)]", (a,))]
    return from_rows(w, x, rows)


def joined(w, x):
    """Tensors put together, repeated, turned."""
    s, shape, n = x.src, x.shape, x.ndim
    y = w.pick(lambda t: t.shape == shape and t.dtype == x.dtype) or x
    rows = [(f"torch.stack([{s}, {y.src}])", (2,) + shape),
             (f"torch.stack(({y.src}, {s}), dim=-1)", shape + (2,)),
             (f"torch.stack(tensors=[{s}], dim=0)", (1,) + shape),
            (f"torch.hstack([{s}, {y.src}])", (2,)), (f"torch.vstack([{s}, {y.src}])", (2, 1)),
            (f"torch.column_stack([{s}, {y.src}])", (1, 2)),
            (f"torch.broadcast_tensors({s}, {y.src})[0]", shape),
            (f"{s}.tile(2)", shape[:-1] + (2 * shape[-1],) if n else (2,)),
            (f"{s}.repeat_interleave(2)", (2 * count(shape),)),
            (f"torch.meshgrid({s}.flatten(), {y.src}.flatten(), indexing='ij')[0]", (count(shape),) * 2),
            (f"torch.nn.functional.pad({s}, (1, 0))", shape[:-1] + (shape[-1] + 1,) if n else ()),
            (f"torch.diag_embed({s}.flatten())", (count(shape),) * 2),
            (f"torch.diag({s}.flatten())", (count(shape),) * 2), (f"torch.einsum('...->', {s})", ()),
            (f"torch.combinations({s}.flatten())", (1, 2)),
            (f"torch.cartesian_prod({s}.flatten(), {y.src}.flatten())", (count(shape) ** 2, 2)),
            (f"torch.block_diag({s}, {y.src})", (2, 2)),
            (f"{s}.repeat(2, {', '.join(['1'] * n) or '1'})", (2,) + (shape or (1,)))]
    if n:
        d, written = some_dim(w, x)
        double = with_dim(shape, d, 2 * shape[d])
        rows += [(f"torch.cat([{s}, {y.src}], {written})", double),
                  (f"torch.cat(({s}, {y.src}), dim={d})", double),
                  (f"torch.cat([{s}, {y.src}.detach()], dim={d})", double),
                 (f"torch.cat([{s}, torch.tensor([])])", shape), (f"torch.concat([{s}])", shape),
                 (f"{s}.roll(1, {written})", shape), (f"{s}.roll(1)", shape),
                 (f"torch.flip({s}, [{d}])", shape),
                 (f"{s}.repeat_interleave(2, dim={d})", double),
                 (f"{s}.repeat_interleave(torch.tensor([2]), {d})", double)]
    if n == 2:
        rows += [(f"{s}.tril()", shape), (f"{s}.triu(1)", shape), (f"torch.tril({s}, diagonal=-1)", shape),
                  (f"{s}.rot90()", shape[::-1]), (f"{s}.fliplr()", shape),
                 (f"torch.cat([{s}, {s}.double()])", (2 * shape[0], shape[1]), "float64")]
    return from_rows(w, x, rows)
