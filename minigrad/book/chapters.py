"""`content.chapters` under its former name, which programs outside of this package import."""
from .content.chapters import CHAPTERS, exercise, note, notes, of, question

__all__ = ["CHAPTERS", "exercise", "note", "notes", "of", "question"]
