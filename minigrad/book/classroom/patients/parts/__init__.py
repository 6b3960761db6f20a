"""The parts that scripts are made of: data, models, losses, optimizers, loops, extras and endings."""
