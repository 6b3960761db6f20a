"""Conversions of dtype, and new tensors like an old one."""
from .tables import from_rows


def more_casts(w, x):
    s, shape, n = x.src, x.shape, w.number()
    copy = from_rows(w, x, [
        (f"{s}.to(torch.float64)", shape, "float64"), (f"{s}.to(dtype=torch.float32)", shape, "float32"),
        (f"{s}.double()", shape, "float64"), (f"{s}.float()", shape, "float32"),
        (f"{s}.to({s})", shape), (f"{s}.to('cpu')", shape),
        (f"{s}.to('cpu', torch.float64)", shape, "float64"),
        (f"{s}.to(torch.float32, copy=True)", shape, "float32"),
        (f"{s}.type(torch.float64)", shape, "float64"),
        (f"{s}.long()", shape, "int64"), (f"{s}.int()", shape, "int64"), (f"{s}.bool()", shape, "bool"),
        (f"{s}.half().float()", shape, "float32"), (f"{s}.type('torch.DoubleTensor')", shape, "float64"),
        (f"{s}.cpu()", shape)])
    fresh = from_rows(w, x, [
        (f"torch.zeros_like({s})", shape), (f"torch.ones_like({s}, requires_grad=True)", shape),
        (f"torch.full_like({s}, 2)", shape), (f"{s}.new_zeros({shape})", shape),
        (f"{s}.new_ones({shape})", shape),
        (f"{s}.new_tensor([1.0, 2.0])", (2,)), (f"{s}.new_full((2,), 3)", (2,)),
        (f"torch.arange(3, dtype={s}.dtype)", (3,)), (f"torch.eye(2, dtype={s}.dtype)", (2, 2)),
        (f"torch.as_tensor({s})", shape), (f"torch.full((2,), {n})", (2,), "float32"),
        ("torch.linspace(0, 1, 3, requires_grad=True)", (3,), "float32"),
        (f"torch.empty_like({s}).copy_({s})", shape), (f"torch.asarray({s})", shape),
        (f"torch.tensor({s}.tolist())", shape, "float32"),
        (f"torch.scalar_tensor({n})", (), "float32")], grad=False)
    return copy if w.chance(0.65) else fresh
