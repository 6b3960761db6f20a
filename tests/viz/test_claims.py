"""What was claimed without evidence: what is said today, and a neighbour where the old sentence is true."""
from __future__ import annotations

from textwrap import indent

import pytest

from minigrad.viz import explain
from tests.viz.test_evidence import BOTH, asked, run

WATCHED = pytest.mark.parametrize("watched", [False, True])

PENALTY = """torch.manual_seed(0)
critic = nn.Linear(2, 1)
x = torch.ones(3, 2, requires_grad=True)
score = torch.tanh(critic(x))
grads = torch.autograd.grad(score.sum(), x)[0]
penalty = ((grads.norm() - 1) ** 2).mean()
loss = critic(x).mean() + penalty"""


@WATCHED
@pytest.mark.parametrize("backend", BOTH)
def test_a_penalty_of_gradients_without_history_is_not_to_require_a_gradient_itself(backend, watched):
    told = asked(backend, PENALTY, "penalty", watched)["told"]
    assert "it was computed from a gradient (evidence_" in told.sentences[0]
    assert [fix.words for fix in told.fixes] == ["Give grad() `create_graph=True`."]
    mended = PENALTY.replace("sum(), x)", "sum(), x, create_graph=True)") + "\npenalty.backward()"
    assert asked(backend, mended, "x")["critic"].weight.grad.abs().sum() > 0
    plain = asked(backend, "x = torch.ones(3)", "x")["told"]
    assert "`x.requires_grad_()`" in plain.fixes[0].words


PENALTIES = {
    "in a variable": PENALTY,
    "in a function": """torch.manual_seed(0)
critic = nn.Linear(2, 1)
x = torch.ones(3, 2, requires_grad=True)
def slopes(points):
    return torch.autograd.grad(torch.tanh(critic(points)).sum(), points)
def penalty_of(points):
    grads, = slopes(points)
    return ((grads.norm() - 1) ** 2).mean()
penalty = penalty_of(x)""",
    "after another": PENALTY.replace("grads =", """early, = torch.autograd.grad(critic(x * 2).sum(), x)
penalty = early.sum()
grads =""")}


@WATCHED
@pytest.mark.parametrize("backend", BOTH)
@pytest.mark.parametrize("name", PENALTIES)
def test_a_penalty_was_computed_from_the_weights_through_grad(backend, name, watched):
    said = run(backend, f"{PENALTIES[name]}\ntold = why(critic.weight, penalty)\n"
               "table = why(critic, penalty)\n", watched)
    told = said["told"]
    assert "went into penalty through grad() (evidence_" in told.sentences[0], told.text
    assert "grad(torch.tanh(critic(points))" in told.sentences[0] or "(score.sum(), x)" in told.sentences[0]
    assert said["table"].sentences[0].startswith(f"critic.weight: {told.sentences[0]}")
    assert [fix.words for fix in told.fixes] == ["Give grad() `create_graph=True`."]
    mended = PENALTIES[name].replace("score.sum(), x)", "score.sum(), x, create_graph=True)")
    mended = mended.replace("sum(), points)", "sum(), points, create_graph=True)") + "\npenalty.backward()"
    assert run(backend, mended, watched)["critic"].weight.grad.abs().sum() > 0


@pytest.mark.parametrize("backend", BOTH)
def test_no_recorded_operation_is_all_that_is_said_where_the_text_tells_no_more(backend):
    recorded = PENALTY.replace("tanh(critic(x))", "tanh(critic.weight @ x.t()) + critic.bias")
    recorded = recorded.replace("sum(), x)", "sum(), x, create_graph=True)")
    unnamed = run(backend, f"{PENALTIES['in a function']}\ntold = why(critic.weight, penalty_of(x))\n")
    unused = run(backend, f"{recorded}\ntold = why(critic.bias, penalty)\n")
    another = run(backend, f"{PENALTY}\nother = nn.Linear(2, 1)\ntold = why(other.weight, penalty)\n")
    for scope, said in ((unnamed, "critic.weight to loss"), (unused, "critic.bias to penalty"),
                        (another, "other.weight to penalty")):
        assert f"no recorded operation leads from {said}, the given loss." in scope["told"].sentences[0]


NONE = """class Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight.sign())
        return x @ weight.sign()
    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        return grad @ weight.t(), None
torch.manual_seed(0)
model = nn.Module()
model.first, model.weight = nn.Linear(3, 2), nn.Parameter(torch.randn(2, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(2):
    opt.zero_grad()
    loss = Sign.apply(model.first(torch.ones(4, 3)), model.weight).sum()
    loss.backward()
    opt.step()
"""


@pytest.mark.parametrize("backend", BOTH)
@pytest.mark.parametrize("owner", ["opt", "model"])
def test_zero_grad_took_no_gradient_where_it_left_the_others(backend, owner):
    program = NONE.replace("opt.zero_grad", f"{owner}.zero_grad")
    told = asked(backend, program, "model.weight")["told"]
    assert told.cause == "None on the way" and "zero_grad" not in told.text, told.text
    assert "`return grad @ weight.t(), None`" in told.sentences[0]
    emptied = asked(backend, f"{program}{owner}.zero_grad()\n", "model.weight")["told"]
    assert emptied.cause == "emptied" and "zero_grad()" in emptied.sentences[0]


@pytest.mark.parametrize("backend", BOTH)
@pytest.mark.parametrize("given", ["None", "(x.t() @ grad)"])
def test_a_watch_tells_which_function_returned_none_when_the_graph_is_gone(backend, given):
    lines = NONE.replace("t(), None", f"t(), {given}").splitlines(keepends=True)
    at = next(at for at, line in enumerate(lines) if line.startswith("for step"))
    program = f"{''.join(lines[:at])}def train():\n{indent(''.join(lines[at:]), '    ')}"
    found = run(backend, f"{program}with watch(model, opt) as run:\n    train()\n")["run"]
    none = given == "None"
    assert {one.cause for one in found.verdicts} == ({"None on the way"} if none else set()), found.text
    said = ("SignBackward received a gradient and returned None for this input. Its backward returns in "
            "evidence_")
    assert (said in found.text) is none and ("`return grad @ weight.t(), None`" in found.text) is none
    looked = program.replace("l.first(torch.ones(4, 3)), model.weight).sum()",
                             "l.first(torch.ones(4, 3)), model.weight).sum()\n"
                             "        torch.autograd.grad(loss, model.first.weight, retain_graph=True)")
    looked = looked.replace("loss.backward()", "loss.backward(inputs=[model.first.bias])")
    found = run(backend, f"{looked}with watch(model, opt) as run:\n    train()\n")["run"]
    assert "returned None" not in found.text  # no pass was to reach the weight


HEAD = """torch.manual_seed(0)
body, x = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)), torch.ones(5, 3)
opt = torch.optim.SGD(body.parameters(), lr=0.1)
body[2] = nn.Linear(4, 3)
def train():
    for step in range(2):
        opt.zero_grad()
        body(x).pow(2).mean().backward()
        opt.step()
with watch(body, opt) as run:
    train()
"""


@pytest.mark.parametrize("backend", BOTH)
def test_a_layer_that_replaces_one_that_the_optimizer_holds(backend):
    (one,) = run(backend, HEAD)["run"].verdicts
    assert one.cause == "no optimizer" and one.others == 1 and one.line.line == 4, one
    assert " opt was made before body.2.weight (evidence_" in one.sentence and (
        "`body[2] = nn.Linear(4, 3)`), and holds 2 tensors that no variable here leads to any more."
        in one.sentence)
    seed, first, opt, head, rest = HEAD.split("\n", 4)
    assert not run(backend, "\n".join([seed, first, head, opt, rest]))["run"].verdicts
    plain = HEAD.replace("with watch(body, opt) as run:", "if True:").replace("def train():", "if True:")
    plain = plain.replace("body(x).pow(2).mean().backward()", "loss = body(x).pow(2).mean(); loss.backward()")
    plain = plain.replace("    train()\n", "    pass\n")
    told = asked(backend, plain, "body[2].weight")["told"]
    assert "holds others. opt was made before body.2.weight (" in told.sentences[0], told.text
    mended = HEAD.replace("def train", one.fixes[0].words.split("`")[1] + "\ndef train")
    assert not run(backend, mended)["run"].verdicts
    part = HEAD.replace("body.parameters()", "body[0].parameters()")
    (one,) = run(backend, part)["run"].verdicts
    assert "made before" not in one.sentence  # what it holds is still in use


SAMPLED = """torch.manual_seed(0)
mu, dec = nn.Linear(2, 1), nn.Linear(1, 1)
dist = torch.distributions.Normal(mu(torch.ones(3, 2)), 1.0)
z = dist.sample()
part = dec(z).pow(2).mean()
whole = part + dist.mean.pow(2).mean()
whole.backward()"""
COPIED = """mu, dec = nn.Linear(2, 1), nn.Linear(1, 1)
h = mu(torch.ones(3, 2))
part = dec(h.detach()).pow(2).mean()
whole = part + h.pow(2).mean()
whole.backward()"""


@WATCHED
@pytest.mark.parametrize("backend, program, word, fix", [
    ("torch", SAMPLED, "through sample()", "rsample()"),
    *((one, COPIED, "through detach()", "without detach()") for one in BOTH)])
def test_a_given_loss_that_the_tensor_has_no_part_in_is_not_passed_over(backend, program, word, fix, watched):
    told = run_with_loss(backend, program, "part", watched)
    assert told.sentences[0].startswith("A pass from part gives mu.weight no gradient: ")
    assert word in told.sentences[0] and fix in told.fixes[0].words
    assert run_with_loss(backend, program, "whole", watched).cause == "healthy"
    assert run_with_loss(backend, program.replace(".sample()", ".rsample()").replace(".detach()", ""),
                         "part", watched).cause == "healthy"


def run_with_loss(backend, program, loss, watched):
    return asked(backend, program, f"mu.weight, {loss}", watched)["told"]


LOGARITHM = """x = torch.tensor([0., 4.], requires_grad=True)
y = torch.where(x > 1, torch.log2(x), x)
loss = y.sum()
loss.backward()"""


@WATCHED
def test_minus_infinity_of_a_logarithm_is_no_overflow(watched):
    told = asked("torch", LOGARITHM, "x", watched)["told"]
    assert "largest number" not in told.text and "no finite slope where its input is 0" in told.sentences[0]
    safe = "torch.where(x > 1, torch.log2(torch.where(x > 1, x, 1.0)), x)"
    assert f"`{safe}`" in told.fixes[0].words
    mended = asked("torch", LOGARITHM.replace("torch.where(x > 1, torch.log2(x), x)", safe), "x", watched)
    assert mended["x"].grad.tolist() == pytest.approx([1, 0.360674])


LARGEST = """x = torch.tensor([VALUE], requires_grad=True)
y = OPERATION
loss = (y - y).sum()
loss.backward()"""


@pytest.mark.parametrize("value, operation, overflows", [
    ("3e38", "x * 10.0", True), ("1.0", "torch.erfinv(x)", False), ("0.0", "x ** -1.0", False),
    ("1e30", "x ** 2", False)])
def test_only_what_can_grow_beyond_the_largest_number_is_said_to(value, operation, overflows):
    program = LARGEST.replace("VALUE", value).replace("OPERATION", operation)
    said = asked("torch", program, "x", watched=True)["told"].sentences[0]
    assert "made the first infinite number in" in said
    assert ("beyond the largest number of float32" in said) is overflows
    assert "no finite slope" not in said


SPOILT = """torch.manual_seed(0)
first, last = nn.Linear(2, 1), nn.Linear(1, 1)
opt = torch.optim.SGD([*first.parameters(), *last.parameters()], lr=0.1)
first.weight.data.fill_(0.0)
first.bias.data.fill_(0.0)
with watch():
    for step in range(2):
        opt.zero_grad()
        h = (first(torch.ones(3, 2)) ** 2).sqrt()
        loss = (last(h) - 1).abs().mean()
        loss.backward()
        opt.step()
"""


@pytest.mark.parametrize("backend", BOTH)
def test_of_weights_that_a_step_spoilt_all_parameters_name_the_one_cause(backend):
    for tensor in ("first.weight", "last.weight", "last.bias"):
        told = asked(backend, SPOILT, tensor)["told"]
        said = told.sentences[0]
        assert told.cause == "nan" and "has held NaN or infinity since step 1 of 2 (" in said, said
        assert "Before that step, the gradient was finite when it arrived at SqrtBackward0" in said, said
        assert "came out of" not in said and "clamp(min=1e-12)" in told.fixes[0].words


MASKED = """torch.manual_seed(0)
layer = nn.Linear(2, 2)
opt = torch.optim.SGD(layer.parameters(), lr=0.1)
with watch():
    for step in range(2):
        opt.zero_grad()
        scores = layer(torch.ones(2, 2)) + torch.tensor([[0.0], [-float("inf")]])
        rows = torch.softmax(scores, -1)
        loss = ((rows - 1) ** 2)[0].mean()
        loss.backward()
        opt.step()
"""


@pytest.mark.parametrize("backend", BOTH)
def test_a_square_that_passes_a_nan_on_has_a_finite_slope(backend):
    said = asked(backend, MASKED, "layer.weight")["told"].sentences[0]
    assert "the first NaN in SoftmaxBackward0" in said and "Pow" not in said, said


CLASSES = {"one class": ("(8, 1)", 1, "binary_cross_entropy_with_logits(output.squeeze(1), target.float())"),
           "one row": ("(1, 8)", 0, "dimension 1, which has 8 numbers")}


@pytest.mark.parametrize("backend", BOTH)
@pytest.mark.parametrize("form", CLASSES)
def test_a_softmax_over_one_number_names_its_dimension(backend, form):
    shape, dim, fix = CLASSES[form]
    program = f"""w = torch.ones(8, requires_grad=True)
output = (w * 2).reshape{shape}
target = torch.zeros({shape[1]}, dtype=torch.int64)
loss = F.nll_loss(F.log_softmax(output, {dim}), target)
loss.backward()"""
    told = asked(backend, program, "w")["told"]
    assert f"is taken over dimension {dim}, in which its input has one number" in told.sentences[0]
    assert fix in told.fixes[0].words and "class" not in told.sentences[0]
    used = {1: "F.binary_cross_entropy_with_logits(output.squeeze(1), target.float())",
            0: "F.nll_loss(F.log_softmax(output, 1), target)"}[dim]
    mended = program.replace(f"F.nll_loss(F.log_softmax(output, {dim}), target)", used)
    assert run(backend, mended)["w"].grad.abs().sum() > 0


CLAMPED = """x = torch.tensor([30., 40.], requires_grad=True)
y = (x * 2).clamp(0.0, 1.0)
loss = ((y - 0.5) ** 2).sum()
loss.backward()
"""


@pytest.mark.parametrize("backend", BOTH)
def test_a_clamp_is_to_be_left_out_of_what_is_trained(backend):
    told = asked(backend, CLAMPED, "x", watched=True)["told"]
    assert told.cause == "zero" and "not inside its limits" in told.sentences[0]
    assert told.fixes[0].words.startswith("Compute the loss from what it takes")
    assert run(backend, CLAMPED.replace(".clamp(0.0, 1.0)", ""))["x"].grad.tolist() == [238, 318]


KEYS = """class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts, self.last = {}, nn.Linear(2, 1)
        for key in KEYS:
            self.parts[key] = nn.Linear(2, 1)
net, key = Net(), KEYS[0]
loss = sum(net.parts[each](torch.ones(3, 2)).sum() for each in KEYS)
loss.backward()
"""


@pytest.mark.parametrize("backend", BOTH)
@pytest.mark.parametrize("keys", ["(0, 1)", "('a', 'b')"])
def test_the_keys_of_a_module_dict_are_strings(backend, keys):
    told = asked(backend, KEYS.replace("KEYS", keys), "net.parts[key].weight")["told"]
    assert told.cause == "not registered"
    assert ("`str(key)`" in told.fixes[0].words) is (keys == "(0, 1)")


DIRTY = """class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x *= 2.0
        return x
    @staticmethod
    def backward(ctx, grad):
        return grad * 2.0
w = torch.ones(3, requires_grad=True)
y = Scale.apply(w * 1)
y *= 4.0
y.sum().backward()"""


@pytest.mark.parametrize("backend", BOTH)
def test_a_function_that_returns_its_input_may_mark_it_as_dirty(backend):
    with pytest.raises(RuntimeError) as raised:
        run(backend, DIRTY)
    assert "`ctx.mark_dirty(...)`" in explain(raised.value).sentences[1]
    marked = DIRTY.replace("x *= 2.0", "x *= 2.0; ctx.mark_dirty(x)")
    assert run(backend, marked)["w"].grad.tolist() == [8, 8, 8]


@pytest.mark.parametrize("backend", BOTH)
def test_a_parameter_in_code_is_written_as_python_writes_it(backend):
    with pytest.raises(RuntimeError) as raised:
        run(backend, "net = nn.Sequential(nn.Linear(2, 1))\nfor p in net.parameters():\n    p.numpy()")
    assert "`net[0].weight.detach().numpy()`" in explain(raised.value).fixes[0].words


@pytest.mark.parametrize("backend", BOTH)
def test_a_picture_of_a_cut_leaves_out_what_other_passes_start_from(backend):
    """A notebook has passes of many cells; this picture is of the loss that the value went into."""
    told = asked(backend, """x = torch.tensor([1., 2.], requires_grad=True)
other = (x * x).sum()
other.backward()
w = torch.tensor([0.5, -1.], requires_grad=True)
h = w.tanh()
loss = (h.detach() * x).sum()
loss.backward()
""", "w")["told"]
    assert "h went into loss through detach()" in str(told)
    assert "Graph behind loss and h," in str(told) and "other" not in str(told)
