"""`watch()`: what is written down while a program runs."""
