# set_default_tensor_type
import torch


def attempt(function):
    try:
        print(function())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")

torch.set_default_tensor_type(torch.DoubleTensor)
print(torch.tensor(1.).dtype, torch.zeros(1).dtype)
torch.set_default_tensor_type("torch.FloatTensor")
print(torch.tensor(1.).dtype)
attempt(lambda: torch.set_default_tensor_type(torch.LongTensor))
attempt(lambda: torch.set_default_tensor_type(torch.float64))
print(torch.get_default_dtype())
