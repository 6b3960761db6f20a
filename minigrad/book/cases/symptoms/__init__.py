"""Symptoms without a message, one page each: what to measure first, and programs of the causes."""
from __future__ import annotations

from .flat import FLAT
from .symptom import Symptom

SYMPTOMS: tuple[Symptom, ...] = (FLAT,)
