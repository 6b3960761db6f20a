"""Chapter 5: its questions and exercises."""
from __future__ import annotations

QUESTIONS = ()
EXERCISES = ()
