"""Make HTML and SVG of a chapter inert: no script runs but minigrad's own, and no address is asked.

A chapter may be a colleague's, and its outputs may hold anything. Elements and attributes that could do harm
are left out here. The policy in the head of each page is a second wall: a browser runs no other script.
"""
from __future__ import annotations

import re
from html import unescape
from xml.etree import ElementTree

import bleach
from bleach.css_sanitizer import CSSSanitizer

from ....viz.drawing.image import OPENS
from ....viz.drawing.style import AS_ARIAL
from ....viz.player.player_page import KEYS, MOVE, SCROLL, SHOW

TAGS = frozenset("""a b blockquote br button caption code dd del details div dl dt em figcaption figure
h1 h2 h3 h4 h5 h6 hr i img input li ol p pre s small span strong sub summary sup table tbody td tfoot th thead
tr u ul
annotation math mfrac mi mn mo mover mroot mrow mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr
munder munderover semantics""".split())
ATTRIBUTES = frozenset("""accent alt aria-label class colspan columnalign display encoding height hidden href
id max min open role rowspan scope separator src start stretchy style title type value width xmlns""".split())
VALUES = {"href": re.compile(r"https?://.*|#.*|[\w.-]+\.html(?:#.*)?"), "type": re.compile("button|range|1"),
          "src": re.compile("data:image/(?:png|jpeg|svg).*", re.DOTALL)}
STYLES = CSSSanitizer(allowed_css_properties="""background-color border border-collapse border-radius color
direction display font-family font-size font-style font-weight height line-height margin max-width min-width
overflow-x padding text-align vertical-align white-space width""".split())
NOT_WORDS = re.compile(r"<(noscript|script|style)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
HANDLER = re.compile(r' on\w+="([^"]*)"')
OURS = {unescape(HANDLER.search(OPENS)[1]), KEYS, SHOW, MOVE.format(-1), MOVE.format(1)}
SCROLLS = re.compile(re.escape(HANDLER.search(SCROLL)[1]).replace(re.escape("{:.2f}"), r"\d+\.\d\d"))
DRAWN = frozenset("desc ellipse g path polygon polyline rect svg text title".split())
SIZED = re.compile(r'<svg [^>]*\bwidth="[\d.]+pt" height="[\d.]+pt"')


def inert(html: str) -> str:
    """Return HTML without what could run or ask; pictures stay if they are in the page itself."""
    return bleach.clean(NOT_WORDS.sub("", html), tags=TAGS, attributes=allowed, css_sanitizer=STYLES,
                        protocols=("data", "http", "https"), strip=True)


def allowed(tag: str, name: str, value: str) -> bool:
    if name.startswith("on"):
        return is_ours(unescape(value))
    return name in ATTRIBUTES and (name not in VALUES or bool(VALUES[name].fullmatch(value)))


def is_ours(script: str) -> bool:
    return script in OURS or bool(SCROLLS.fullmatch(script))


def scripts_in(html: str) -> list[str]:
    """Return the scripts of minigrad in a page, for its policy."""
    return sorted(filter(is_ours, {unescape(script) for script in HANDLER.findall(html)}))


def only_draws(svg: str) -> bool:
    """Return whether it may be a file, which a browser opens as a page: shapes and letters alone."""
    if not SIZED.match(svg):
        return False
    try:
        parts = list(ElementTree.fromstring(svg).iter())
    except ElementTree.ParseError:
        return False
    return all(part.tag.rpartition("}")[2] in DRAWN and not any(
        name.startswith("on") or name.endswith(("href", "style")) and value != AS_ARIAL or "url(" in value
        for name, value in part.attrib.items()) for part in parts)
