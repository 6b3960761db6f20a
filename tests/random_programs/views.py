"""Views beyond the plain ones of values.py: every dimension, windows, diagonals, strides, pieces of lists."""
from .tables import count, from_rows, row_major, some_dim, with_dim, without_dim


def more_views(w, x):
    """Something that shares x's memory (or would, if it could)."""
    if count(x.shape) > 3 and w.chance(0.07):
        return windows(w, x)
    rows = whole(w, x) if not x.ndim or w.chance(0.3) else along(w, x) + pieces(w, x)
    return from_rows(w, x, rows, root=x.root)


def windows(w, x):
    """Views in which elements come more than once: to write to them has no defined meaning."""
    s = x.src
    rows = [(f"{s}.as_strided((2, 2), (1, 1))", (2, 2))]
    if x.ndim and x.shape[-1] > 2:
        rows += [(f"{s}.unfold(-1, 2, 1)", x.shape[:-1] + (x.shape[-1] - 1, 2))]
    return from_rows(w, x, rows, root=x.root)._replace(repeats=True)


def whole(w, x):
    """Views of all elements, or given by strides."""
    s, shape, n = x.src, x.shape, count(x.shape)
    rows = [(f"{s}.expand_as({s})", shape), (f"{s}.broadcast_to({(2,) + shape})", (2,) + shape),
            (f"{s}.unsqueeze(-1)", shape + (1,)), (f"{s}.reshape_as({s})", shape),
            (f"torch.ravel({s})", (n,)),
            (f"{s}.as_strided({shape}, {row_major(shape)})", shape), (f"{s}.view(size={shape})", shape),
            (f"torch.reshape({s}, {shape})", shape),
            (f"{s}.squeeze(0)", shape[1:] if shape[:1] == (1,) else shape),
            (f"{s}.view(*{shape}, 1)", shape + (1,)),
            (f"{s}.permute({tuple(reversed(range(x.ndim)))})", shape[::-1]),
            (f"{s}.expand(3, *[-1] * {x.ndim})", (3,) + shape), (f"{s}.real", shape),
            (f"{s}.contiguous()", shape), (f"{s}.to({s}.dtype)", shape), (f"{s}.type_as({s})", shape),
            (f"torch.atleast_2d({s})", shape if x.ndim > 1 else (1, n)), (f"{s}.positive()", shape)]
    if n > 3:
        rows += [(f"torch.as_strided({s}, (2,), (2,), 1)", (2,)),
                 (f"{s}.as_strided((2,), (1,), storage_offset=1)", (2,))]
    return rows


def along(w, x):
    """Views that name a dimension."""
    s, shape = x.src, x.shape
    d, written = some_dim(w, x)
    size = shape[d]
    e = w.below(x.ndim)
    swapped = list(shape)
    swapped[d], swapped[e] = swapped[e], swapped[d]
    moved = [n for i, n in enumerate(shape) if i != d]
    moved.insert(e, size)
    rows = [(f"{s}.unsqueeze({d})", shape[:d] + (1,) + shape[d:]),
             (f"{s}.transpose({written}, {e})", tuple(swapped)),
            (f"{s}.swapaxes({d}, {e})", tuple(swapped)), (f"torch.movedim({s}, {d}, {e})", tuple(moved)),
            (f"{s}.squeeze({written})", without_dim(shape, d) if size == 1 else shape),
            (f"{s}.squeeze(dim={d})", without_dim(shape, d) if size == 1 else shape),
            (f"{s}.unflatten({written}, ({size}, 1))", shape[:d] + (size, 1) + shape[d + 1:]),
            (f"{s}.unflatten({d}, (1, -1))", shape[:d] + (1, size) + shape[d + 1:]),
            (f"{s}.flatten({d})", shape[:d] + (count(shape[d:]),)),
            (f"{s}.flatten(0, {d})", (count(shape[:d + 1]),) + shape[d + 1:]),
            (f"{s}.flatten(start_dim={d}, end_dim=-1)", shape[:d] + (count(shape[d:]),))]
    if x.ndim == 2:
        rows += [(f"{s}.mT", shape[::-1]), (f"{s}.t()", shape[::-1]), (f"{s}.H", shape[::-1]),
                  (f"{s}.adjoint()", shape[::-1]),
                 (f"torch.diagonal({s}, 0, 0, 1)", (min(shape),)),
                 (f"{s}.diagonal(offset=1)", (max(min(shape[0], shape[1] - 1), 0),)),
                 (f"{s}.diagonal(-1)", (max(min(shape[0] - 1, shape[1]), 0),)),
                 (f"{s}.diag()", (min(shape),))]
    if x.ndim == 3:
        rows += [(f"{s}.mT", (shape[0], shape[2], shape[1])),
                  (f"{s}.permute(dims=(1, 2, 0))", shape[1:] + shape[:1]),
                 (f"{s}.diagonal(0, 1, 2)", (shape[0], min(shape[1:])))]
    return rows


def pieces(w, x):
    """Views of a part along a dimension."""
    s, shape = x.src, x.shape
    d, written = some_dim(w, x)
    size, rest = shape[d], without_dim(shape, d)
    if not size:
        return []
    at, window = w.below(size), 1 + w.below(min(size, 2))
    step = window
    before = ":, " * d
    rows = [(f"{s}.select({written}, {at})", rest), (f"{s}.select(dim={d}, index={at - size})", rest),
            (f"{s}.narrow({written}, {at}, {size - at})", with_dim(shape, d, size - at)),
            (f"torch.narrow({s}, {d}, 0, {at})", with_dim(shape, d, at)),
            (f"{s}.unfold({written}, {window}, {step})",
             with_dim(shape, d, (size - window) // step + 1) + (window,)),
            (f"{s}.unbind({written})[{at}]", rest), (f"torch.unbind({s}, dim={d})[{at}]", rest),
            (f"{s}.split(1, {written})[{at}]", with_dim(shape, d, 1)),
            (f"{s}.split(split_size=2, dim={d})[0]", with_dim(shape, d, min(size, 2))),
            (f"torch.chunk({s}, 2, {d})[0]", with_dim(shape, d, (size + 1) // 2)),
            (f"{s}.tensor_split(2, dim={written})[0]", with_dim(shape, d, (size + 1) // 2)),
            (f"torch.split({s}, [{at}, {size - at}], dim={d})[1]", with_dim(shape, d, size - at)),
            (f"{s}[{before}{at}]", rest), (f"{s}[{before}{at}:]", with_dim(shape, d, size - at)),
            (f"{s}[{before}::{step}]", with_dim(shape, d, -(-size // step))),
            (f"{s}[{before}None]", shape[:d] + (1,) + shape[d:]),
            (f"{s}[{before}:-1]", with_dim(shape, d, size - 1)),
            (f"{s}[{before}[{at}, 0]]", with_dim(shape, d, 2))]
    if d == x.ndim - 1:
        rows += [(f"{s}[..., {at}]", rest), (f"{s}[..., {at}:{at + 1}]", with_dim(shape, d, 1)),
                  (f"{s}[..., None]", shape + (1,))]
    return rows
