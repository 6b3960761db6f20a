"""Data: each part makes `x`, `y`, `test_x` and `test_y`."""
from __future__ import annotations

from .part import Part

MOONS = Part("moons", """
torch.manual_seed($seed)
angle = 3.1416 * torch.rand($all)
lower = torch.arange($all) % 2 == 1
across = torch.where(lower, 1 - angle.cos(), angle.cos())
up = torch.where(lower, 0.5 - angle.sin(), angle.sin())
places = torch.stack([across, up], dim=1)    #: stack
places = places + $noise * torch.randn($all, 2)
x, test_x = places[:$cut], places[$cut:]    #: split_x
y, test_y = lower.long()[:$cut], lower.long()[$cut:]    #: split_y
""", gives="moons classes binary mixed", slots={"all": (360,), "cut": (120, 160), "noise": (0.15, 0.2),
                                       "features": (2,), "outputs": (2,)})

TWO_MOONS = Part("two_moons", """
def two_moons(count):
    angle = 3.1416 * torch.rand(count)
    lower = torch.rand(count) < 0.5
    across = torch.where(lower, 1 - angle.cos(), angle.cos())
    up = torch.where(lower, 0.5 - angle.sin(), angle.sin())
    places = torch.stack([across, up], dim=1)    #: stack
    return places + $noise * torch.randn(count, 2), lower.long()

torch.manual_seed($seed)
x, y = two_moons($cut)    #: made
test_x, test_y = two_moons(300)
""", gives="moons classes binary mixed fresh_test",
                 slots={"cut": (120, 160), "noise": (0.15, 0.2), "features": (2,), "outputs": (2,)})

SORTED_MOONS = Part("sorted_moons", """
def moon(count, side):
    angle = 3.1416 * torch.rand(count)
    across, up = angle.cos(), angle.sin()
    if side == 1:
        across, up = 1 - across, 0.5 - up
    return torch.stack([across, up], dim=1) + $noise * torch.randn(count, 2)    #: stack

torch.manual_seed($seed)
x = torch.cat([moon($half, 0), moon($half, 1)])
y = torch.cat([torch.zeros($half), torch.ones($half)]).long()
test_x = torch.cat([moon(100, 0), moon(100, 1)])
test_y = torch.cat([torch.zeros(100), torch.ones(100)]).long()
""", gives="moons classes binary sorted sorted_test fresh_test",
                    slots={"half": (60, 80), "noise": (0.15, 0.2), "features": (2,), "outputs": (2,)})

DIGITS = Part("digits", """
images, labels = digits()
pixels = torch.tensor(images).flatten(1)
labels = torch.tensor(labels)
x, y = pixels[:$cut], labels[:$cut]    #: split_x split_y
test_x, test_y = pixels[900:1300], labels[900:1300]
mean, std = x.mean(), x.std()
x, test_x = (x - mean) / std, (test_x - mean) / std    #: normal
torch.manual_seed($seed)
""", gives="digits classes mixed normal fresh_test",
              slots={"cut": (300, 400, 500), "features": (64,), "outputs": (10,)})

SCANS = Part("scans", """
images, labels = digits()
scans = torch.tensor(16 * images).to(torch.uint8).view(-1, 64)    # 0 to 16, as they were scanned
x = (scans.float() - 8) / 8    #: pixels
y = torch.tensor(labels)
x, test_x = x[:$cut], x[1000:1400]    #: split_x
y, test_y = y[:$cut], y[1000:1400]    #: split_y
torch.manual_seed($seed)
""", gives="digits classes mixed bytes fresh_test",
             slots={"cut": (300, 400, 500), "features": (64,), "outputs": (10,)})

GAMMA = Part("gamma", """
images, labels = digits()
scans = torch.tensor(16 * images).to(torch.uint8).view(-1, 64)    # 0 to 16
light = scans.float() ** 2 / 256    # the scanner's gamma is 2    #: pixels
x, test_x = light[:$cut], light[900:1300]    #: split_x
y, test_y = torch.tensor(labels[:$cut]), torch.tensor(labels[900:1300])    #: split_y
torch.manual_seed($seed)
""", gives="digits classes mixed bytes fresh_test",
             slots={"cut": (300, 400, 500), "features": (64,), "outputs": (10,)})

SORTED_DIGITS = Part("sorted_digits", """
images, labels = digits()
scans = torch.tensor(16 * images).to(torch.uint8).view(-1, 64)
labels = torch.tensor(labels)
in_order = labels[:$cut].sort(stable=True).indices    # the archive keeps one folder for each digit
x, y = (scans[in_order] / 16).float(), labels[in_order]    #: pixels
in_order = labels[1000:1400].sort(stable=True).indices + 1000
test_x, test_y = (scans[in_order] / 16).float(), labels[in_order]    #: test_pixels
torch.manual_seed($seed)
""", gives="digits classes sorted sorted_test bytes fresh_test",
                     slots={"cut": (300, 400, 500), "features": (64,), "outputs": (10,)})

SENSOR = Part("sensor", """
def readings(count, warm):
    celsius = warm + 5 * torch.randn(count)
    pascal = 101_300 + 800 * torch.randn(count)
    humidity = 30 + 50 * torch.rand(count)
    drift = 0.2 * (celsius - 18) + torch.sin((pascal - 101_300) / 600) - 0.02 * humidity + 3
    columns = torch.stack([celsius, pascal, humidity], dim=1)    #: stack
    return columns, drift + 0.1 * torch.randn(count)

torch.manual_seed($seed)
x, y = readings($cut, warm=18)    #: made
test_x, test_y = readings(200, warm=$warm)
mean, std = x.mean(dim=0), x.std(dim=0)    #: statistics
x = (x - mean) / std    #: normal
test_x = (test_x - mean) / std    #: test_normal
""", gives="sensor numbers mixed normal columns fresh_test",
              slots={"cut": (160, 200), "warm": (21, 22), "features": (3,), "outputs": (1,)})

LAB = Part("lab", """
torch.manual_seed($seed)
voltage = 220 + 12 * torch.randn($all)
load = 60_000 + 9_000 * torch.randn($all)    # in watts
age = 10 * torch.rand($all)
heat = 1.5 * torch.tanh((load - 60_000) / 9_000) + 0.02 * (voltage - 220) * (age - 5) + 2
table = torch.stack([voltage, load, age], dim=1)    #: stack table
x, y = table[:$cut], heat[:$cut] + 0.1 * torch.randn($cut)    #: split_x split_y
test_x, test_y = table[$cut:], heat[$cut:]
low, high = x.min(dim=0).values, x.max(dim=0).values    #: statistics
x = 2 * (x - low) / (high - low) - 1    #: normal
test_x = 2 * (test_x - low) / (high - low) - 1    #: test_normal
""", gives="lab numbers mixed normal columns large",
           slots={"all": (400,), "cut": (160, 200), "features": (3,), "outputs": (1,)})

SWAY = Part("sway", """
torch.manual_seed($seed)
seconds = 20 * torch.arange($all)    # one reading every 20 seconds
sway = torch.sin(seconds / 140) + 0.5 * torch.cos(seconds / 70) + $noise * torch.randn($all)
stamps = 1_700_000_000 + seconds    # as the logger writes them
clock = (stamps - stamps[0]).float() / 140    #: clock
waves = torch.stack([clock.sin(), clock.cos()], dim=1)    #: stack
order = torch.randperm($all)
x, y = waves[order[:$cut]], sway[order[:$cut]]    #: split_x split_y
test_x, test_y = waves[order[$cut:]], sway[order[$cut:]]
""", gives="sway numbers mixed", slots={"all": (400,), "cut": (160, 200), "noise": (0.05, 0.1),
                                        "features": (2,), "outputs": (1,)})

POINTS = Part("points", """
inputs, targets = points()
x, y = torch.tensor(inputs).view(9, 1), torch.tensor(targets)
test_x = torch.linspace(-1, 1, 41).view(41, 1)
test_y = 3 * test_x[:, 0] + 0.5    # the line on which the points lie, but for noise
torch.manual_seed($seed)
""", gives="points numbers small fresh_test mixed", slots={"features": (1,), "outputs": (1,), "cut": (9,)})

DATA = (MOONS, SENSOR, DIGITS, SWAY, TWO_MOONS, LAB, SCANS, POINTS, SORTED_MOONS,
        GAMMA, SORTED_DIGITS)
