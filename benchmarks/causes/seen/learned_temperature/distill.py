import torch
from torch import nn
import torch.nn.functional as F


class Student(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
        self.temperature = nn.Parameter(torch.tensor(2.0))

    def forward(self, x):
        return self.net(x) / float(self.temperature)


torch.manual_seed(0)
student = Student()
teacher_logits = torch.randn(12, 4)
x = torch.randn(12, 8)
optimizer = torch.optim.AdamW(student.parameters(), lr=1e-2)
for epoch in range(3):
    optimizer.zero_grad()
    log_p = F.log_softmax(student(x), dim=1)
    loss = -(F.softmax(teacher_logits, dim=1) * log_p).sum(1).mean()
    loss.backward()
    optimizer.step()
