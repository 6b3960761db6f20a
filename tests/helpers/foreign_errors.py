"""What somebody may look for that the book has no page about."""

FOREIGN = [
    "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 7.79 GiB total capacity)",
    "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0!",
    "RuntimeError: Expected to have finished reduction in the prior iteration before starting a new one. "
    "This error indicates that your module has parameters that were not used in producing loss. You can "
    "enable unused parameter detection by passing find_unused_parameters=True to DistributedDataParallel",
    "AttributeError: module 'torch' has no attribute 'compile'",
    "torchvision transforms",
]
