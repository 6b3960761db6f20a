"""What a program computes, records and raises, as PyTorch does."""
