"""A picture in HTML: an <img> that carries its SVG, keeps its letters readable, and opens large.

An <img> also shows in a notebook that is not trusted. It shrinks to the page until its smallest
letters have 11 pixels, and then scrolls in a box of its own. A click, or Enter, opens it large:
that is done by an attribute, as JupyterLab runs no <script>. Where attributes are stripped, the
picture only scrolls.
"""
import re
from html import escape
from urllib.parse import quote, unquote

from . import style

MOST_LETTERS = 1200  # of an alternative text: a screen reader can't move about in it
PAGE, NEARLY = 700, 800  # pixels; letters of 11 then have 9.6
SIZE = "max-width:max(100%,{0}px);min-width:{0}px;height:auto"  # a pixel for a point
UNSEEN = re.compile(r' (xml:space|xmlns:xlink|class|id|role|aria-labelledby|font-family|style)'
                    r'="[^"]*"| text-anchor="start"|<desc.*?</desc>', re.DOTALL)
DROPPED = re.compile(r"<!--.*?-->\n?|<title.*?</title>\n?|</g>\n?|<g>\n", re.DOTALL)
DECIMAL = re.compile(r"-?\d+\.\d+")
NUMBERS = re.compile(r'( (?:d|points|x|y)=")([^"]*)')
FILLED_AND_FRAMED = re.compile(r'<polygon fill="(#\w+)" stroke="none" points="([^"]*)"/>\n'
                               r'<polygon fill="none" ([^>]*?) points="\2"')
FONT = (f'<svg font-family="Arial,Helvetica,sans-serif" style="{style.AS_ARIAL}" '
        f'font-size="{style.SMALL_SIZE}" fill="{style.INK}" ')
DEFAULTS = (("\n", " "), ("> <", "><"),
            (f' font-size="{style.SMALL_SIZE}.00"', ""), (f' fill="{style.INK.lower()}">', ">"),
            ('"#ffffff"', '"#fff"'), (".00\"", '"'))
# Without quotation marks ("), which an attribute would have to write in six letters each.
LARGE = """var i=this,t=i.closest('a')||i;t.tabIndex=0;i.style.cursor='zoom-in';
i.title='Click, or press Enter, to see it large';
t.onclick=t.onkeydown=e=>{if(e.key&&e.key!='Enter')return;e.preventDefault();e.stopPropagation();
var d=document.createElement('dialog'),b=new Image;d.ariaLabel='The picture, large';
d.style.cssText='width:100vw;height:100vh;max-width:none;max-height:none;box-sizing:border-box;\
margin:0;border:0;padding:8px;display:flex;flex-direction:column;\
color:var(--jp-ui-font-color0,CanvasText);\
background:var(--jp-layout-color0,Canvas)';
d.innerHTML='<div></div><div tabindex=0 style=flex:1;overflow:auto;cursor:grab></div>';
var v=d.lastChild,fit=()=>Math.min(v.clientWidth,v.clientHeight*i.naturalWidth/i.naturalHeight),
zoom=(k,x=v.clientWidth/2,y=v.clientHeight/2)=>{var w=b.width,l=(v.scrollLeft+x)/w,\
t=(v.scrollTop+y)/w;
w=Math.min(Math.max(w*k,99),i.naturalWidth*9);b.style.width=w+'px';\
v.scrollLeft=l*w-x;v.scrollTop=t*w-y},
all=()=>b.style.width=fit()+'px',act={'+':()=>zoom(1.25),'-':()=>zoom(.8),Fit:all,\
Close:()=>d.close()};
for(let a in act){let n=document.createElement('button');n.textContent=a;n.onclick=act[a];
n.style.cssText='font:inherit;color:inherit;background:none;border:1px solid;border-radius:4px;\
padding:3px 14px;margin:0 8px 8px 0;cursor:pointer';d.firstChild.append(n)}
b.src=i.src;b.alt=i.alt;b.draggable=false;\
b.style.cssText='max-width:none;display:block;margin:auto';v.append(b);
v.onwheel=e=>{var r=v.getBoundingClientRect();e.preventDefault();
zoom(e.deltaY<0?1.1:.9,e.clientX-r.left,e.clientY-r.top)};
v.onpointermove=e=>{if(e.buttons&&e.pointerType=='mouse'){\
v.scrollLeft-=e.movementX;v.scrollTop-=e.movementY}};
d.onkeydown=e=>{e.stopPropagation();(act[e.key=='='?'+':e.key=='0'?'Fit':e.key]||String)()};
d.onclose=()=>{d.remove();t.focus()};
document.body.append(d);d.showModal();v.focus();all()}"""
OPENS = f' onload="{escape(LARGE, quote=False)}"'.replace("\n", "")  # an attribute of an <img>
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
PAPER = "<style>@media print{.mgpicture img{min-width:0!important}}</style>"


def with_twin(svg: str, twin: str, nearly: bool = False, most: int = MOST_LETTERS) -> str:
    """A picture with its alternative text or, if that is long, with a list below it."""
    first, *rest = twin.splitlines()
    alt = " ".join([first, *(line + "." for line in rest)])
    if len(alt) <= most:
        return picture(svg, alt, nearly)
    items = "".join(f"<li>{escape(line)}</li>" for line in rest)
    return (picture(svg, f"{first} The list below the picture says all of it.", nearly)
            + f"<details><summary>The picture in words</summary><ul>{items}</ul></details>")


def picture(svg: str, alt: str, nearly: bool = False) -> str:
    """A picture in its box; it scrolls where it is too wide, and opens large.

    With `nearly`, one that is a little wider than the page of a notebook shrinks to it.
    """
    shown = image(svg, alt, OPENS)
    if nearly and PAGE < (points := round(width(svg))) <= NEARLY:
        shown = shown.replace(f"min-width:{points}px", f"min-width:{PAGE}px", 1)
    return f'<div class="mgpicture" style="overflow-x:auto">{PAPER}{shown}</div>'


def image(svg: str, alt: str, more: str = "") -> str:
    """An <img> that carries its SVG; written with %, which is a quarter shorter than base64."""
    data = quote(svg.replace('"', "'"), safe=" ='/:;,.()+-")
    size = SIZE.format(round(width(svg)))
    return f'<img src="data:image/svg+xml,{data}" alt="{escape(alt)}" style="{size}"{more}>'


def svgs_in(html: str) -> list[str]:
    """The SVG of each picture in a piece of HTML."""
    return [unquote(data).replace("'", '"')
            for data in re.findall(r'src="data:image/svg\+xml,([^"]*)"', html)]


def document(html: str, title: str) -> str:
    """A page of its own, light or dark as the reader's system is."""
    return ('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
            '<meta name="viewport" content="width=device-width">\n'
            '<meta name="color-scheme" content="light dark">\n'
            f'<title>{escape(title)}</title>\n</head>\n<body style="font-family:sans-serif">\n'
            f"<h1>{escape(title)}</h1>\n{html}\n</body>\n</html>\n")


def width(svg: str) -> float:
    """In points."""
    return float(re.findall(r'width="([\d.]+)(?:pt)?"', svg)[0])


def height(svg: str) -> float:
    """In points."""
    return float(re.findall(r'height="([\d.]+)(?:pt)?"', svg)[0])


def slim(text: str) -> str:
    """The same picture without what an <img> never shows, and without defaults."""
    text = DROPPED.sub("", UNSEEN.sub("", text))
    text = NUMBERS.sub(lambda match: match[1] + DECIMAL.sub(
        lambda number: f"{float(number[0]):.1f}".removesuffix(".0"), match[2]), text)
    text = FILLED_AND_FRAMED.sub(r'<polygon fill="\1" \3 points="\2"', text)
    for long, short in DEFAULTS:
        text = text.replace(long, short)
    return text.replace("<svg ", FONT, 1).replace("</svg>", "</g></svg>")
