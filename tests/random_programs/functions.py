"""Custom autograd Functions for the programs: each class is defined in the statement that first uses it."""

FUNCTIONS = {
    "Double": ("return x * 2", "return g * 2", "def"),
    "Square": ("ctx.save_for_backward(x); return x * x", "x, = ctx.saved_tensors; return 2 * x * g", "def"),
    "SaveResult": ("y = x * 3; ctx.save_for_backward(y); return y",
                   "y, = ctx.saved_tensors; return g * 3 + 0 * y", "def"),
    "Same": ("return x", "return g * 2", "def"),
    "ViewOf": ("return x.view(-1)", "return g.view(ctx.shape)", "shape"),
    "InPlace": ("ctx.mark_dirty(x); return x.mul_(2)", "return g * 2", "def"),
    "InPlaceSecret": ("return x.mul_(2)", "return g * 2", "def"),
    "NoGradient": ("return x * 2", "return None", "def"),
    "TooMany": ("return x * 2", "return g, g", "def"),
    "ExtraNone": ("return x * 2", "return g, None", "def"),
    "WrongShape": ("return x * 2", "return g.sum() + torch.ones(5)", "def"),
    "NotTensor": ("return x * 2", "return 3", "def"),
    "ReturnsNumber": ("return 3", "return g", "def"),
    "Raises": ("return x * 2", "raise ValueError('backward of Raises')", "def"),
    "SavesNumber": ("ctx.save_for_backward(3); return x * 2", "return g", "def"),
    "TwoOutputs": ("return x * 2, x * 3", "return g * 2 + h * 3", "two"),
    "NotDifferentiable": ("y = x > 0; ctx.mark_non_differentiable(y); return x * 2, y", "return g * 2",
                          "two"),
    "NoMaterialize": ("ctx.set_materialize_grads(False); return x * 2, x * 3",
                      "log.append([g is None, h is None]); return g if g is not None else h", "two"),
    "NeedsInput": ("log.append(ctx.needs_input_grad); return x * 2",
                   "log.append(ctx.needs_input_grad); return g * 2", "def"),
    "DoubleDtype": ("return x.double()", "return g.float()", "def"),
    "Detached": ("return x.detach()", "return g * 5", "def"),
}


def use_function(w):
    name = w.one_of(sorted(FUNCTIONS))
    forward, backward, form = FUNCTIONS[name]
    t = w.pick(lambda t: t.grad and t.floating) or w.pick()
    define = ""
    if name not in w.classes:
        w.classes.append(name)
        define = _source(w, name, forward, backward, form)
    result = t._replace(leaf=False, size=t.size * 3)
    if form == "two":
        a, b = w.keep(result), w.keep(result)
        return f"{define}{a}, {b} = {name}.apply({t.src})"
    if name == "ViewOf":
        n = 1
        for size in t.shape:
            n *= size
        result = result._replace(shape=(n,))
    if w.chance(0.2):
        return f"{define}{name}.apply({t.src})"
    return f"{define}{w.keep(result)} = {name}.apply({t.src})"


def _source(w, name, forward, backward, form):
    lines = [f"class {name}(torch.autograd.Function):", "    @staticmethod"]
    if form == "shape":
        forward = "ctx.shape = x.shape; " + forward
    if form == "def" and "ctx" not in forward and w.chance(0.3):        # the newer spelling, in two steps
        lines += ["    def forward(x):", f"        {forward}", "    @staticmethod",
                  "    def setup_context(ctx, inputs, output):", "        pass", "    @staticmethod"]
    else:
        lines += ["    def forward(ctx, x):", f"        {forward}", "    @staticmethod"]
    if w.chance(0.15):
        lines.append("    @torch.autograd.function.once_differentiable")
    arguments = "ctx, g, h" if form == "two" else "ctx, g"
    return "\n".join(lines + [f"    def backward({arguments}):", f"        {backward}"]) + "\n"
