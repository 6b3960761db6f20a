"""The page of a run: what was found, the modules, the parameters, and each module's graph."""
import time
from contextlib import nullcontext
from copy import deepcopy
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest

from minigrad.viz import watch, why
from minigrad.viz.drawing.image import svgs_in
from tests.systems.test_hostile import EVIL, alive


def small(torch):
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))


def trained(torch, model, optimizer, steps=2):
    with watch(model, optimizer) as run:
        for _ in range(steps):
            optimizer.zero_grad()
            loss = (model(torch.randn(5, 3)) ** 2).mean()
            loss.backward()
            optimizer.step()
    return run


def test_a_healthy_run_says_what_was_measured(torch):
    model = small(torch)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    text = trained(torch, model, opt).text
    assert text.startswith("A run of model: 2 backward passes, 2 steps of optimizer (SGD), 8 calls of "
                           "modules.\nNothing wrong was found. Measured were 4 parameters in 2 backward "
                           "passes: 4 had a gradient (none was NaN, infinite, zero, vanishing or doubled), "
                           "and steps moved 4.")
    assert "\nmodel.0.weight (4 x 3)  norm " in text and "  optimizer, SGD, lr 0.1  nothing" in text
    assert "    model.2 (Linear): (5, 4) to (5, 2), 10 parameters" in text and "called 2 times" in text


def test_the_page_is_one_file_that_needs_no_script(torch, tmp_path):
    model = small(torch)
    run = trained(torch, model, torch.optim.Adam(model.parameters()))
    run.save(tmp_path / "step.html")
    page = (tmp_path / "step.html").read_text(encoding="utf-8")
    assert not alive(page) and "http" not in page.replace("http-equiv", "").replace("http://www.w3.org", "")
    assert page.count("<summary><b>model") == 4 and len(svgs_in(page)) >= 4
    words = "".join(ElementTree.fromstring(svgs_in(page)[0]).itertext())
    assert "model.2" in words and "10 parameters" in words and "gradient" in words
    run.save(tmp_path / "step.txt")
    assert (tmp_path / "step.txt").read_text(encoding="utf-8") == run.text + "\n"
    with pytest.raises(ValueError, match="a run saves as .html, .txt"):
        run.save(tmp_path / "step.svg")


def test_a_module_opens_as_a_drawing(torch):
    model = small(torch)
    run = trained(torch, model, torch.optim.Adam(model.parameters()))
    for name in ("0", "model.0"):
        text = run[name].text
        assert text.startswith("Graph of model.0, engine view") and "AddmmBackward0" in text
        assert "parameter weight (4, 3)" in text and "(2, 4)" not in text and "TanhBackward0" in text
    assert "MseLoss" not in run[""].text and "TanhBackward0" in run["model"].text
    with pytest.raises(KeyError, match="went through a module 'nothing'"):
        run["nothing"]


def test_a_run_outlives_its_model(torch):
    model = small(torch)
    optimizer = torch.optim.Adam(model.parameters())
    run = trained(torch, model, optimizer)
    before = run.text
    del model, optimizer
    assert run.text == before and "AddmmBackward0" in run["2"].text and "model.2" in run.modules().text


def test_without_a_pass_or_a_model_the_page_says_so(torch):
    model = small(torch)
    with watch(model) as run:
        model(torch.ones(1, 3))
    assert run.text.startswith("A run of model: 0 backward passes, no step of an optimizer, 4 calls")
    with pytest.raises(KeyError, match="no backward pass of this run"):
        run.modules()
    assert "No backward pass went through it" in run.html
    with watch() as run:
        model(torch.ones(1, 3)).sum().backward()
    assert "give watch() a model" in run.text and "1 backward pass, no step" in run.text


# ---------------------------------------------------------------- what is found

def causes(run):
    return {verdict.cause for verdict in run.verdicts}


def test_parameters_that_no_optimizer_holds(torch):
    model = small(torch)
    optimizer = torch.optim.SGD(model[0].parameters(), lr=0.1)
    run = trained(torch, model, optimizer)
    assert causes(run) == {"no optimizer"}
    assert [row.name for row in run.rows][:2] == ["model.2.weight", "model.2.bias"]
    assert '<p class="mgbad"><b>no optimizer:</b>' in run.html and "<b>Fix:</b>" in run.html


def test_the_line_that_made_the_optimizer_which_lacks_a_parameter_is_told(torch):
    class Trainer:
        def __init__(self):
            self.model, self.head = small(torch), torch.nn.Linear(2, 1)
            self.opt = torch.optim.SGD(self.model.parameters(), lr=0.1)  # here

    trainer = Trainer()
    with watch([trainer.model, trainer.head], trainer.opt) as run:
        for _ in range(3):
            trainer.opt.zero_grad()
            trainer.head(trainer.model(torch.randn(5, 3))).pow(2).mean().backward()
            trainer.opt.step()
    (verdict,) = run.verdicts
    line = next(at for at, text in enumerate(Path(__file__).read_text(encoding="utf-8").splitlines(), 1)
                if text.endswith("lr=0.1)  # here"))
    assert verdict.cause == "no optimizer" and verdict.line.line == line
    assert f"trainer.opt is made ({Path(__file__).name}:{line}" in verdict.sentence


def test_a_model_that_no_step_takes_is_not_called_doubled(torch):
    def train(model, learns):
        opt = torch.optim.SGD(learns.parameters(), lr=0.1)
        for _ in range(3):
            opt.zero_grad()
            (model(torch.randn(5, 3)) ** 2).mean().backward()
            opt.step()

    model, base = small(torch), small(torch)
    with watch({"model": model}) as run:
        train(model, base)
    (verdict,) = run.verdicts
    assert verdict.cause == "no optimizer" and verdict.others == 3
    assert "3 passes filled model.0.weight.grad, and none of the 2 steps between" in verdict.sentence
    assert "model.0.weight" in verdict.fixes[0].words
    model.zero_grad()
    with watch({"model": model}) as run:
        train(model, model)
    assert not run.verdicts


def test_what_a_step_found_is_told_though_the_gradients_are_gone(torch):
    model = small(torch)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with watch(model, optimizer) as run:
        (model(torch.ones(5, 3)) * float("nan")).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    assert causes(run) == {"nan"} and {row.grad for row in run.rows} == {"NaN"}
    model = small(torch)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with watch(model, optimizer) as run:
        model(torch.ones(5, 3)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    assert not run.verdicts and all(row.grad.startswith("norm") for row in run.rows)


def test_a_gan_step_is_healthy_and_has_a_picture_for_each_pass(torch):
    nn = torch.nn
    G, D = nn.Sequential(nn.Linear(2, 3), nn.ReLU()), nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
    opt_g, opt_d = (torch.optim.Adam(one.parameters()) for one in (G, D))
    torch.manual_seed(1)
    with watch([G, D], {"opt_g": opt_g, "opt_d": opt_d}) as run:
        for _ in range(2):
            opt_d.zero_grad()
            D(torch.randn(6, 3)).mean().backward()
            fake = G(torch.randn(6, 2))
            D(fake.detach()).mean().backward()
            opt_d.step()
            opt_g.zero_grad()
            (-D(fake).mean()).backward()
            opt_g.step()
    assert not run.verdicts, run.text
    assert run.text.startswith("A run of G and D: 6 backward passes, 2 steps of opt_d (Adam), 2 steps ")
    assert run.html.count("The backward pass in") == 3
    assert "G.0" in run.modules().text and "D.1" in run.modules().text


def test_cuts_and_frozen_parts_are_drawn_and_told(torch):
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.enc, self.aux = nn.Sequential(nn.Linear(3, 4), nn.Tanh()), nn.Linear(4, 1)
            self.frozen, self.head = nn.Linear(4, 4).requires_grad_(False), nn.Linear(4, 2)

        def forward(self, x):
            return self.head(self.frozen(self.enc(x).detach()))

    net = Net()
    optimizer = torch.optim.SGD([one for one in net.parameters() if one.requires_grad], lr=0.1)
    run = trained(torch, net, optimizer)
    assert {one.cause: one.name for one in run.verdicts} == {"cut": "model.enc.0.weight",
                                                             "not used": "model.aux.weight"}
    assert "went into loss through detach() (test_run.py:" in run.text
    assert "model.aux was not called while the program was watched" in run.text
    text = run.modules().text
    assert "model.frozen: Linear, (5, 4), 20 parameters, frozen" in text
    assert "model.enc: Sequential, (5, 4), 16 parameters" in text and "cut off from model.frozen" in text
    assert "cut off" in run.modules().dot and "no gradient" in run.modules().dot


def residual(torch):
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.up, self.down = nn.LayerNorm(8), nn.Linear(8, 16), nn.Linear(16, 8)

        def forward(self, x):
            return x + self.down(torch.relu(self.up(self.norm(x))))

    class Tiny(nn.Module):
        def __init__(self, layers):
            super().__init__()
            self.emb, self.head = nn.Embedding(10, 8), nn.Linear(8, 10)
            self.layers = nn.ModuleList([Block() for _ in range(layers)])

        def forward(self, tokens):
            x = self.emb(tokens)
            for layer in self.layers:
                x = layer(x)
            return self.head(x)

    torch.manual_seed(0)
    return Tiny


def test_blocks_with_residuals(torch):
    model = residual(torch)(4)
    optimizer = torch.optim.Adam(model.parameters())
    with watch(model, optimizer) as run:
        model(torch.tensor([[1, 2, 3]])).sum().backward()
        optimizer.step()
    text = run.modules().text
    assert "model.layers.0.up" in text and "operation AddBackward0" in text and "model.emb" in text
    assert "more like model.layers.0" in text
    assert run.html.count("Its graph is like that of model.layers.0") == 12  # of three blocks


def test_a_checkpoint_is_said_to_be_computed_again(torch):
    checkpoint = pytest.importorskip(f"{torch.__name__}.utils.checkpoint").checkpoint
    model = small(torch)
    with watch(model) as run:
        checkpoint(model, torch.ones(1, 3), use_reentrant=False).sum().backward()
    assert "model.0 (Linear): (1, 3) to (1, 4), 16 parameters" in run.text
    assert "computed again in the backward pass" in run.text
    assert "computed again in the pass" in run.modules().text


def test_a_large_model_has_its_page_in_seconds(torch):
    model = residual(torch)(50)
    with watch(model) as run:
        model(torch.tensor([[1, 2, 3]])).sum().backward()
    assert len(run.parts) == 203
    start = time.perf_counter()
    assert len(run.html) < 1_000_000
    assert time.perf_counter() - start < 6  # about half a second


# ---------------------------------------------------------------- names

@pytest.mark.parametrize("evil", [EVIL, "</details></div><script>alert(1)</script>", "`<b>`\x00\u202e"])
def test_names_of_modules_and_classes_are_words(torch, evil):
    kind = type(evil.translate({0: None, 0xd800: None}), (torch.nn.Linear,), {})
    model = torch.nn.Sequential(torch.nn.Linear(3, 3))
    model._modules[evil.replace(".", "")] = kind(3, 3)
    optimizer = torch.optim.Adam(model.parameters())
    with watch({evil: model}, {evil: optimizer}) as run:
        model(torch.randn(5, 3)).sum().backward()
        optimizer.step()
    page = run.forms()[".html"]().encode("utf-8").decode()
    assert not alive(page)
    assert not any(sign in page + run.text for sign in "\0\x1b\u202e\ud800")
    assert "<script" not in page and "<img src=x" not in page
    assert page.count("</details>") == page.count("<details")
    assert len(run.parts) == 3


# ---------------------------------------------------------------- the first step, and earlier watches

def adapter(torch):
    """A frozen weight with a product of two small ones beside it, the second of which begins at 0."""
    class Adapted(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.A = torch.nn.Parameter(torch.randn(2, 3))
            self.B = torch.nn.Parameter(torch.zeros(4, 2))

        def forward(self, x):
            return x @ torch.ones(3, 4) + x @ self.A.T @ self.B.T

    torch.manual_seed(0)
    return Adapted()


@pytest.mark.parametrize("empties", [False, True])
def test_a_factor_that_begins_with_zeros_is_no_fault(torch, empties):
    model = adapter(torch)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with watch(model, optimizer) as run:
        (model(torch.randn(5, 3)) ** 2).mean().backward()
        optimizer.step()
        if empties:
            optimizer.zero_grad()
    assert not run.verdicts, run.verdicts
    assert {row.name: row.cause for row in run.rows}["model.A"] == "zero at first"
    assert "1 had zeros alone, which is so until a factor that begins with 0 has moved" in run.text


def test_two_factors_that_are_zero_are_a_fault(torch):
    model = adapter(torch)
    with torch.no_grad():
        model.A.zero_()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with watch(model, optimizer) as run:
        (model(torch.randn(5, 3)) ** 2).mean().backward()
        optimizer.step()
    assert causes(run) == {"zero"}


def followed(torch, write):
    """A run of a student, and of a teacher that follows it by `write` and takes no step."""
    torch.manual_seed(0)
    student, teacher, x = small(torch), small(torch).requires_grad_(False), torch.randn(5, 3)
    opt = torch.optim.SGD(student.parameters(), lr=0.1)
    with watch([student, teacher], opt) as run:
        for _ in range(2):
            opt.zero_grad()
            (student(x) - teacher(x) - 1).pow(2).mean().backward()
            opt.step()
            write(teacher, student)
    return run


def average(torch, teacher, student):
    with torch.no_grad():
        for old, new in zip(teacher.parameters(), student.parameters()):
            old.mul_(0.5).add_(0.5 * new)


def test_what_others_wrote_is_not_counted_as_a_step(torch):
    for write in (lambda old, new: old.load_state_dict(new.state_dict()), partial(average, torch),
                  lambda old, new: None):
        text = followed(torch, write).text
        assert "8 parameters" in text and " 4 are frozen, and steps moved 4. " in f"{text.splitlines()[1]} "


def test_steps_moved_nothing_that_the_program_alone_wrote(torch):
    """As a momentum encoder that is frozen, and yet was given to the optimizer."""
    torch.manual_seed(0)
    model = torch.nn.ModuleList([small(torch), small(torch).requires_grad_(False)])
    opt, x = torch.optim.SGD(model.parameters(), lr=0.1), torch.randn(5, 3)
    with watch(model, opt) as run:
        for _ in range(3):
            for new, old in zip(model[0].parameters(), model[1].parameters(), strict=True):
                old.data = 0.5 * old.data + 0.5 * new.data
            opt.zero_grad()
            (model[0](x) - model[1](x) - 1).pow(2).mean().backward()
            opt.step()
    assert "4 are frozen, and steps moved 4 and the program wrote to 4." in run.text


def test_steps_that_never_find_a_gradient_are_no_all_clear(torch):
    """As those of a meta-learner whose passes end at the weights of a deep copy."""
    model = small(torch)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    with watch(model, opt) as run:
        for _ in range(5):
            opt.zero_grad()
            copied = deepcopy(model)
            copied(torch.randn(5, 3)).pow(2).mean().backward()
            opt.step()
    (verdict,) = run.verdicts
    assert verdict.others == 3
    assert "each of 5 steps that took model.0.weight found no gradient" in verdict.sentence


def test_what_is_frozen_only_in_the_last_pass_is_not_called_frozen(torch):
    """As a critic, while it trains the generator or the actor."""
    torch.manual_seed(0)
    actor, critic = small(torch), torch.nn.Linear(2, 1)
    opts = [torch.optim.SGD(one.parameters(), lr=0.1) for one in (actor, critic)]
    with watch([actor, critic], opts) as run:
        for _ in range(3):
            for one, opt in ((critic, opts[1]), (actor, opts[0])):
                critic.requires_grad_(one is critic)
                opt.zero_grad()
                (critic(actor(torch.randn(5, 3))) - 1).pow(2).mean().backward()
                opt.step()
    assert "6 had a gradient (none was NaN" in run.text and " doubled, and 2 are frozen now)" in run.text
    assert "3 parameters, frozen in the last pass" in run.text
    assert "and steps moved 6." in run.text


def test_a_step_by_hand_is_told_apart_from_that_of_an_optimizer(torch):
    torch.manual_seed(0)
    model = small(torch)
    opt = torch.optim.SGD(model[0].parameters(), lr=0.1)
    with watch(model, opt) as run:
        for _ in range(2):
            model.zero_grad()
            (model(torch.randn(5, 3)) ** 2).mean().backward()
            opt.step()
            with torch.no_grad():
                for one in model[2].parameters():
                    one -= 0.1 * one.grad
    assert ", and steps moved 2 and the program wrote to 2." in run.text


def test_a_module_that_is_given_twice_is_watched_once(torch):
    model = small(torch)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    once = trained(torch, model, opt)
    with watch([model, model], [opt, opt]) as twice:
        opt.zero_grad()
        (model(torch.randn(5, 3)) ** 2).mean().backward()
        opt.step()
    assert twice.models == once.models == {"model": model} and len(twice.rows) == 4
    assert twice.text.startswith("A run of model: 1 backward pass, 1 step of opt (SGD), 4 calls")
    alike = [small(torch), small(torch)]  # two models of one class and no name of their own
    with watch([*alike]) as two:
        pass
    assert len(two.models) == 2


def test_a_module_is_cut_off_once_from_what_gives_it_two_results(torch):
    torch.manual_seed(0)
    rnn = torch.nn.LSTM(3, 2) if hasattr(torch.nn, "LSTM") else pytest.skip("minigrad has no LSTM")
    with watch(rnn) as run:
        state = None
        for _ in range(2):
            out, state = rnn(torch.randn(4, 5, 3), state)
            out.pow(2).mean().backward()
            state = tuple(one.detach() for one in state)
    assert run.text.count("cut off from rnn") == 1, run.text


def ended(torch, broken):
    """A run of two models, the second of which learns through the first."""
    torch.manual_seed(0)
    q, policy = torch.nn.Linear(3, 1), torch.nn.Linear(3, 3)
    opt, policy_opt = (torch.optim.SGD(one.parameters(), lr=0.1) for one in (q, policy))
    x = torch.randn(5, 3)
    with pytest.raises(RuntimeError) if broken else nullcontext(), watch(
            [q, policy], [opt, policy_opt]) as run:
        loss = q(policy(x)).mean()
        opt.zero_grad()
        (q(x) ** 2).mean().backward()
        if broken:
            opt.step()
        policy_opt.zero_grad()
        loss.backward()
    return run


def test_a_run_that_an_error_ended_gives_no_all_clear(torch):
    text = ended(torch, True).text
    assert "Nothing wrong" not in text and "It ended with RuntimeError (test_run.py:" in text
    assert "`loss.backward()`); ask explain(error) why." in text and "healthy" not in text
    assert "\nfailed pass: policy.weight.grad is None: the pass (test_run.py:" in text
    assert "ended with an error before it came to policy.weight. So it is for 1 more." in text
    assert text.count("RuntimeError") == 1  # the pass that raised is that which ended the run
    text = ended(torch, False).text
    assert "ended with" not in text and "error" not in text.partition("The modules")[0]


def caught(torch, model, optimizer, times):
    """A run with passes that raise an error, which the program catches."""
    with watch(model, optimizer) as run:
        loss = (model(torch.randn(5, 3)) ** 2).mean()
        loss.backward()
        for _ in range(times):
            with pytest.raises(RuntimeError, match="a second time"):
                loss.backward()
        optimizer.step()
    return run


@pytest.mark.parametrize("times, opening", [(1, "1 pass ended with an error: "),
                                            (2, "2 passes ended with an error, the first: ")])
def test_a_pass_whose_error_the_program_catches_gives_no_all_clear(torch, tmp_path, times, opening):
    model = small(torch)
    run = caught(torch, model, torch.optim.SGD(model.parameters(), lr=0.1), times)
    said = f"{opening}RuntimeError (test_run.py:"
    assert f" {said}" in run.text and "`loss.backward()`): Trying to backward through" in run.text
    assert "have already been freed). Saved" not in run.text and "It ended with" not in run.text
    assert "Nothing wrong" not in run.text and "\nMeasured were 4 parameters in 1 backward pass:" in run.text
    run.save(tmp_path / "run.html")
    page = (tmp_path / "run.html").read_text(encoding="utf-8")
    assert said in page and 'class="mggood"' not in page
    model = small(torch)
    again = caught(torch, model, torch.optim.SGD(model.parameters(), lr=0.1), 0)
    assert "Nothing wrong was found" in again.text and "an error" not in again.text


def two(torch):
    return torch.nn.ModuleDict({name: torch.nn.Linear(3, 3) for name in "ab"})


def before_its_pass(torch, model, x):
    print(model["a"](x).sum().item())


def in_grad(torch, model, x):
    with pytest.raises(RuntimeError, match="appears to not have been used"):
        torch.autograd.grad(model["a"](x).sum(), list(model.parameters()))


def in_a_function(torch, model, x):
    scale_of(torch).apply(model["a"](x), model["a"].weight)


def scale_of(torch):
    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, w):
            return x.detach() * w.sum()
    return Scale


def far_enough(torch, model, x):
    model["a"](x).sum().backward()


@pytest.mark.parametrize("stops, cause", [(before_its_pass, "no pass"), (in_grad, "no pass"),
                                          (in_a_function, "no pass"), (far_enough, "not used")])
def test_only_a_pass_that_ran_to_its_end_shows_what_is_not_used_or_cut(torch, stops, cause):
    model = two(torch)
    with watch(model) as run:
        stops(torch, model, torch.ones(2, 3))
    rows = {row.name: row.cause for row in run.rows}
    assert rows["model.b.weight"] == cause and rows["model.a.weight"] == cause.replace("not used", "healthy")
    if cause == "no pass":
        assert "for 4 no pass through parameters of their model ran to its end" in run.text
        told = why(model).text
        assert "Nothing wrong" not in told + run.text and 'class="mggood"' not in run.html
        assert "model.a.weight.grad is None: no pass that went through parameters of model ran to" in told


def test_what_runs_in_the_forward_of_a_function_is_no_cut(torch):
    model, x = two(torch), torch.ones(2, 3)
    with watch(model) as run:
        scale_of(torch).apply(model["a"](x), model["b"].weight)
        model["b"](x).sum().backward()
    assert {row.name: row.cause for row in run.rows}["model.a.weight"] == "not used"
    with watch(model) as run:
        scale_of(torch).apply(x, model["a"](x).detach())
        model["b"](x).sum().backward()
    assert {row.name: row.cause for row in run.rows}["model.a.weight"] == "cut"


def test_a_run_tells_nothing_of_an_earlier_watch(torch):
    model = small(torch)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    assert all(row.moved for row in trained(torch, model, optimizer).rows)
    with watch(model, optimizer) as run:
        optimizer.zero_grad()
        (model(torch.randn(5, 3)) ** 2).mean().backward()
    assert not any(row.moved for row in run.rows) and "steps moved 0" in run.text


def test_calls_that_are_not_remembered_are_counted(torch, monkeypatch):
    monkeypatch.setattr("minigrad.viz.watching.run.MOST", 5)
    model = small(torch)
    run = trained(torch, model, torch.optim.SGD(model.parameters(), lr=0.1), steps=4)
    assert "16 calls of modules" in run.text and "\nThe modules, in the last 5 calls:\n" in run.text
    assert "<h2>The modules, in the last 5 calls</h2>" in run.html and "called 4 times" not in run.text
