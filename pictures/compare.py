"""Draw ten models with minigrad.viz, torchviz, torchview and torchlens, for a page of
the reader.

    pip install torch==2.13.0 torchviz==0.0.3 torchview==0.2.7 torchlens==2.36.1 graphviz-pure==0.2.2
    python pictures/compare.py          (the last three need a system Graphviz, too)

Each tool draws as it does unless told otherwise. The pictures, and their sizes in `compare.json`, go into
pictures/compare/; minigrad/book/build/reader/other_tools.py makes the page from them.
"""
import json
import re
import subprocess
import sys
import tempfile
import warnings
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

FOLDER = Path(__file__).with_suffix("")
NOTEBOOK = 1058             # CSS pixels: the width of an output in JupyterLab, in a window of 1,280


class Residual(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Sequential(nn.Conv2d(width, width, 3, padding=1, bias=False),
                                                  nn.BatchNorm2d(width), nn.ReLU(),
                                                  nn.Conv2d(width, width, 3, padding=1, bias=False),
                                                  nn.BatchNorm2d(width)) for _ in range(2))
        self.head = nn.Linear(width, 10)

    def forward(self, x):
        for block in self.blocks:
            x = torch.relu(x + block(x))
        return self.head(x.mean((2, 3)))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.head = nn.LSTM(4, 8, num_layers=2, batch_first=True), nn.Linear(8, 1)

    def forward(self, x):
        return self.head(self.lstm(x)[0][:, -1])


class Variational(nn.Module):
    """A variational autoencoder, with its loss."""

    def __init__(self):
        super().__init__()
        self.encoder, self.mean, self.spread = nn.Linear(16, 8), nn.Linear(8, 2), nn.Linear(8, 2)
        self.decoder = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 16))

    def forward(self, x):
        h = torch.relu(self.encoder(x))
        mean, spread = self.mean(h), self.spread(h)
        z = mean + torch.exp(0.5 * spread) * torch.randn_like(mean)
        distance = -0.5 * (1 + spread - mean ** 2 - spread.exp()).mean()
        return ((self.decoder(z) - x) ** 2).mean() + distance


class GanStep(nn.Module):
    """The losses of the discriminator, for which the generator's pictures are detached, and the generator."""

    def __init__(self):
        super().__init__()
        self.generator = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 4))
        self.discriminator = nn.Sequential(nn.Linear(4, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))

    def forward(self, noise):
        fake, real = self.generator(noise), torch.ones(5, 4)
        on_real, on_fake = self.discriminator(real), self.discriminator(fake.detach())
        softplus = nn.functional.softplus
        return ((softplus(-on_real) + softplus(on_fake)).mean(),
                softplus(-self.discriminator(fake)).mean())


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.before, self.qkv = nn.LayerNorm(width), nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.wide = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU(),
                                  nn.Linear(4 * width, width))

    def forward(self, x):
        q, k, v = self.qkv(self.before(x)).chunk(3, -1)
        x = x + self.out(torch.softmax(q @ k.transpose(1, 2) / 4, -1) @ v)
        return x + self.wide(x)


class Gpt(nn.Module):
    """A small language model; `tied` has the embedding's weight in the head, too."""

    def __init__(self, tied=False, width=16, words=50):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(8, width)
        self.layers = nn.ModuleList(Layer(width) for _ in range(2))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)
        if tied:
            self.head.weight = self.words.weight

    def forward(self, numbers):
        x = self.words(numbers) + self.places(torch.arange(numbers.shape[1]))
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))


class Penalty(nn.Module):
    """A gradient penalty: the pass through the network is itself recorded."""

    def __init__(self):
        super().__init__()
        self.critic = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))

    def forward(self, x):
        x = x.clone().requires_grad_()
        slope, = torch.autograd.grad(self.critic(x).sum(), x, create_graph=True)
        return ((slope.norm(dim=1) - 1) ** 2).mean()


class Checkpointed(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(4, 8), nn.Linear(8, 1)
        self.middle = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh())

    def forward(self, x):
        return self.last(checkpoint(self.middle, self.first(x), use_reentrant=False)).sum()


CASES = {
    "mlp": ("A network of three linear layers", lambda: nn.Sequential(
        nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1)), (5, 4)),
    "cnn": ("A convolutional network", lambda: nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(4, 8, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 10)),
        (2, 1, 8, 8)),
    "residual": ("Two residual blocks", Residual, (2, 8, 6, 6)),
    "lstm": ("An LSTM of two layers, over 12 steps", Recurrent, (2, 12, 4)),
    "gpt": ("A language model of two layers", Gpt, (2, 6)),
    "tied": ("The same, with its first and its last weight tied", lambda: Gpt(tied=True), (2, 6)),
    "vae": ("A variational autoencoder, with its loss", Variational, (3, 16)),
    "gan": ("One step of a GAN, with two losses", GanStep, (5, 2)),
    "penalty": ("A gradient penalty, by double backward", Penalty, (5, 4)),
    "checkpointed": ("A network with checkpointed layers", Checkpointed, (3, 4)),
}

WORDS = ("gpt", "tied")     # these take the numbers of words


def results(model, x):
    """What backward() would be called on, as numbers."""
    made = model(x)
    return [one.sum() for one in (made if isinstance(made, tuple) else (made,))]


def by_minigrad(model, x):
    from minigrad.viz import draw
    from minigrad.viz.drawing.image import svgs_in
    losses = results(model, x)
    return svgs_in(draw(losses).html)[0] + "\n"


def by_torchviz(model, x):
    from torchviz import make_dot
    return laid_out(make_dot(sum(results(model, x)), params=dict(model.named_parameters())).source)


def by_torchview(model, x):
    from torchview import draw_graph
    return laid_out(draw_graph(model, input_data=x, device="cpu", mode="train").visual_graph.source)


def by_torchlens(model, x):
    import torchlens
    with tempfile.TemporaryDirectory() as folder:
        return laid_out(torchlens.trace(model, x).draw(vis_save_only=True, vis_outpath=f"{folder}/x",
                                                       vis_fileformat="svg"))


TOOLS = {"minigrad.viz": by_minigrad, "torchviz": by_torchviz, "torchview": by_torchview,
         "torchlens": by_torchlens}


def laid_out(dot):
    """What the system's Graphviz makes of DOT source, without comments and titles."""
    done = subprocess.run(["dot", "-Tsvg"], input=dot, capture_output=True, check=True, encoding="utf-8")
    svg = done.stdout
    svg = re.sub(r"<!--.*?-->\n?|<title>.*?</title>\n?", "", svg[svg.index("<svg"):], flags=re.DOTALL)
    svg = re.sub(r' id="(?:node|edge|clust|graph|a_)\w*"| class="(?:edge|graph|cluster)"', "", svg)
    return re.sub(r' (?:d|points|c?x|c?y)="[^"]*"', lambda places: re.sub(
        r"\d+\.\d\d+", lambda number: f"{float(number[0]):.1f}", places[0]), svg)


def measured(svg, least):
    """Return the size that a picture has in a notebook, and that of its smallest letters, in CSS pixels.

    JupyterLab shrinks a picture to the width of its output, at most to the share `least`.
    """
    width, height = (float(re.search(rf'<svg[^>]*\b{side}="([\d.]+)pt"', svg)[1]) * 4 / 3
                     for side in ("width", "height"))
    shown = min(1, max(NOTEBOOK / width, least))
    shrunk = float(re.search(r"scale\(([\d.]+)", svg)[1])      # by Graphviz, to the size that a tool asks for
    letters = min(float(size) for size in re.findall(r'font-size="([\d.]+)', svg)) * 4 / 3
    return {"width": round(width * shown), "height": round(height * shown),
            "letters": round(letters * shrunk * shown, 1)}


def drawn(key, make, size):
    """Return the pictures of one model by all tools, each from a model and an input of its own."""
    for tool, by in TOOLS.items():
        torch.manual_seed(0)
        try:
            yield tool, by(make(), torch.randint(50, size) if key in WORDS else torch.randn(size))
        except Exception as error:
            yield tool, error


def main():
    warnings.simplefilter("ignore")
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*"):
        old.unlink()
    others = [name for name in TOOLS if name != "minigrad.viz"]
    table = {"versions": {name: version(name) for name in ("torch", *others)}, "models": []}
    for key, (title, make, size) in CASES.items():
        table["models"].append({"key": key, "title": title, "tools": {}})
        for tool, svg in drawn(key, make, size):
            if isinstance(svg, Exception):
                first = svg.__cause__ or svg
                row = {"error": f"{type(first).__name__}: {first}".partition("\n")[0]}
            else:
                name = f"{key}-{tool.replace('.', '-')}.svg"
                (FOLDER / name).write_text(svg, encoding="utf-8")
                row = {"file": name, **measured(svg, 3 / 4 if tool == "minigrad.viz" else 0)}
            table["models"][-1]["tools"][tool] = row
            print(f"{key:13} {tool:13} {len(str(svg)):8,} bytes  {row}", flush=True)
    (FOLDER / "compare.json").write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
