# the line that chooses a device, where there is no GPU
import torch

print(torch.cuda.is_available())
print(torch.zeros(2).to(torch.device("cuda" if torch.cuda.is_available() else "cpu")))
