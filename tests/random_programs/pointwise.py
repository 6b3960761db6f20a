"""Pointwise functions: all of them, as methods, functions and with keywords; comparisons and logic."""
from .tables import floating, from_rows, tamed
from .writer import FLOATS, Expr, broadcast, promote

SMOOTH = ("acos asin atan acosh asinh atanh cosh sinh erf erfc erfinv exp2 log2 log10 expm1 lgamma digamma "
          "sinc logit sgn frac deg2rad rad2deg sigmoid tanh rsqrt relu absolute negative square neg "
          "abs").split()
ACTIVATIONS = ("relu relu6 silu mish softplus softsign tanhshrink hardtanh hardswish hardsigmoid hardshrink "
               "softshrink selu celu elu gelu leaky_relu logsigmoid tanh sigmoid").split()
TESTS = "isnan isinf isfinite isposinf isneginf isreal signbit logical_not".split()


def more_pointwise(w, x):
    """A pointwise function of x alone, or of x and numbers."""
    x = tamed(x)
    s, shape, n = x.src, x.shape, w.number()
    name, activation = w.one_of(SMOOTH), w.one_of(ACTIVATIONS)
    real = x.dtype if x.floating else "float32"
    roll = w.below(10)
    if roll < 4:
        src = f"{s}.{name}()" if w.chance(0.6) else f"torch.{name}({w.one_of(('', 'input='))}{s})"
        return from_rows(w, x, [(src, shape, real)])
    if roll < 6:
        return from_rows(w, floating(x), [(f"torch.nn.functional.{activation}({floating(x).src})", shape)])
    if roll == 6:
        form = w.one_of(("torch.{1}({0})", "{0}.{1}()"))
        return Expr(form.format(s, w.one_of(TESTS[:-2])), shape, "bool")
    return from_rows(w, x, [
        (f"{s}.clamp({n})", shape, real), (f"{s}.clamp(min={n}, max={n + 1})", shape, real),
        (f"{s}.clip(0, 1)", shape),
        (f"{s}.clamp_min({n})", shape, real), (f"torch.clamp({s}, max={n})", shape, real),
        (f"{s}.pow(3)", shape),
        (f"torch.pow({s}, {n})", shape, real), (f"torch.pow(2, {s})", shape), (f"{s}.pow(exponent=2)", shape),
        (f"{s} ** -1", shape, real),
        (f"{s}.add({n}, alpha=2)", shape, real), (f"torch.mul({s}, 2)", shape),
        (f"torch.sub(input={s}, other=1)", shape),
        (f"{s}.div(2, rounding_mode='floor')", shape), (f"{s}.div({n}, rounding_mode='trunc')", shape, real),
        (f"torch.true_divide({s}, 2)", shape, real), (f"({s} // 2)", shape), (f"({s} % 2)", shape),
        (f"(2 % {s})", shape),
        (f"({n} // {s})", shape, real), (f"{s}.remainder(2)", shape), (f"{s}.fmod(2)", shape),
        (f"torch.rsub({s}, 1)", shape),
        (f"{s}.nan_to_num()", shape), (f"{s}.nan_to_num(nan=1.0, posinf=2.0)", shape),
        (f"{s}.round(decimals=1)", shape, real),
        (f"torch.threshold({s}, 0.5, 0)", shape), (f"{s}.masked_fill({s} > 0, {n})", shape, real),
        (f"{s}.xlogy(2)", shape, real),
        (f"torch.nn.functional.leaky_relu({floating(x).src}, 0.2)", shape, real),
        (f"{s}.lerp({s} * 2, 0.5)", shape),
        (f"torch.nn.functional.elu({floating(x).src}, alpha=2.0)", shape, real),
        (f"torch.full_like({s}, {n}) * {s}", shape, real),
        (f"torch.nn.functional.softplus({floating(x).src}, beta=2)", shape, real),
        (f"torch.nn.functional.gelu({floating(x).src}, approximate='tanh')", shape, real),
        (f"torch.nn.functional.hardtanh({floating(x).src}, -1, 0.5)", shape, real), (f"(+{s})", shape),
        (f"abs({s})", shape), (f"{s}.float_power(2)", shape, "float64"),
        (f"{s}.heaviside({s})", shape), (f"{s}.logit(eps=0.1)", shape, real), (f"round({s})", shape)])


TWO = ("maximum minimum fmax fmin atan2 hypot copysign fmod remainder floor_divide logaddexp logaddexp2 "
       "xlogy add sub mul div "
       "true_divide subtract multiply divide pow ldexp").split()
COMPARE = "eq ne lt le gt ge less greater_equal not_equal isclose logical_and logical_or logical_xor".split()
OPERATORS = ("+", "-", "*", "/", "//", "%")


def more_binary(w, x):
    """A function of two tensors, or a tensor and a number."""
    x = tamed(x)
    y = tamed(w.partner(x))
    shape = broadcast(x.shape, y.shape)
    shape = x.shape if shape is None else shape
    dtype, grad = promote(x.dtype, y.dtype), x.grad or y.grad
    roll = w.below(10)
    if roll < 5:
        name = w.one_of(TWO)
        dtype = dtype if dtype in FLOATS or "div" not in name else "float32"
        src = w.one_of(("{0}.{2}({1})", "torch.{2}({0}, {1})",
            "torch.{2}({0}, other={1})")).format(x.src, y.src, name)
    elif roll < 6:
        return Expr(f"{x.src}.{w.one_of(COMPARE)}({y.src})", shape, "bool")
    elif roll < 7:
        src = f"({x.src} {w.one_of(OPERATORS)} {y.src})"
    elif roll < 8:
        z = w.partner(x)
        src = w.one_of((f"torch.addcmul({x.src}, {y.src}, {z.src}, value=0.5)",
            f"{x.src}.addcdiv({y.src}, {z.src})",
                        f"torch.lerp({x.src}, {y.src}, {z.src})", f"{x.src}.lerp({y.src}, 0.5)"))
    else:
        src = w.one_of((f"torch.where({x.src} > 0, {x.src}, {y.src})", f"{x.src}.where({x.src} > 0, {y.src})",
                        f"torch.where({x.src} < 0, {y.src}, 0.5)",
                        f"torch.where({y.src} == 1, {x.src}, {y.src})",
                        f"torch.clamp({x.src}, min={y.src})", f"{x.src}.masked_fill({x.src} > 0, {y.src})",
                        f"torch.dist({x.src}, {y.src})", f"{x.src}.div({y.src}, rounding_mode='floor')",
                        f"torch.add({x.src}, {y.src}, alpha=2)", f"torch.sub({x.src}, {y.src}, alpha=0.5)"))
        shape = () if "dist" in src else shape
    return Expr(src, shape, dtype, grad, 100.0)


def logic(w, x):
    """Integers and bools: comparisons combined, bits, shifts."""
    s, shape = x.src, x.shape
    whole = s if x.dtype in ("int64", "bool") else f"{s}.long()"
    return Expr(*w.one_of((
        (f"({s} > 0) & ({s} < 2)", shape, "bool"), (f"({s} > 0) | ({s} == 0)", shape, "bool"),
        (f"~({s} > 0)", shape, "bool"),
        (f"({s} > 0) ^ ({s} < 1)", shape, "bool"), (f"({whole} & 3)", shape, "int64"),
        (f"({whole} << 1)", shape, "int64"),
        (f"({whole} | 1)", shape, "int64"), (f"~{whole}", shape, "int64"),
        (f"({whole} // 2)", shape, "int64"), (f"({whole} % 3)", shape, "int64"),
        (f"({s} > 0) * {s}", shape, x.dtype), (f"({s} > 0).sum()", (), "int64"),
        (f"({s} > 0).float()", shape, "float32"),
        (f"({whole} + True)", shape, "int64"), (f"({whole} * 1.5)", shape, "float32"),
        (f"({whole} / 2)", shape, "float32"),
        (f"{s}.bool()", shape, "bool"), (f"{s}.int()", shape, "int64"), (f"{s}.logical_not()", shape, "bool"),
        (f"({s} == {s}).all()", (), "bool"))))
