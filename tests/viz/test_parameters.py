"""why(model) and the verdicts: a row for each parameter, the worst first, and each cause once."""
from __future__ import annotations

import pytest

from tests.helpers.verdicts import verdicts
from tests.viz.test_why import BACKENDS, run

BROKEN = """
torch.manual_seed(0)
nn, F = torch.nn, torch.nn.functional
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc, self.mid, self.dec = nn.Linear(3, 2), nn.Linear(2, 2), nn.Linear(2, 1)
        self.extra = [nn.Linear(1, 1)]
    def forward(self, data):
        h = self.enc(data).detach()
        return self.extra[0](self.dec(torch.relu(self.mid(h) - 100)))
net = Net()
net.mid.bias.requires_grad_(False)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
watching = watch()
watching.__enter__()
loss = F.mse_loss(net(torch.ones(4, 3)), torch.zeros(4, 1))
loss.backward()
opt.step()
watching.__exit__()
told = why(net)
found = verdicts(net)
"""


@pytest.fixture(params=BACKENDS)
def scope(request):
    return run(request.param, BROKEN, verdicts=verdicts)


def test_the_worst_comes_first(scope):
    told = scope["told"]
    causes = [(row.name, row.cause, row.grad, row.moved) for row in told.rows]
    assert causes == [
        ("net.enc.weight", "cut", "None", False), ("net.enc.bias", "cut", "None", False),
        ("net.extra[0].weight", "not registered", causes[2][2], None),
        ("net.extra[0].bias", "not registered", causes[3][2], None),
        ("net.mid.weight", "zero", "0", False), ("net.dec.weight", "zero", "0", False),
        ("net.mid.bias", "constant", "frozen", False), ("net.dec.bias", "healthy", causes[7][2], True)]
    last = told.rows[-1]
    assert last.optimizer == "opt, SGD, lr 0.1" and last.ratio > 0
    assert told.title == "6 of 8 parameters of net need a look"


def test_it_has_the_face_of_an_answer_about_one_tensor(scope):
    told = scope["told"]
    one = run("minigrad", BROKEN + "\ntold = why(net.enc.weight)", verdicts=verdicts)["told"]
    for name in ("title", "sentences", "fixes", "text"):
        assert type(getattr(told, name)) is type(getattr(one, name))
    assert told.sentences[0].startswith("net.enc.weight: ") and one.sentences[0] in told.sentences[0]
    assert [type(fix) for fix in told.fixes[:1]] == [type(fix) for fix in one.fixes[:1]]
    assert all(sentence in told.text for sentence in told.sentences)


STEPS = """
opt = torch.optim.SGD([w], lr=0.1)
for step in range(2):
    opt.zero_grad()
    loss = (w * w).sum()
    loss.backward()
    opt.step()
told = why(w)
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_computed_start_is_not_called_a_copy(backend):
    """Which could not be cured in its own line: the leaf took its memory later."""
    start = "start = torch.ones(2) + 0.5 * torch.ones(2)\nw = torch.nn.Parameter(start)"
    assert "no copy" not in run(backend, start + STEPS)["told"].text
    kept = "w = torch.nn.Parameter(torch.ones(2))\nbest = w.detach()"
    assert "no copy" in run(backend, kept + STEPS)["told"].text


def test_it_prints_and_is_a_page(scope, tmp_path):
    told = scope["told"]
    assert "net.enc.weight       2 x 3" in str(told) and "Fix 1: Use the tensor itself" in repr(told)
    assert "So it is for 1 more." in told.text
    assert told.html.count("<tr>") == 9 and "<caption>6 of 8" in told.html
    page = tmp_path / "table.html"
    told.save(page)
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>") and "http:" not in text and "https:" not in text


def test_the_records_give_verdicts_where_the_text_is_elsewhere(scope):
    causes = [one.cause for one in verdicts(scope["net"], scope["loss"])]
    assert "cut" in causes and "not registered" in causes


IN_A_FUNCTION = """
net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Linear(2, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
def train():
    net[1](passed_on(net[0](torch.ones(4, 3)))).mean().backward()
    opt.step()
train()
told = why(net)
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_gradient_of_unknown_fate_is_no_all_clear(backend):
    told = run(backend, IN_A_FUNCTION, passed_on=lambda x: x.detach())["told"]
    assert "4 parameters of net: of 2 it is not known" in told.text
    assert "nothing wrong was found" not in told.text.lower()
    assert "Advice: Run the program again under `with watch():`." in told.text
    healthy = run(backend, IN_A_FUNCTION, passed_on=lambda x: x)["told"]
    assert "and nothing wrong was found" in healthy.text


WARMUP = """
net = torch.nn.Sequential(torch.nn.Linear(3, 1))
def train():
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    schedule = torch.optim.lr_scheduler.LambdaLR(opt, lambda step: RATE)
    for _ in range(3):
        opt.zero_grad()
        net(torch.ones(4, 3)).mean().backward()
        opt.step()
        schedule.step()
    return opt
opt = train()
table, told = why(net), why(net[0].weight)
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_schedule_that_rounds_down_to_0_is_a_finding(backend):
    scope = run(backend, WARMUP.replace("RATE", "min(1, step // 100)"))
    assert scope["told"].cause == "no rate" and "LambdaLR" in str(scope["told"])
    assert "2 of 2 parameters" in scope["table"].text


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_schedule_that_ends_at_0_is_no_finding(backend):
    for rate in ("max(0, 1 - step / 3)", "max(0, 1 - step // 3)"):
        scope = run(backend, WARMUP.replace("RATE", rate))
        (sentence,) = scope["table"].sentences  # the norms of the gradients are in the table
        said = "net.0.weight.grad is there; opt holds net.0.weight with lr 0"
        assert sentence.startswith(f"net.0.weight: {said}") and sentence.endswith(" So it is for 1 more.")
        assert scope["told"].cause == "not known"
        assert "need a look" not in scope["table"].text
    assert run(backend, WARMUP.replace("RATE", "(step + 1) / 9"))["told"].cause == "healthy"
