"""The pages of test_hostile_pages.py: every payload in every place where a text enters a page."""
import contextlib
import json
import warnings
from urllib.parse import quote

import minigrad as torch
from minigrad.book.build import report, votes
from minigrad.book.build.reader import chapter_body, shown_outputs, site
from minigrad.book.classroom import lab, verdict
from minigrad.book.classroom.curves import as_html
from minigrad.viz import diff, draw, explain, play, watch
from minigrad.viz.drawing import image
from minigrad.viz.drawing.explanation import Explanation, Fix

RUN = "window.__pwned=1;console.log(`pwned`)"
AWAY = "http://pwned.test/"
ELEMENTS = r'''
<script>RUN</script>
<img src=x onerror=RUN>
<svg onload=RUN>
<svg><animate onbegin=RUN attributeName=x dur=1s>
<svg><script>RUN</script></svg>
<svg><a href=javascript:RUN><text y=20>x</text></a></svg>
<svg><use href="data:image/svg+xml,<svg id='x' onload='RUN'/>#x"/></svg>
<svg><foreignObject><img src=x onerror=RUN></foreignObject></svg>
<svg><set attributeName=href to=javascript:RUN /></svg>
<a href=javascript:RUN>x</a>
<a href=' &#1;java&#10;script:RUN'>x</a>
<iframe srcdoc='<script>parent.RUN</script>'></iframe>
<iframe src=javascript:parent.RUN></iframe>
<details open ontoggle=RUN><summary>x</summary></details>
<input autofocus onfocus=RUN>
<b onmouseover=RUN onclick=RUN tabindex=0 onfocus=RUN>x</b>
<body onload=RUN>
<video><source onerror=RUN></video>
<object data='data:text/html,<script>RUN</script>'></object>
<form action=javascript:RUN><button>x</button></form>
<button formaction=javascript:RUN form=f>x</button>
<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=x onerror=RUN&gt;'>
<noscript><p title='</noscript><img src=x onerror=RUN>'>
<template><script>RUN</script></template>
<style>@import 'AWAYa.css';*{background:url(AWAYb.png)}</style>
<p style='background:url(AWAYc)'>x</p>
<link rel=stylesheet href=AWAYd.css>
<base href=AWAY>
<meta http-equiv=refresh content='0;url=AWAYe'>
<img src=AWAYf.png>
<img srcset=AWAYg.png>
<iframe src=AWAYh></iframe>
<marquee onstart=RUN>x</marquee>
<scr<script>ipt>RUN</scr</script>ipt>
'''
BREAKS = r'''
"><img src=x onerror=RUN>
'><img src=x onerror=RUN>
--><img src=x onerror=RUN>
]]><img src=x onerror=RUN>
</title><img src=x onerror=RUN>
</style><img src=x onerror=RUN>
</textarea><img src=x onerror=RUN>
</script><img src=x onerror=RUN>
`<img src=x onerror=RUN>
</svg><img src=x onerror=RUN>
&quot;><img src=x onerror=RUN>
" onmouseover="RUN" x="
' onmouseover='RUN' x='
" onload="RUN
&lt;script&gt;RUN&lt;/script&gt;
&#60;script>RUN&#60;/script>
'''
MARKUP = r'''
[x](javascript:RUN)
![x](AWAYi.png)
`<img src=x onerror=RUN>`
**<img src=x onerror=RUN>**
$\href{javascript:RUN}{x}$
x{onclick=RUN}
'''
DOT = r'''
"]; evil [URL="javascript:RUN" label="x
<<table href='javascript:RUN'><tr><td>x</td></tr></table>>
\N\G\L" URL="javascript:RUN" tooltip="x
<<IMG SRC='/etc/passwd'/>>
}; digraph { a -> b }
\
\"
>
<
</td></tr></table>><a href='javascript:RUN'>
&
&amp;#x3c;script&amp;#x3e;
'''
SEVERAL_LINES = [
    "```{=html}\n<script>RUN</script>\n```", "[x]: javascript:RUN\n\n[x]", "a\nb\r\tc\x1b[31m\u202e",
    "<a href=\"javascript:RUN\" title='x'>\n\n*x*\n</a>", "| <img src=x onerror=RUN> |\n|-|\n| y |",
    "\0><img src=x onerror=RUN>", "\ufeff<script>RUN</script>"]
PAYLOADS = [line.replace("RUN", RUN).replace("AWAY", AWAY) for line in [
    *(ELEMENTS + BREAKS + MARKUP + DOT).split("\n"), *SEVERAL_LINES] if line]
SVG = '<svg width="9pt" height="9pt" xmlns="http://www.w3.org/2000/svg">'


def batches(size=12):
    return [PAYLOADS[at:at + size] for at in range(0, len(PAYLOADS), size)]


def graphs():
    """Graphs whose leaves and results have hostile names."""
    for batch in batches():
        leaves = {name: torch.tensor(2.0, requires_grad=True) for name in batch}
        results = {name + " ": leaf * 2 for name, leaf in leaves.items()}
        yield batch, {**leaves, **results}, sum(results.values())


def pictures():
    """What draw, diff, play and explain show of them: (kind, renderings, a piece of HTML, or a page)."""
    for batch, names, y in graphs():
        count = len(batch)
        shown = draw(y, names=names, caption=batch[0], max_nodes=None)
        yield "draw", 2 * count, shown.html
        yield "draw, inline", 2 * count, shown.svg
        yield "draw().save", 2 * count, image.document(shown.html, batch[0])
        yield "draw, maths", 2 * count, draw(y, names=names, view="maths", max_nodes=None).html
        yield "diff", count, diff(y, next(iter(names.values())).exp(), names=names, max_nodes=None).html
        player = play(y, names=names, max_nodes=8, retain_graph=True)
        yield "play", count, image.document(player.html, batch[-1])
        yield "frames", count, player.svgs[0]


def runs():
    """The page of a run whose modules and optimizers have hostile names."""
    for batch in batches(6):
        model = torch.nn.Sequential(torch.nn.Linear(2, 2))
        for name in batch:
            model._modules[name.replace(".", "")] = torch.nn.Linear(2, 2)
        optimizer = torch.optim.SGD(model[0].parameters(), lr=0.1)
        with watch({batch[0]: model}, {batch[-1]: optimizer}) as run:
            model(torch.ones(1, 2)).sum().backward()
            optimizer.step()
        yield "run", len(batch), run.forms()[".html"]()


def sentences():
    """Explanations, verdicts, labs, plots and pages' titles."""
    for text in PAYLOADS:
        yield "explain", 4, Explanation("x", text, [text], [Fix(text, text)], None).html
        yield "verdict", 3, verdict.as_html(verdict.NOTE, text, text, word=text)
        yield "lab", 2, lab.Lab(text, lambda state, text=text: ("", text), {}, {}, [{}]).strip()[1]
        yield "plot", 1, as_html("", text)
    for batch in batches():
        yield "title", 2 * len(batch), image.document("", " ".join(batch))
    for text in PAYLOADS:
        with contextlib.suppress(SyntaxError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program = "y = (torch.ones(1, requires_grad=True) ** 2).sum()\ny.backward()\ny.backward()  # "
            try:
                exec(compile(program + repr(text), f"<{text!r}>", "exec"), {"torch": torch})
            except RuntimeError as error:
                yield "explain an error", 1, explain(error).html


def cell(kind, **more):
    return {"cell_type": kind, "id": "x", "metadata": {}, "source": "", **more}


def reader(folder):
    """A chapter whose cells hold each payload in each of their places, as the reader's pages."""
    cells = []
    for text in PAYLOADS:
        lookalike = image.picture(f'{SVG}{text}</svg>', "x").replace('alt="x"', f'alt="{text}"')
        more = [{"text/html": text, "text/plain": text}, {"text/plain": text}, {"image/svg+xml": SVG + text},
                {"text/html": lookalike, "text/plain": text}, {"text/html": f"<p>a</p>{lookalike}"},
                {"text/markdown": text, "text/latex": text, "application/javascript": text, text: text}]
        made = [{"output_type": "display_data", "data": data, "metadata": {text: text}} for data in more]
        made += [{"output_type": "stream", "name": "stdout", "text": text},
                 {"output_type": "error", "ename": text, "evalue": text, "traceback": [text]}]
        cells += [cell("markdown", source=text, attachments={text: {"image/png": text}}),
                  cell("code", id=text, source=text, metadata={"tags": [text], text: text}, outputs=made)]
    notebook = {"cells": cells, "metadata": {"title": PAYLOADS[0]}}
    at = 2 * len(batches()[0])
    for start in range(0, len(cells), at):
        part = {**notebook, "cells": cells[start:start + at]}
        body = chapter_body.body(part, 3, [3], shown_outputs.Pictures(folder))
        whole = site.page("x.html", cells[start]["source"], body, aside=site.contents(body))
        yield "reader", 11 * at // 2, whole
    for path in sorted((folder / "pictures").glob("*.svg")):
        yield "reader's pictures", 1, path.read_text(encoding="utf-8")


def papers(folder):
    """Slides, and the report of hostile files."""
    for text in PAYLOADS:
        yield "slides", 2, votes.as_html(text) + votes.as_code_html(text)
    home = folder / "handed in"
    for at, text in enumerate(PAYLOADS):
        name = text.replace("/", "\u2044").replace("\0", "0")[:200]
        (home / str(at)).mkdir(parents=True)
        answers = json.dumps({"predictions": {text: {"choice": text}}})
        (home / str(at) / f"{name}.json").write_text(answers, "utf-8")
    (home / "progress.json").write_text('{"predictions": {"6.1": {"choice": "A"}}}', "utf-8")
    yield "report", 2 * len(PAYLOADS), report.as_html(report.gather(home))


def write(folder):
    """Write the pages into a folder; return {name: (the kind of its renderings, how many it holds)}."""
    made, pieces = {}, {}
    scratch = folder / "made"
    scratch.mkdir()
    for source in (pictures(), runs(), sentences(), reader(scratch), papers(scratch)):
        for kind, count, html in source:
            if html.lstrip().lower().startswith("<!doctype") or kind == "reader's pictures":
                ending = "svg" if kind == "reader's pictures" else "html"
                name = f"{len(made):03}.{ending}"
                (folder / name).write_text(html, encoding="utf-8")
                made[name] = kind, count
            else:
                pieces.setdefault(kind, []).append((count, html))
    for kind, found in pieces.items():  # as a trusted notebook puts them into its page
        name = f"{quote(kind)}.html"
        (folder / name).write_text("<!DOCTYPE html><meta charset=utf-8>" + "\n<hr>\n".join(
            html for _, html in found), encoding="utf-8")
        made[name] = kind, sum(count for count, _ in found)
    for at, text in enumerate(PAYLOADS[:36:3]):
        (folder / f"raw-{at}.html").write_text(f"<!DOCTYPE html><meta charset=utf-8><p>{text}", "utf-8")
    return made
