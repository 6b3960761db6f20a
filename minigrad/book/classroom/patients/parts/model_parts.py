"""Models: each part makes `model`, and defines its class first where it has one."""
from __future__ import annotations

from .part import Part

HIDDEN = {"hidden": (16, 24, 32), "act": ("Tanh", "ReLU")}

MODELS = (
    Part("sequential", """
model = nn.Sequential(    #: model
    nn.Linear($features, $hidden), nn.$act(),    #: hidden
    nn.Linear($hidden, $outputs))    #: output
""", gives="sequential net", slots=HIDDEN),
    Part("deep", """
model = nn.Sequential(nn.Linear($features, $hidden), nn.$act(),    #: model hidden
                      nn.Linear($hidden, $hidden), nn.$act(),
                      nn.Linear($hidden, $outputs))    #: output
""", gives="sequential net deep", slots=HIDDEN),
    Part("dropout", """
keep = $keep    # of the hidden values    #: keep
model = nn.Sequential(
    nn.Linear($features, $wide), nn.ReLU(), nn.Dropout(1 - keep),    #: hidden dropout
    nn.Linear($wide, $outputs))    #: output
""", gives="sequential net dropout modes", avoids="small", slots={"keep": (0.8, 0.75), "wide": (64,)}),
    Part("features", """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear($features, $hidden)
        self.head = nn.Linear($hidden, $outputs)

    def features(self, x):    #: features
        return torch.tanh(self.encoder(x))

    def forward(self, x):
        return self.head(self.features(x))    #: output

model = Net()    #: model
""", gives="class head net", slots=HIDDEN),
    Part("norm", """
model = nn.Sequential(    # running means: 90 % old, 10 % new
    nn.Linear($features, $hidden, bias=False), nn.BatchNorm1d($hidden, momentum=0.1), nn.ReLU(),    #: hidden
    nn.Linear($hidden, $outputs))    #: output
""", gives="sequential net norm modes", avoids="small", slots=HIDDEN),
    Part("encoder", """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear($features, $hidden)
        self.head = nn.Linear($hidden, $outputs)

    def forward(self, x):
        h = torch.tanh(self.encoder(x))    #: h
        return self.head(h)    #: output

model = Net()    #: model
""", gives="class head net", slots=HIDDEN),
    Part("blocks", """
class Blocks(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.first = nn.Linear($features, width)
        self.blocks = nn.ModuleList([nn.Linear(width, width) for _ in range(depth)])    #: blocks
        self.head = nn.Linear(width, $outputs)

    def forward(self, x):
        h = torch.tanh(self.first(x))    #: h
        for block in self.blocks:
            h = torch.tanh(block(h))    #: block
        return self.head(h)    #: output

model = Blocks(width=$narrow, depth=2)    #: model
""", gives="class head net blocks", avoids="small", slots={"narrow": (8, 10)}),
    Part("functional_dropout", """
class Net(nn.Module):
    def __init__(self, drop=$drop):
        super().__init__()
        self.drop = drop
        self.body = nn.Linear($features, 64)
        self.head = nn.Linear(64, $outputs)

    def forward(self, x):
        h = F.relu(self.body(x))    #: h
        h = F.dropout(h, self.drop, training=self.training)    #: f_dropout
        return self.head(h)    #: output

model = Net()    #: model
""", gives="class head net dropout modes", avoids="small", slots={"drop": (0.3, 0.5)}),
    Part("gain", """
class Limited(nn.Module):
    \"\"\"A net whose output is limited, as the amplifier is; it learns the limit and the offset.\"\"\"

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear($features, $hidden), nn.Tanh(), nn.Linear($hidden, 1))
        self.limit = nn.Parameter(torch.tensor(1.))
        self.offset = nn.Parameter(torch.tensor(0.))

    def forward(self, x):
        h = torch.tanh(self.body(x))    #: h
        return self.limit * h + self.offset    #: gain

model = Limited()    #: model
""", gives="class gain net", needs="numbers", slots=HIDDEN),
    Part("norm_class", """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear($features, $hidden, bias=False)
        self.norm = nn.BatchNorm1d($hidden, momentum=0.1)    # 90 % old    #: norm
        self.head = nn.Linear($hidden, $outputs)

    def forward(self, x):
        h = torch.relu(self.norm(self.body(x)))    #: h
        return self.head(h)    #: output

model = Net()    #: model
""", gives="class head net norm modes", avoids="small", slots=HIDDEN),
)
