"""Symptoms without a message, one page each: what to measure first, and programs of the causes."""
from __future__ import annotations

from .added import ADDED
from .bad_test import BAD_TEST
from .different import DIFFERENT
from .flat import FLAT
from .jumps import JUMPS
from .nan import NAN
from .one_weight import ONE_WEIGHT
from .slower import SLOWER
from .symptom import Symptom

SYMPTOMS: tuple[Symptom, ...] = (FLAT, ONE_WEIGHT, NAN, BAD_TEST, ADDED, SLOWER, DIFFERENT, JUMPS)
