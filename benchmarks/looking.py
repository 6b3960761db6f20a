"""What `why(model)` and `watch()` of minigrad.viz cost: how many times the plain training step."""
from time import process_time

# The names of the rows, and (model, what is done), where "model" gives watch() the model and optimizer.
WORKS = {"viz-why": ("deep", "why"), "viz-watch": ("deep", "watch"), "viz-watch-model": ("deep", "model"),
         "viz-small": ("small", "watch"), "viz-small-model": ("small", "model"),
         "viz-small-loop": ("small", "watch"), "viz-small-model-loop": ("small", "model"),
         "viz-large": ("large", "watch")}
LOOP = 50  # steps of a loop that is watched as a whole; in the other rows each step has its own watch
SIZES = {"deep": (8, 4), "small": (32, 32), "large": (5000, 8)}  # numbers in a row, and rows of a batch


def works_of(torch, name):
    """Return {"step": plain training, "looked": the same watched, or the question about one step}."""
    # an import here, so that only these rows load it
    from minigrad.viz import watch, why
    kind, done = WORKS[name]
    torch.manual_seed(0)
    size, batch = SIZES[kind]
    layers = [one for _ in range(100 if kind == "deep" else 2)
              for one in (torch.nn.Linear(size, size), torch.nn.Tanh())]
    model = torch.nn.Sequential(*layers)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01) if kind == "large" else \
        torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = torch.randn(batch, size), torch.randn(batch, size)

    def step():
        optimizer.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        return loss

    def steps():
        for _ in range(LOOP if name.endswith("-loop") else 1):
            step()

    def watched():
        with watch(*(model, optimizer) * (done == "model")):
            steps()

    loss = step()  # so that a variable holds a graph for why()

    def asked():
        why(model, loss)

    return {"step": steps, "looked": asked if done == "why" else watched}


def times_the_step(torch, name, rounds):
    """Return the median time of the work as a multiple of the plain step's, both in turn.

    It is the time of the processor, so that other programs of the machine count less.
    """
    works = works_of(torch, name)
    found = {work: [] for work in works}
    for at in range(2 + rounds):
        for work, run in works.items():
            begin = process_time()
            run()
            found[work] += [process_time() - begin] * (at > 1)  # the first rounds warm caches up
    return sorted(found["looked"])[rounds // 2] / sorted(found["step"])[rounds // 2]
