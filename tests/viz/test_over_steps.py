"""How norms went over the steps of a run: what is kept, what broke first, and how it is shown."""
import math
import re
import subprocess
import sys

import pytest

from minigrad.viz import watch
from minigrad.viz.drawing.image import svgs_in
from minigrad.viz.drawing.text_twin import visible
from minigrad.viz.graph.facts import number
from minigrad.viz.graph.norms import norm_of
from minigrad.viz.watching.over_steps import MOST, Points
from tests.systems.test_hostile import EVIL, alive

FIRST = "The first measured output, gradient or update with NaN or infinity was in"


def made(torch, rate=0.1):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    return model, torch.optim.SGD(model.parameters(), lr=rate), torch.randn(8, 3)


@pytest.mark.parametrize("rate", [0.1, 1e4, 1e8])
def test_an_update_is_compared_with_what_the_step_found_and_so_has_no_largest_size(torch, rate):
    model, opt, x = made(torch, rate)
    before = model[0].weight.detach().clone()
    torch.nn.init.zeros_(model[2].bias)
    with watch(model, opt) as run:
        train(model, opt, x, 1)
    moved = float((model[0].weight.detach() - before).norm() / before.norm())
    ratios = {row.name: row.ratio for row in run.rows}
    assert ratios["model.0.weight"] == pytest.approx(moved, rel=1e-4) and (moved > 100) == (rate > 1)
    assert ratios["model.2.bias"] == pytest.approx(1)  # it was 0, so the size afterwards is taken
    assert f"  {moved:.2g}" in run.text


def train(model, opt, x, steps, seen=None):
    for _ in range(steps):
        opt.zero_grad()
        out = model(x)
        loss = (out ** 2).mean()
        loss.backward()
        before = {name: one.detach().clone() for name, one in model.named_parameters()}
        opt.step()
        for name, one in model.named_parameters() if seen is not None else ():
            seen.setdefault(name, []).append((float(one.grad.norm()), float(
                (one.detach() - before[name]).norm() / before[name].norm())))
        if seen is not None:
            seen.setdefault("out", []).append(float((out.detach() ** 2).mean()) ** 0.5)


def test_the_lines_are_what_a_loop_that_measures_by_hand_finds(torch):
    model, opt, x = made(torch)
    seen = {}
    with watch(model, opt) as run:
        train(model, opt, x, 10, seen)
    over = run.over_steps
    assert over.count == 10
    for name, _ in model.named_parameters():
        track = over.parameters[f"model.{name}"]
        for kind, column in (("gradient", 0), ("update / size", 1)):
            steps, values = zip(*track.lines[kind], strict=True)
            assert steps == tuple(range(1, 11))
            assert values == pytest.approx([row[column] for row in seen[name]], rel=1e-4)
    outputs = [value for _, value in over.modules["model"].lines["output"]]
    assert outputs == pytest.approx(seen["out"], rel=1e-5)
    assert ("In 10 steps, no norm became NaN or infinite, and no parameter's gradient became 0 for good."
            in run.text)


def test_what_broke_first_is_named_with_its_step(torch):
    model, opt, x = made(torch)
    with watch(model, opt) as run:
        train(model, opt, x, 4)
        with torch.no_grad():
            model[2].weight.fill_(math.inf)
        train(model, opt, x, 3)
    assert run.over_steps.opening() == f"{FIRST} step 5 of 7: the output of model.2."
    line = run.over_steps.modules["model.0"].lines["output"]
    assert (line.broke, run.over_steps.modules["model.2"].lines["output"].broke) == (6, 5)
    ranked = run.over_steps.worst_first(run.over_steps.modules)
    assert [track.lines["output"].broke for track in ranked] == [5, 5, 6, 6]
    assert "not finite from step 5" in run.text


def test_a_gradient_that_breaks_while_outputs_are_finite_is_named(torch):
    model, opt, x = made(torch)
    with watch(model, opt) as run:
        train(model, opt, x, 3)
        opt.zero_grad()
        (model(x) - model(x).detach()).pow(2).sum().sqrt().backward()
        opt.step()
    assert run.over_steps.opening() == (
        f"{FIRST} step 4 of 4: the gradient at the output of model.0 and of 3 more.")


@pytest.mark.parametrize("dtype, values, norm", [
    ("float32", [3e30, -4e30], 5e30), ("float32", [3e38, 3e38], 4.2426e38),
    ("float64", [3e300, 4e300], 5e300), ("float64", [1.7e308] * 2, sys.float_info.max),
    ("float32", [3e38, math.inf], math.inf), ("float32", [3e38, math.nan], math.nan)])
def test_a_norm_is_finite_where_all_numbers_are(torch, dtype, values, norm):
    tensor = torch.tensor(values, dtype=getattr(torch, dtype))
    assert norm_of(tensor) == pytest.approx(norm, rel=1e-4, nan_ok=True)
    assert norm_of(torch.tensor([3e30] * 9).reshape(3, 3)) == pytest.approx(9e30)


def test_a_gradient_that_becomes_0_is_named_with_its_first_step(torch):
    model, opt, x = made(torch)
    with watch(model, opt) as run:
        train(model, opt, x, 3)
        with torch.no_grad():
            model[0].bias.fill_(1e4)  # every tanh is flat there
        train(model, opt, x, 3)
    assert run.over_steps.opening() == ("The gradient of model.0.bias was 0 from step 4 to step 6. "
                                        "It was so for 1 more.")
    assert "0 from step 4" in run.text


@pytest.mark.parametrize("values, words", [
    ([math.nan] * 3, "not finite from step 1"),
    ([2.0, 3.0, math.inf, math.nan], "2.0, at most 3.0 (step 2), not finite from step 3"),
    ([math.inf, 2.0, 4.0, 1.0], "at most 4.0 (step 3), not finite in step 1, at last 1.0"),
    ([1.0, math.nan, 0.5], "1.0, not finite in step 2, at last 0.5"),
    ([1.0, 4.0, 2.0], "1.0, at most 4.0 (step 2), at last 2.0")])
def test_what_is_not_finite_is_no_maximum(values, words):
    line = Points()
    for step, value in enumerate(values, 1):
        line.add(step, value)
    assert line.words() == words


def test_memory_does_not_grow_with_the_steps():
    line = Points()
    for step in range(1, 100_001):
        line.add(step, 1 / step if step != 77_777 else 5.0)
    kept = list(line)
    assert len(kept) <= MOST + 1 and kept[0] == (1, 1.0) and kept[-1] == (100_000, 1e-5)
    assert line.most == (77_777, 5.0)  # although no kept point is there
    gaps = {after - before for (before, _), (after, _) in zip(kept, kept[1:], strict=False)}
    assert len(gaps) <= 2


def test_an_evaluation_between_two_steps_does_not_count(torch):
    model, opt, x = made(torch)
    with watch(model, opt) as run:
        for _ in range(3):
            train(model, opt, x, 1)
            with torch.no_grad():
                model(1000 * x)
    outputs = [value for _, value in run.over_steps.modules["model"].lines["output"]]
    assert len(outputs) == 3 and max(outputs) < 2 * min(outputs) + 1


def test_a_module_with_two_results_and_two_calls_is_described_by_all_of_them(torch):
    class Both(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.box, self.score = torch.nn.Linear(3, 4), torch.nn.Linear(3, 1)

        def forward(self, x):
            return torch.tanh(self.box(x)), torch.tanh(self.score(x))

    torch.manual_seed(0)
    model, arrived, sizes = Both(), [], []
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    with watch(model, opt) as run:
        for _ in range(3):
            results = [one for of in (1., 3.) for one in model(of * torch.randn(5, 3))]
            for one in results:
                one.retain_grad()
            opt.zero_grad()
            sum((one ** 2).sum() * scale for one, scale in zip(results, (1, 2, 30, 4))).backward()
            opt.step()
            arrived.append(math.hypot(*(float(one.grad.norm()) for one in results)))
            sizes.append(float(torch.cat([one.detach().flatten() for one in results]).pow(2).mean()) ** 0.5)
    lines = run.over_steps.modules["model"].lines
    assert list(lines["gradient at the output"].values) == pytest.approx(arrived, rel=1e-5)
    assert list(lines["output"].values) == pytest.approx(sizes, rel=1e-5)
    assert f"gradient norm {number(arrived[-1])} at its output, over 2 calls in one pass" in run.text


@pytest.mark.parametrize("turns", [1, 3])
def test_a_pass_after_the_step_of_another_optimizer_comes_to_an_earlier_call(torch, turns):
    torch.manual_seed(0)
    made, critic = torch.nn.Linear(3, 2), torch.nn.Linear(2, 1)
    opts = [torch.optim.SGD(one.parameters(), lr=0.1) for one in (made, critic)]
    seen = {"made": [], "critic": []}

    def scores(of, name="critic"):
        out = critic(of)
        out.retain_grad()
        outs[name] = out
        return (out - 1).pow(2).mean()

    with watch([made, critic], opts) as run:
        for _ in range(4):
            outs = {}
            fake = made(torch.randn(6, 3))
            fake.retain_grad()
            for _ in range(turns):
                opts[1].zero_grad()
                (scores(fake.detach()) + scores(torch.ones(6, 2), "real")).backward()
                opts[1].step()
                seen["critic"].append(torch.stack([out.grad.norm() for out in outs.values()]).norm())
            opts[0].zero_grad()
            scores(fake).backward()
            opts[0].step()
            seen["made"].append(fake.grad.norm())
            seen["critic"].append(outs["critic"].grad.norm())
    for name, norms in seen.items():
        line = run.over_steps.modules[name].lines["gradient at the output"]
        assert list(line.values) == pytest.approx([float(one) for one in norms], rel=1e-4), name
    assert "not known" not in run.text.partition("Over the steps")[2].partition("The modules")[0]


def test_the_page_draws_each_line_and_says_it_in_words(torch, tmp_path):
    model, opt, x = made(torch, rate=50.0)
    with watch({EVIL: model}, opt) as run:
        train(model, opt, x, 300)
    run.save(tmp_path / "run.html")
    page = (tmp_path / "run.html").read_text(encoding="utf-8")
    lines = [one for one in svgs_in(page) if "<polyline" in one and "stroke-linecap" in one]
    assert len(lines) == 2 * 4 + 2 * 4 and not alive(page)
    for name, track in run.over_steps.parameters.items():
        said = track.lines["gradient"].words()
        assert f"<small>{said}</small>" in page and name.startswith(visible(EVIL)[:5])
    places = [pair.split(",") for one in lines for points in re.findall('points="(.*?)"', one)
              for pair in points.split()]
    assert all(0 <= float(x) <= 140 and 0 <= float(y) <= 30 for x, y in places)


def test_check_names_the_step_at_which_a_script_broke(torch, tmp_path):
    script = tmp_path / "train.py"
    script.write_text(f"""import {torch.__name__} as torch
torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e15)
x = torch.ones(4, 2)
for step in range(100):
    optimizer.zero_grad()
    (model(x) ** 2).mean().backward()
    optimizer.step()
""", encoding="utf-8")
    page = tmp_path / "page.html"
    check = [sys.executable, "-m", "minigrad.viz", "check"]
    done = subprocess.run([*check, "--steps", "20", "--save", str(page), str(script)],
                          capture_output=True, text=True, encoding="utf-8", check=True)
    assert re.search(rf"check: {FIRST} step \d of 20: the ", done.stderr)
    assert "Over the steps" in page.read_text(encoding="utf-8")
