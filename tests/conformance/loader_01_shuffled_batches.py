# the batches of a data loader that shuffles
import torch

torch.manual_seed(0)
data = torch.utils.data.TensorDataset(torch.arange(10.), torch.arange(10))
loader = torch.utils.data.DataLoader(
    data, batch_size=3, shuffle=True, num_workers=0, pin_memory=False, drop_last=True)
print(len(loader), loader.num_workers, loader.pin_memory, loader.drop_last)
for x, y in loader:
    print(x, y)
print(torch.rand(1))
