"""The question sheets of the chapters, each made once for all tests; a test must not change them."""
from functools import cache

from minigrad.book.build import sheets

sheet = cache(sheets.sheet)
