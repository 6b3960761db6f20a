# A program of before 2017 that sets volatile before it has read it; and a method that is replaced.
import warnings
import torch

x = torch.ones(2)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    x.volatile = True
    print(x.volatile)
for item in caught:
    print(item.category.__name__ + ":", str(item.message).split(" (Trig")[0])
x.repeat = 3
print(x.repeat, torch.ones(1).repeat(2))
