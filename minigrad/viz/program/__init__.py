"""What the program around a tensor tells: its variables, its text, and its cuts."""
