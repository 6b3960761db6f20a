import copy
import torch
from torch import nn


class MeanTeacher:
    def __init__(self, student, decay=0.95):
        self.student, self.decay = student, decay
        self.teacher = copy.deepcopy(student)

    def step(self, optimizer, clean, noisy):
        with torch.no_grad():
            target = torch.softmax(self.teacher(clean), dim=1)
        loss = (torch.softmax(self.student(noisy), dim=1) - target).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        for t, s in zip(self.teacher.parameters(), self.student.parameters()):
            t.data.lerp_(s.data, 1 - self.decay)


torch.manual_seed(0)
student = nn.Linear(6, 3)
learner = MeanTeacher(student)
optimizer = torch.optim.Adam(student.parameters(), lr=1e-2)
for _ in range(4):
    clean = torch.randn(8, 6)
    learner.step(optimizer, clean, clean + 0.1 * torch.randn(8, 6))
