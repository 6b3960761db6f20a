"""Answers that follow from what a watch measured, each beside programs that look alike and are healthy.

Hooks that pile up; a step that takes what the pass of another optimizer left; losses that end at a new leaf;
gradients that shrink elsewhere than at a squashing operation. The healthy programs are in
tests/helpers/why_healthy.py.
"""
from __future__ import annotations

import pytest

from tests.viz.test_why import BACKENDS, run

START = """
torch.manual_seed(0)
nn, F = torch.nn, torch.nn.functional
X, Y = torch.randn(8, 3), torch.randn(8, 1)
"""
END = "\nsaid = [(one.cause, one.sentence, [fix.words for fix in one.fixes]) for one in seen.verdicts]\n"


def verdicts(backend, text):
    scope = run(backend, START + text + END)
    return scope, scope["said"]


# --- hooks

PILED = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(3, 4), nn.Linear(4, 1)
        self.factor = torch.full((1,), 0.25)
    def slower(self, g):
        return g * self.factor
    def forward(self, x):
        REGISTER
        return self.head(torch.relu(self.body(x)))
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=0.01)
with watch(net, opt) as seen:
    for _ in range(12):
        opt.zero_grad()
        loss = F.mse_loss(net(X), Y)
        loss.backward()
        opt.step()
"""
REGISTER = {
    "a method": "self.body.weight.register_hook(self.slower)",
    "a closure over a new mask": "mask = self.factor * 1\n"
                                 "        self.body.weight.register_hook(lambda g: g * mask)",
    "a doubling lambda": "[p.register_hook(lambda g: g * 2) for p in self.body.parameters()]",
    "after accumulation": "self.body.weight.register_post_accumulate_grad_hook(\n"
                          "            lambda p: [p.grad.mul_(0.5)].clear())"}


@pytest.mark.parametrize("name", REGISTER)
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_hook_that_each_forward_registers_is_counted_and_measured(backend, name):
    if name == "after accumulation" and backend != "torch":
        pytest.skip("minigrad keeps these hooks where only it finds them")
    scope, said = verdicts(backend, PILED.replace("REGISTER", REGISTER[name]))
    cause, sentence, fixes = said[0]
    assert cause == "hooks" and "The same hook was registered 12 times on net.body.weight (" in sentence
    assert "met 1 of its hooks, the last one 12." in sentence and "Register it once" in fixes[0]
    left = float(scope["net"].body.weight.grad.norm())
    assert f"and they left {left:.3g}." in sentence, (sentence, left)
    assert "Backward0" not in sentence and len(said) == 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_of_hooks_that_only_look_it_is_said_that_they_change_nothing(backend):
    text = PILED.replace("REGISTER", "self.body.weight.register_hook(lambda g: None)")
    (cause, sentence, _), = verdicts(backend, text)[1]
    assert cause == "hooks" and sentence.endswith("In the last pass they left the gradient as it was.")


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_watch_leaves_the_hooks_of_a_leaf_as_they_were(backend):
    text = """
w = torch.tensor([1., 2.], requires_grad=True)
order = []
first = w.register_hook(lambda g: order.append(1))
second = w.register_hook(lambda g: order.append(2))
before = list(w._backward_hooks.items())
with watch() as seen:
    w.sum().backward()
assert list(w._backward_hooks.items()) == before and order == [1, 2], order
first.remove()
w.sum().backward()
assert order == [1, 2, 2]
"""
    verdicts(backend, text)


SHRINKS = """
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
with watch(net, opt) as seen:
    for _ in range(3):
        opt.zero_grad()
        h = net[:2](X)
        CHANGE
        loss = F.mse_loss(net[2](h), Y)
        loss.backward()
        opt.step()
told = why(net[0].weight)
"""


@pytest.mark.parametrize("change, cause, says", [
    ("h = h * 1e-9", "vanishing", "through 1 operation (MulBackward0), which left 1e-09 of its norm"),
    ("h.register_hook(lambda g: g * 1e-9)", "vanishing", " h has a hook ("),
    ("if not net[0].weight._backward_hooks: net[0].weight.register_hook(lambda g: g * 1e-9)", "vanishing",
     "arrived, and its hook ("), ("h = torch.tanh(h)", "", "")])
@pytest.mark.parametrize("backend", BACKENDS)
def test_what_shrank_a_gradient_is_named_where_it_was_measured(backend, change, cause, says):
    scope, said = verdicts(backend, SHRINKS.replace("CHANGE", change))
    assert {one[0] for one in said} == {cause} - {""}
    assert says in scope["told"].sentences[0] and ("Relu" not in scope["told"].text.partition("Graph")[0])


# --- what another optimizer's pass left

LEFT = {
    "GAN": """
G, D = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)), nn.Sequential(nn.Linear(2, 4), nn.Tanh(),
                                                                                  nn.Linear(4, 1))
og, od = torch.optim.Adam(G.parameters(), lr=0.01), torch.optim.Adam(D.parameters(), lr=0.01)
with watch([G, D], [og, od]) as seen:
    for _ in range(3):
        made = G(X)
        og.zero_grad()
        lg = F.binary_cross_entropy_with_logits(D(made), torch.ones(8, 1))
        lg.backward()
        og.step()
        ld = F.binary_cross_entropy_with_logits(D(made.detach()), torch.zeros(8, 1))
        # here
        ld.backward()
        kept = D[0].weight.grad.clone()
        told = why(D[0].weight)
        od.step()
        # after
""",
    "actor and critic": """
G, D = nn.Linear(3, 2), nn.Sequential(nn.Linear(5, 6), nn.ReLU(), nn.Linear(6, 1))
og, od = torch.optim.SGD(G.parameters(), lr=0.1, momentum=0.9), torch.optim.SGD(D.parameters(), lr=0.1)
def learn(loss, opt):
    # here
    loss.backward()
    opt.step()
    # after
with watch([G, D], {"og": og, "od": od}) as seen:
    for _ in range(3):
        og.zero_grad()
        learn(-D(torch.cat([X, G(X)], 1)).mean(), og)
        learn(F.mse_loss(D(torch.cat([X, G(X).detach()], 1)), Y), od)
"""}


@pytest.mark.parametrize("name", LEFT)
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_step_that_takes_what_another_pass_left_is_found(backend, name):
    opt = "od" if name == "GAN" else "opt"
    scope, said = verdicts(backend, LEFT[name].replace("# after", f"{opt}.zero_grad()"))
    (cause, sentence, fixes), = said
    assert cause == "doubled", sentence
    assert sentence.startswith("D.0.weight.grad held the sum of two passes when a step (")
    assert "Between them og took its step (" in sentence and "nothing emptied D.0.weight.grad" in sentence
    assert "od.zero_grad()` before the second pass (" in fixes[0]
    mended, said = verdicts(backend, LEFT[name].replace("# here", f"{opt}.zero_grad()"))
    assert said == []
    if name == "GAN":
        assert scope["told"].sentences[0].startswith("D.0.weight.grad holds the sum of two passes: ")
        assert mended["told"].cause == "healthy"
        alone = run(backend, START + LEFT[name].replace("# after", "od.zero_grad()").replace(
            "lg.backward()", "lg.backward(inputs=list(G.parameters()))"))
        assert (alone["kept"] - mended["kept"]).abs().max() < 1e-5


# --- new leaves

META = """
w = torch.randn(3, 1, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
def adapt(weight):
    slope, = torch.autograd.grad(((X @ weight - Y) ** 2).mean(), INPUTS, create_graph=True)
    return MADE
with watch(None, opt) as seen:
    for _ in range(3):
        opt.zero_grad()
        loss = ((X @ adapt(w) - Y) ** 2).mean()
        loss.backward()
        opt.step()
told = why(w)
"""


@pytest.mark.parametrize("inputs, made, word", [
    ("[weight]", "nn.Parameter(weight - 0.1 * slope)", "nn.Parameter()"),
    ("iter([weight])", "nn.Parameter(weight - 0.1 * slope)", "nn.Parameter()"),
    ("iter([weight])", "torch.tensor(weight - 0.1 * slope, requires_grad=True)", "torch.tensor()")])
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_leaf_made_in_an_inner_step_is_named_with_its_line(backend, made, word, inputs):
    text = META.replace("INPUTS", inputs)
    told = verdicts(backend, text.replace("MADE", made))[0]["told"]
    said = told.sentences[0]
    assert told.cause == "cut" and f"through {word} (" in said and "no pass reached" not in said, said
    assert word != "nn.Parameter()" or "returned that of w 3 times, and leaves .grad alone" in said
    scope = verdicts(backend, text.replace("MADE", "weight - 0.1 * slope"))[0]
    assert scope["told"].cause == "healthy" and float(scope["w"].grad.norm()) > 0


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_penalty_whose_leaf_no_variable_holds_is_found(backend):
    text = """
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
def penalty(model):
    return torch.tensor([p.pow(2).sum() for p in model.parameters()], requires_grad=True).sum()
def step():
    opt.zero_grad()
    loss = F.mse_loss(net(X), Y) + 0.1 * penalty(net)
    loss.backward()
    opt.step()
with watch(net, opt) as seen:
    for _ in range(3):
        step()
"""
    (cause, sentence, fixes), = verdicts(backend, text)[1]
    assert cause == "constant summand" and "of a new leaf that torch.tensor() made (" in sentence
    assert "torch.stack([...])" in fixes[0]
    mended = text.replace("torch.tensor([", "torch.stack([").replace(", requires_grad=True)", ")")
    assert verdicts(backend, mended)[1] == []


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_watch_makes_parameters_as_they_are_made_without_it(backend):
    text = """
Parameter = vars(nn.Parameter)["__new__"]
with watch() as seen:
    w = nn.Parameter(torch.ones(2) * 2)
    assert isinstance(w, nn.Parameter) and w.is_leaf and w.requires_grad
assert vars(nn.Parameter)["__new__"] is Parameter
"""
    verdicts(backend, text)


# --- normalisations of a single number, and what a page says of zeros

@pytest.mark.parametrize("norm", ["nn.LayerNorm(1)", "nn.GroupNorm(4, 4)"])
@pytest.mark.parametrize("gone", [False, True])
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_normalisation_of_single_numbers_is_named(backend, norm, gone):
    if "Group" in norm and backend != "torch":
        pytest.skip("minigrad has no group_norm")
    size = 4 if "Group" in norm else 1
    text = f"""
net = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, {size}), {norm}, nn.Linear({size}, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.05)
def step():
    opt.zero_grad()
    loss = F.mse_loss(net(X), Y)
    loss.backward()
    opt.step()
    return loss
with watch(net, opt) as seen:
    for _ in range(6):
        {'step()' if gone else 'loss = step()'}
"""
    said = verdicts(backend, text)[1]
    assert said[0][0] == "no slope" and "normalises over a single number" in said[0][1]
    assert said[0][1].startswith("net.0.weight.grad ") and "its slope is 0" in said[0][1]
    other = text.replace("nn.LayerNorm(1)", "nn.LayerNorm(2)").replace("nn.GroupNorm(4, 4)",
                                                                       "nn.GroupNorm(2, 4)")
    other = other.replace("nn.Linear(5, 1)", "nn.Linear(5, 2)").replace("nn.Linear(1, 1)", "nn.Linear(2, 1)")
    assert verdicts(backend, other)[1] == []


@pytest.mark.parametrize("backend", BACKENDS)
def test_steps_by_hand_with_grad_are_no_fault(backend):
    text = """
net = nn.Linear(3, 1)
def step():
    slopes = torch.autograd.grad(F.mse_loss(net(X), Y), list(net.parameters()))
    with torch.no_grad():
        for p, slope in zip(net.parameters(), slopes):
            p -= 0.1 * slope
with watch(net) as seen:
    for _ in range(3):
        step()
told = why(net.weight)
"""
    scope, said = verdicts(backend, text)
    assert said == [] and "a grad() left the .grad of 2 alone, and where what it" in scope["seen"].text
    assert "returned that of net.weight 3 times, and leaves .grad alone" in scope["told"].sentences[0]
    held = text.replace("with watch(net)", "opt = torch.optim.SGD(net.parameters(), lr=1)\nwith watch(net)")
    held = held.replace("        step()", "        step(); opt.step()")
    assert [one[0] for one in verdicts(backend, held)[1]] == ["not used"]
