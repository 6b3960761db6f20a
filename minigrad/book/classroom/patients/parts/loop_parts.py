"""Loops: each part trains the model, and has the places at which extras add their lines."""
from __future__ import annotations

from .part import Part

BATCH = {"batch": (16, 20, 25)}

LOOPS = (
    Part("shuffled", """
for epoch in range($epochs):    #: epochs
    model.train()    #: train
    order = torch.randperm(len(x))    #: order
    for start in range(0, len(x), $batch):    #: batches
        rows = order[start:start + $batch]    #: rows
        loss = loss_of(x[rows], y[rows])    #: loss
        #+ after_loss
        optimizer.zero_grad()    #: zero
        loss.backward()    #: pass
        #+ after_pass
        optimizer.step()    #: step
        #+ after_step
    #+ after_epoch
    if epoch % $often == 0:
        print(epoch, round(loss.item(), 3))    #: log
""", gives="batches", avoids="small", slots=BATCH),
    Part("full", """
for step in range($steps):    #: epochs
    loss = loss_of(x, y)    #: loss
    #+ after_loss
    optimizer.zero_grad()    #: zero
    loss.backward()    #: pass
    #+ after_pass
    optimizer.step()    #: step
    #+ after_step
    #+ after_epoch
    if step % 50 == 0:
        print(step, round(loss.item(), 3))    #: log
""", gives="full"),
    Part("slices", """
losses = []
for epoch in range($epochs):    #: epochs
    for at in range(0, len(x), $batch):    #: batches
        inputs, targets = x[at:at + $batch], y[at:at + $batch]    #: slice
        #+ after_slice
        loss = loss_of(inputs, targets)    #: loss
        #+ after_loss
        loss.backward()    #: pass
        #+ after_pass
        optimizer.step()    #: step
        optimizer.zero_grad()    #: zero
        #+ after_step
        losses.append(loss.item())    #: log
    #+ after_epoch
print("train", round(sum(losses[-5:]) / 5, 3))
""", gives="slices batches", avoids="small sorted", slots=BATCH),
    Part("function", """
def train_epoch():
    model.train()    #: train
    total, order = 0., torch.randperm(len(x))    #: order
    for rows in order.split($batch):    #: rows
        optimizer.zero_grad()    #: zero
        loss = loss_of(x[rows], y[rows])    #: loss
        #+ after_loss
        loss.backward()    #: pass
        #+ after_pass
        optimizer.step()    #: step
        #+ after_step
        total += loss.item() * len(rows)    #: log
    return total / len(x)

history = []
for epoch in range($epochs):    #: epochs
    history.append(train_epoch())
    #+ after_epoch
print("first and last epoch", round(history[0], 3), round(history[-1], 3))
""", gives="function batches", avoids="small", slots=BATCH),
    Part("loader", """
loader = DataLoader(TensorDataset(x, y), batch_size=$batch, shuffle=True)    #: loader
for epoch in range($epochs):    #: epochs
    total = 0.
    for inputs, targets in loader:    #: batches
        #+ after_slice
        optimizer.zero_grad()    #: zero
        loss = loss_of(inputs, targets)    #: loss
        #+ after_loss
        loss.backward()    #: pass
        #+ after_pass
        optimizer.step()    #: step
        #+ after_step
        total += loss.item()    #: log
    #+ after_epoch
    if epoch % $often == 0:
        print(f"{epoch:3} {total / len(loader):.3f}")
""", gives="loader batches", avoids="small", slots=BATCH),
    Part("micro", """
for step in range($rounds):    #: epochs
    for rows in torch.randperm(len(x)).split($micro):    # as many as the memory holds    #: rows
        loss = loss_of(x[rows], y[rows])    #: loss
        #+ after_loss
        (loss * len(rows) / len(x)).backward()    #: pass
    #+ after_pass
    optimizer.step()    #: step
    optimizer.zero_grad()    #: zero
    #+ after_step
    #+ after_epoch
    if step % 20 == 0:
        print(step, round(loss.item(), 3))    #: log
""", gives="micro", avoids="small adam digits", slots={"micro": (20, 25, 40), "rounds": (100, 120)}),
    Part("buffer", """
buffer, batches = torch.empty(20, $features), []    #: buffer
for rows in torch.randperm(len(x)).split(20):
    buffer.copy_(x[rows])    # the reader fills the same buffer again    #: filled
    batches.append((buffer.clone(), y[rows]))    #: kept

for epoch in range($epochs):    #: epochs
    model.train()    #: train
    for inputs, targets in batches:    #: batches
        optimizer.zero_grad()    #: zero
        loss = loss_of(inputs, targets)    #: loss
        #+ after_loss
        loss.backward()    #: pass
        #+ after_pass
        optimizer.step()    #: step
        #+ after_step
    #+ after_epoch
    print(f"epoch {epoch}: {loss.item():.3f}")    #: log
""", gives="buffer batches", avoids="small"),
    Part("two_sites", """
level = x.mean(dim=1)
here = level < level.mean()    # two sites, with equal weight
for step in range($steps):    #: epochs
    near, far = loss_of(x[here], y[here]), loss_of(x[~here], y[~here])    #: loss
    loss = (near + far) / 2    #: sites
    #+ after_loss
    optimizer.zero_grad()    #: zero
    loss.backward()    #: pass
    #+ after_pass
    optimizer.step()    #: step
    #+ after_step
    #+ after_epoch
    if step % 40 == 0:
        print(step, round(near.item(), 3), round(far.item(), 3))    #: log
""", gives="full two_sites", avoids="sorted modes"),
)
