"""The table of expressions: calls that return a tensor computed from another one.

A row is a template (see `Holes` in writer.py), then `->` and the shape of the result where it is
not the shape of x (`s`), then `:` and the dtype where it is not the dtype of x.
"""
import math

from .writer import FLOATS, Expr, Holes, broadcast, promote, split_rows


class Family:
    """Rows of one kind: how often they are used, which tensors they take, and what their results
    are."""

    def __init__(self, weight, rows, *, ndim=None, floats=False, views=False, calm=50):
        self.weight, self.ndim, self.floats, self.views = weight, ndim, floats, views
        self.calm = calm                # the largest values that make sense as operands
        self.rows = split_rows(rows)

    def accepts(self, x):
        if self.ndim == "some":
            return x.ndim and x.count
        return self.ndim in (None, x.ndim)

    def write(self, w, x):
        """Return one of the rows, as an expression computed from x."""
        if not self.views:
            x = calm(x, self.calm, self.floats)
        holes = Holes(w, x)
        source, _, result = w.one_of(self.rows).partition(" -> ")
        shape, _, dtype = result.partition(": ")
        filled = holes.fill(source)
        y = holes.chosen.get("y")
        if shape:
            shape = eval(shape, {"prod": math.prod}, holes)
        else:
            shape = broadcast(x.shape, y.shape) if y else x.shape
        grad = x.grad or any([holes.chosen[name].grad for name in "yz" if name in holes.chosen])
        dtype = dtype or (promote(x.dtype, y.dtype) if y else x.dtype)
        return Expr(operand(filled), x.shape if shape is None else shape, dtype,
                    grad and dtype in FLOATS,
                    max(8.0, x.size * 2), base=x.base if self.views else "")


def operand(source):
    """Return the source in parentheses if it has an operator outside of all brackets."""
    depth = 0
    for at, character in enumerate(source):
        depth += (character in "([{") - (character in ")]}")
        if depth == 0 and (character == " " or at == 0 and character in "-~"):
            return f"({source})"
    return source


def calm(x, largest, floats):
    """Return x, made small where its values may be large, and floating-point where that is
    needed."""
    if x.dtype == "bool" or floats and not x.floating:
        x = x._replace(src=f"{x.src}.float()", dtype="float32", grad=False, leaf=False, base="")
    if x.size > largest and x.floating:
        x = x._replace(src=f"{x.src}.tanh()", size=1.0, leaf=False, base="")
    return x


POINTWISE = Family(9, """
    {x}.neg()   {x}.abs()   abs({x})   -{x}   {x}.relu()   {x}.square()   {x}.sign()   {x}.floor()
    {x}.ceil()   {x}.round()   {x}.clone()   {x} ** 2   {x} ** 3   {x}.pow(2)   {x}.pow(exponent=2)
    {x} * 2   2 - {x}   {x} + True   torch.mul({x}, 2)   {x}.clamp(-1, 2)   {x}.clamp(0)   {x} // 2
    {x} % 2   {x}.masked_fill({x} > 1, 0)   torch.zeros_like({x}) + {x}   ({x} > 0) * {x}
    """)

SMOOTH = Family(9, """
    {x}.exp()   {x}.log()   {x}.log1p()   {x}.sqrt()   {x}.rsqrt()
    {x}.sin()   {x}.cos()   torch.sin({x})   {x}.tan()   {x}.tanh()   torch.tanh({x})
    {x}.sigmoid()   {x}.reciprocal()   torch.nn.functional.relu({x})
    torch.nn.functional.softplus({x})   torch.nn.functional.softplus({x}, beta=2)   {x} / {n}
    {n} / {x}   {n} - {x}   {x} * {n}   {x} ** -1   {x} ** 0.5   {x}.pow({n})   2.0 ** {x}
    {x}.clamp(min={n})   {x}.clamp(max={n})   {x}.add({n}, alpha=2)   {x}.masked_fill({x} > 0, {n})
    torch.lerp({x}, {x} * 2, 0.5)   torch.nn.functional.dropout({x}, 0.5, training=False)
    """, floats=True, calm=8)

TWO_OPERANDS = Family(15, """
    {x} + {y}   {x} - {y}   {x} * {y}   {x} * {y}   {y} + {x}   {y} - {x}   {y} * {x}   {x} / {y}
    {y} / {x}   {x}.add({y})   {x}.sub({y}, alpha=2)   {x}.mul({y})   {x}.div({y})   {x}.pow({y})
    torch.add({x}, {y}, alpha=2)   {x} // {y}   {x} % {y}   torch.maximum({x}, {z})
    torch.minimum({x}, {z})   torch.where({x} > 0, {x}, {y})
    torch.addcmul({x}, {z}, {z}, value=0.5)   torch.addcdiv({x}, {z}, {x})
    torch.lerp({x}, {z}, 0.5)   {x}.lerp({z}, {z})
    """, calm=8)

LOGIC = Family(2, """
    {x} > {y} -> : bool   {x} <= {y} -> : bool   {x} == {y} -> : bool   {x}.ne({y}) -> : bool
    ({x} > 0) & ({x} < 2) -> : bool   ({x} > 0) | ({x} == 0) -> : bool   ~({x} > 0) -> : bool
    {x}.isnan() -> : bool   torch.isfinite({x}) -> : bool   torch.isinf({x} / 0) -> : bool
    torch.isclose({x}, {x}) -> : bool   ({x} > 0).float() -> : float32
    ({x} > 0).sum() -> (): int64   {x}.long() & 3 -> : int64   {x}.long() | 1 -> : int64
    ~{x}.long() -> : int64   {x}.long() // 2 -> : int64   {x}.long() / 2 -> : float32
    {x}.int() + {x}.long() -> : int64
    """)

REDUCTION = Family(9, """
    {x}.sum() -> ()   {x}.sum() -> ()   torch.sum({x}) -> ()   {x}.mean() -> ()
    torch.mean({x}) -> ()   {x}.prod() -> ()   {x}.sum(dtype=torch.float64) -> (): float64
    {x}.std() -> ()   {x}.var(unbiased=False) -> ()   {x}.var(correction=0) -> ()
    torch.var_mean({x})[1] -> ()   {x}.norm() -> ()   {x}.norm(1) -> ()   {x}.norm(p=3) -> ()
    torch.norm({x}, 2) -> ()   {x}.norm(float('inf')) -> ()   {x}.median() -> ()
    {x}.nansum() -> ()   {x}.count_nonzero() -> (): int64   {x}.max() -> ()   torch.min({x}) -> ()
    {x}.amax() -> ()   {x}.argmin() -> (): int64   {x}.all() -> (): bool
    torch.any({x}) -> (): bool   {x}.square().sum().sqrt() -> ()
    """, floats=True)

ALONG_A_DIMENSION = Family(10, """
    {x}.sum({d}{keepdim}) -> reduced   {x}.sum(dim={d}{keepdim}) -> reduced
    {x}.sum(({d},){keepdim}) -> reduced   {x}.sum((0, -1)) -> s[1:-1]
    {x}.mean({d}{keepdim}) -> reduced   {x}.mean(dim={d}{keepdim}) -> reduced
    {x}.prod({d}{keepdim}) -> reduced   {x}.std({d}{keepdim}) -> reduced
    {x}.var({d}, unbiased=False{keepdim}) -> reduced   {x}.amax({d}{keepdim}) -> reduced
    {x}.amin(dim={d}{keepdim}) -> reduced   {x}.max({d}{keepdim})[0] -> reduced
    {x}.min({d}{keepdim}).values -> reduced   {x}.max({d}{keepdim}).indices -> reduced: int64
    {x}.median({d}{keepdim})[0] -> reduced   {x}.argmax({d}{keepdim}) -> reduced: int64
    {x}.any({d}{keepdim}) -> reduced: bool   {x}.all(dim={d}{keepdim}) -> reduced: bool
    {x}.norm(dim={d}{keepdim}) -> reduced   {x}.norm(1, {d}{keepdim}) -> reduced
    {x}.nansum({d}{keepdim}) -> reduced   {x}.logsumexp({d}{keepdim}) -> reduced
    {x}.count_nonzero(dim={d}) -> removed: int64   {x}.sort({d})[0]
    torch.sort({x}, dim={d}, descending=True).values   {x}.topk(1, dim={d})[0] -> resized(1)
    {x}.cumsum({d})   {x}.cumprod({d})   {x}.softmax({d})   {x}.softmax(dim={d})
    {x}.log_softmax({d})   torch.softmax({x}, {d})   torch.nn.functional.softmax({x}, dim={d})
    torch.nn.functional.layer_norm({x}, {x.shape}[-1:])
    """, ndim="some", floats=True)

VIEW_OF_ALL = Family(7, """
    {x}.view(-1) -> (count,)   {x}.reshape(-1) -> (count,)   {x}.flatten() -> (count,)
    {x}.view({x.shape})   {x}.view_as({x})   {x}.unsqueeze(0) -> (1, *s)
    {x}.unsqueeze(-1) -> (*s, 1)   {x}[None] -> (1, *s)   {x}[...]
    {x}.expand(2, *{x.shape}) -> (2, *s)   {x}.expand_as({x})
    {x}.squeeze() -> tuple(k for k in s if k != 1)   {x}.contiguous()   {x}.to({x}.dtype)
    {x}.permute(tuple(reversed(range({x.ndim})))) -> s[::-1]
    """, views=True)

VIEW_OF_A_PART = Family(13, """
    {x}.transpose({d}, 0) -> (length,) + s[1:axis] + s[:1] + s[axis + 1:] if axis else s
    {x}.unsqueeze({axis}) -> s[:axis] + (1,) + s[axis:]
    {x}.squeeze({d}) -> removed if length == 1 else s
    {x}.flatten({axis}) -> (*s[:axis], prod(s[axis:]))   {x}.select({d}, {i}) -> removed
    {x}.narrow({d}, {i}, 1) -> resized(1)   torch.narrow({x}, {axis}, 0, {i}) -> resized(i)
    {x}.unbind({d})[{i}] -> removed   {x}.split(1, {d})[{i}] -> resized(1)
    torch.split({x}, [{i}, {length} - {i}], dim={axis})[0] -> resized(i)
    torch.chunk({x}, 2, {axis})[0] -> resized((length + 1) // 2)   {x}[{before}{i}] -> removed
    {x}[{before}{i}] -> removed   {x}[{before}-1] -> removed
    {x}[{before}{i}:] -> resized(length - i)   {x}[{before}::2] -> resized((length + 1) // 2)
    {x}[{before}:-1] -> resized(length - 1)   {x}[{before}None] -> s[:axis] + (1,) + s[axis:]
    {x}[..., -1] -> s[:-1]   {x}[..., :1] -> (*s[:-1], 1)   {x}.as_strided((2,), (1,), 0) -> (2,)
    """, ndim="some", views=True)

VIEW_OF_A_MATRIX = Family(5, """
    {x}.t() -> s[::-1]   {x}.T -> s[::-1]   {x}.transpose(0, 1) -> s[::-1]
    {x}.permute(1, 0) -> s[::-1]   {x}.view({x.shape[1]}, {x.shape[0]}) -> s[::-1]
    {x}.reshape({x.shape[1]}, {x.shape[0]}) -> s[::-1]   {x}.diagonal() -> (min(s),)
    {x}.diagonal(offset=1) -> (max(min(s[0], s[1] - 1), 0),)
    torch.diagonal({x}, 0, 0, 1) -> (min(s),)
    """, ndim=2, views=True)

JOINED = Family(4, """
    torch.stack([{x}, {z}]) -> (2, *s)   torch.stack(({z}, {x}), dim=-1) -> (*s, 2)
    {x}.repeat(2, *[1] * {x.ndim}) -> (2, *s)
    torch.cat([{x}[None], {z}[None].detach()]) -> (2, *s)   torch.einsum('...->', {x}) -> ()
    torch.ones_like({x}, requires_grad=True)   torch.full_like({x}, 2)   torch.as_tensor({x})
    torch.tensor({x}.tolist()) -> : float32
    """)

REARRANGED = Family(8, """
    torch.cat([{x}, {z}], {d}) -> resized(2 * length)
    torch.cat(({x}, {z}.double()), dim={d}) -> resized(2 * length): float64   {x}.flip({d})
    torch.flip({x}, [{axis}])   {x}.index_select({d}, torch.tensor({many})) -> resized(len(many))
    {x}.gather({d}, {zeros}) -> resized(1)   {x}[{before}{many}] -> resized(len(many))
    {x}[{before}torch.tensor({many})] -> resized(len(many))   {x}[..., [0]] -> (*s[:-1], 1)
    {x}[{x} > 0] -> (2,)   {x}.masked_select({x} > 0) -> (2,)   {x}.nonzero() -> (2, len(s)): int64
    {x}[:, None, [0]] -> (s[0], 1, 1)   {x}[torch.tensor([0]), 0] -> (1,)   {x}[{i}, [0, 0]] -> (2,)
    """, ndim="some")

PRODUCT = Family(6, """
    {x} @ {matrix} -> (*s[:-1], 2)   {x} @ {matrix} -> (*s[:-1], 2)
    torch.matmul({x}, {vector}) -> s[:-1]   {x}.matmul({matrix}) -> (*s[:-1], 2)
    torch.nn.functional.linear({x}, {matrix}.t(), torch.ones(2, dtype={x}.dtype)) -> (*s[:-1], 2)
    torch.outer({x}.flatten(), {z}.flatten()) -> (count, count)
    torch.dot({x}.flatten(), {z}.flatten()) -> ()
    torch.einsum('...i,i->...', {x}, {vector}) -> s[:-1]
    """, ndim="some", floats=True, calm=8)

PRODUCT_OF_A_MATRIX = Family(6, """
    torch.mm({x}, {matrix}) -> (s[0], 2)   {x}.mv({vector}) -> s[:1]
    torch.addmm(torch.ones(2, dtype={x}.dtype), {x}, {matrix}) -> (s[0], 2)
    {x} @ {z}.T -> (s[0], s[0])   torch.einsum('ij,jk->ik', {x}, {matrix}) -> (s[0], 2)
    torch.einsum('ij->ji', {x}) -> s[::-1]   {x}.tril()   {x}.triu(1)   {x}.diag() -> (min(s),)
    """, ndim=2, floats=True, calm=8)

PRODUCT_OF_MATRICES = Family(3, """
    torch.bmm({x}, {x}.transpose(1, 2)) -> (s[0], s[1], s[1])
    {x} @ {z}.transpose(-1, -2) -> (s[0], s[1], s[1])
    torch.einsum('bij,bkj->bik', {x}, {z}) -> (s[0], s[1], s[1])
    {x}.permute(2, 0, 1) -> (s[2], s[0], s[1])   {x}.flatten(1) -> (s[0], s[1] * s[2])
    """, ndim=3, floats=True, calm=8)

LOSS = Family(2, """
    torch.nn.functional.mse_loss({x}, {z}{reduction}) -> loss_shape
    torch.nn.functional.l1_loss({x}, torch.zeros_like({x}){reduction}) -> loss_shape
    torch.nn.functional.binary_cross_entropy_with_logits({x}, {z}.sigmoid(){reduction}) -> loss_shape
    torch.nn.functional.binary_cross_entropy({x}.sigmoid(), {z}.detach().sigmoid(){reduction}) -> loss_shape
    torch.nn.MSELoss()({x}, {z}) -> ()
    """, floats=True)

LOSS_OF_CLASSES = Family(3, """
    torch.nn.functional.cross_entropy({x}, torch.tensor({classes}){reduction}) -> losses
    torch.nn.functional.nll_loss({x}.log_softmax(1), torch.tensor({classes}){reduction}) -> losses
    torch.nn.functional.cross_entropy({x}, {z}.softmax(1){reduction}) -> losses
    torch.nn.functional.cross_entropy({x}, torch.tensor({classes}), ignore_index=0) -> ()
    torch.nn.functional.embedding(torch.tensor({classes}), {x}) -> (s[0], s[1])
    torch.nn.functional.one_hot(torch.tensor({classes})) -> s: int64
    """, ndim=2, floats=True)

CAST = Family(2, """
    {x}.double() -> : float64   {x}.float() -> : float32   {x}.to(torch.float64) -> : float64
    {x}.to(dtype=torch.float32) -> : float32   {x}.to({x})
    {x}.to(torch.float32, copy=True) -> : float32   {x}.type(torch.float64) -> : float64
    {x}.long() -> : int64   {x}.to(torch.int32) -> : int64   {x}.bool() -> : bool
    {x}.half().float() -> : float32
    """)

DETACHED = Family(3, """
    {x}.detach()   {x}.data   {x}.detach().clone()   {x}.clone().detach()
    {x}.detach().requires_grad_()
    """, views=True)

FAMILIES = (POINTWISE, SMOOTH, TWO_OPERANDS, LOGIC, REDUCTION, ALONG_A_DIMENSION, VIEW_OF_ALL,
            VIEW_OF_A_PART,
            VIEW_OF_A_MATRIX, JOINED, REARRANGED, PRODUCT, PRODUCT_OF_A_MATRIX, PRODUCT_OF_MATRICES,
            LOSS,
            LOSS_OF_CLASSES, CAST, DETACHED)
VIEWS = (VIEW_OF_ALL, VIEW_OF_A_PART, VIEW_OF_A_MATRIX)


def expression(w, depth=None, start=None):
    """Return one to three operations, each applied to the result of the one before."""
    x = start or w.pick()
    for _ in range(depth or w.weighted((1, 2, 3), (6, 3, 1))):
        x = one_of_the(FAMILIES, w, x)
    return x


def view(w, x):
    """Return something that shares the memory of x."""
    return one_of_the(VIEWS, w, x)


def one_of_the(families, w, x):
    fitting = [family for family in families if family.accepts(x)]
    return w.weighted(fitting, [family.weight for family in fitting]).write(w, x)
