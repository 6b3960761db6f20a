"""The player as plain HTML: pictures, a slider and two buttons, in one piece of text.

All behaviour is in attributes. Where a viewer strips them (a notebook that is not trusted), or with
scripts off, all frames show one below the other, without buttons: these are hidden until the style
sheet, which such a viewer strips as well, shows them. On paper the key frames make a strip.
"""
from __future__ import annotations

import re
from collections.abc import Sequence

from ..drawing.image import SIZE, image, width
from ..drawing.style import MARKS
from ..drawing.text_twin import escaped
from .frames import Frame

WORDS = "|".join(re.escape(MARKS[mark].word) for mark in ("here", "guilty"))
NOW = re.compile(rf'<text x="([\d.]+)"[^>]*>(?:{WORDS})<')
SCROLL = ' onload="var w=this.parentNode;w.scrollLeft=({:.2f}-1)*w.scrollWidth+w.clientWidth/2"'
PAGE, NEARLY = 660, 830  # points: a picture a little wider than a notebook's page shrinks to it
STYLE = """
.mgplay>div{display:block!important}
.mgplay button{font:inherit;color:inherit;background:none;border:1px solid currentColor;\
border-radius:4px;padding:.1em .5em;margin:.1em .3em .1em 0;cursor:pointer}
.mgplay button:focus-visible,.mgplay input:focus-visible{\
outline:3px solid #E69F00;outline-offset:2px}
.mgplay input{width:16em;max-width:100%;vertical-align:middle}
.mgplay figure{margin:.5em 0}
.mgplay figure[hidden]{display:none}
@media print{.mgplay>div,.mgplay figure:not(.mgkey){display:none!important}
.mgplay figure.mgkey{display:block!important;break-inside:avoid;font-size:.8em}
.mgplay img{min-width:0!important;max-width:100%!important}}
"""
SHOW = ("var p=this.closest('.mgplay'),i=+this.value,"
        "s=p.querySelector('figure:not([hidden])').firstChild.scrollLeft;"
        "p.querySelectorAll('figure').forEach((f,n)=>{f.hidden=n!=i;"
        "var w=f.firstChild,m=w.firstChild;if(n==i)m.onload?m.onload():w.scrollLeft=s});"
        "this.setAttribute('aria-valuetext',p.querySelectorAll('figcaption')[i].textContent)")
MOVE = "var r=this.closest('.mgplay').querySelector('input');r.value=+r.value+({});r.oninput()"
# The slider knows the arrow keys itself; from everywhere else in the player they do the same. The
# notebook around it must not see the keys, or it would move to another cell.
KEYS = ("if(event.ctrlKey||event.metaKey||event.altKey||event.shiftKey)return;"
        "event.stopPropagation();"
        "if(event.target.parentNode.tagName=='FIGURE')return;"  # a wide picture scrolls by keys
        "var r=this.querySelector('input'),d={ArrowLeft:-1,ArrowRight:1,Home:-r.max,"
        "End:+r.max}[event.key];if(d&&event.target!=r){r.value=+r.value+d;r.oninput();"
        "event.preventDefault()}")


def page(frames: Sequence[Frame], svgs: Sequence[str], title: str) -> str:
    """The player of these frames; each is drawn once, and told once."""
    return "\n".join([
        f'<div class="mgplay" role="group" aria-label="{escaped(title)}" '
        f'onkeydown="{escaped(KEYS)}">',
        f"<style>{STYLE}</style>",
        "<noscript><style>.mgplay figure[hidden]{display:block}"
        ".mgplay>div{display:none!important}</style></noscript>",
        '<div style="display:none">',
        _button("\N{BLACK LEFT-POINTING TRIANGLE} Back", MOVE.format(-1)),
        f'<input type="range" min="0" max="{len(frames) - 1}" value="0" aria-label="Step" '
        f'oninput="{escaped(SHOW)}">',
        _button("Forward \N{BLACK RIGHT-POINTING TRIANGLE}", MOVE.format(1)),
        "</div>",
        *(figure(at, frame, svg) for at, (frame, svg) in enumerate(zip(frames, svgs))),
        "</div>",
    ])


def _button(words: str, action: str) -> str:
    return f'<button type="button" onclick="{escaped(action)}">{words}</button>'


def figure(at: int, frame: Frame, svg: str) -> str:
    """A frame and its words; all but the first are hidden."""
    key = ' class="mgkey"' if frame.key else ""
    return (f'<figure{key}{" hidden" if at else ""}>{placed(svg, frame.picture.title)}'
            f'<figcaption>{escaped(frame.text)}</figcaption></figure>')


def placed(svg: str, alt: str) -> str:
    """A picture in its box, scrolled to the node that runs, or else to the right."""
    now = NOW.search(svg)
    more = SCROLL.format(float(now[1]) / width(svg)) if now else ""
    shown = image(svg, alt, more)
    if PAGE < width(svg) <= NEARLY:
        shown = shown.replace(SIZE.format(round(width(svg))),
                              f"max-width:100%;min-width:{PAGE}px;height:auto")
    return f'<div style="overflow-x:auto;direction:rtl">{shown}</div>'
