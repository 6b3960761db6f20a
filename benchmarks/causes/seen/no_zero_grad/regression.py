import torch

torch.manual_seed(0)
x = torch.randn(50, 3)
y = x @ torch.tensor([[1.0], [2.0], [-1.0]]) + 0.5
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(10):
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    if epoch % 5 == 0:
        print(epoch, loss.item())
