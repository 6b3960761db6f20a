"""start.py, other systems, input that does harm, faults, and the rules of the house."""
