"""Make the pictures of the README, and the pictures and outputs of minigrad/viz/README.md.

    .venv/bin/python pictures/make.py

error.svg is what `explain()` says of the first program of the README, which ends in an error. player.svg
shows the frames of `play` in turn, or the last one alone to a reader who has asked for no motion. The
pictures of minigrad.viz come from the examples on its page: each is run, and its last value becomes the
picture, and the text, that follow it.
"""
import ast
import linecache
import re
from html import escape
from pathlib import Path
from textwrap import wrap

import minigrad as torch
from minigrad import viz
from minigrad.viz import play
from minigrad.viz.watching import run_page

README = Path(__file__).parents[1] / "README.md"
FIRST = re.compile(r"```python\n(?P<code>.*?)```", re.DOTALL)
PAGE = Path(__file__).parents[1] / "minigrad" / "viz" / "README.md"
EXAMPLE = re.compile(r"```python\n(?P<code>(?:(?!```).)*)```\n\n"
                     r"!\[[^]]*\]\(../../pictures/(?P<picture>[^)]*)\)"
                     r"(?:\n\n```text\n(?P<text>.*?)```)?", re.DOTALL)
# Where the words end, and the picture in words or the table of a run begins.
TWIN = re.compile("^(?:Graph behind|What changed|The parameters, the worst first)", re.MULTILINE)
SECONDS = 4         # for each frame
FONT, LINE = 15, 20  # of the words below it, in pixels
COLUMNS = (0, 250, 350, 450, 620)   # of the table of a run, in pixels


def made():
    """Return the pictures as {name: SVG}."""
    a = torch.tensor(2., requires_grad=True)
    b = torch.tensor(3., requires_grad=True)
    c = a + b
    d = a * b
    y = c * d
    names = {"a": a, "b": b, "c": c, "d": d, "y": y}
    code = FIRST.search(README.read_text(encoding="utf-8"))["code"]
    return {"error.svg": told(explained(code)), "player.svg": film(play(y, names=names))}


def explained(code):
    """Run a program that ends in an error, and return what `explain` says of it."""
    try:
        run(code, "twice.py", {})
    except RuntimeError as error:
        return viz.explain(error)
    raise ValueError("the first program of README.md raises no error")


def told(explanation):
    """Return one SVG that shows an explanation: its sentences, its picture, and the fixes with prices."""
    width, height = size_of(explanation.plain.svg)
    above = lines_of(explanation.sentences)
    below = lines_of(line for at, fix in enumerate(explanation.fixes, 1)
                     for line in (f"Fix {at}: {fix.words}", f"Price: {fix.price}"))
    top = LINE * (len(above) + 0.5)
    whole = top + height + LINE * (len(below) + 1)
    width = max(width, 900)
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {whole:.0f}" role="img">',
        f"<title>{escape(explanation.title, quote=False)}</title>",
        f'<rect width="{width:.0f}" height="{whole:.0f}" fill="#fff"/>',
        f'<g font-size="{FONT}" font-family="Arial,Helvetica,sans-serif">',
        *texts(above, 0), f'<g transform="translate(0 {top:.0f})">{explanation.plain.svg.strip()}</g>',
        *texts(below, top + height), "</g></svg>"]) + "\n"


def lines_of(paragraphs):
    """Return paragraphs as lines that fit below a picture, without the marks of code."""
    return [line for one in paragraphs for line in wrap(one.replace("`", ""), 125)]


def texts(lines, top):
    return [f'<text x="8" y="{top + LINE * at:.0f}">{escape(line, quote=False)}</text>'
            for at, line in enumerate(lines, 1)]


def size_of(svg):
    """Return the width and the height of a picture in pixels."""
    size = re.match(r'<svg[^>]* width="([\d.]+)pt" height="([\d.]+)pt"', svg).groups()
    return [float(points) * 4 / 3 for points in size]


def documented(torch=torch):
    """Run the examples of minigrad.viz's page; return the page with their outputs, and {name: SVG}."""
    pictures = {}

    def shown(example):
        value = result(example["code"], example["picture"], torch)
        pictures[example["picture"]] = (film(value) if isinstance(value, viz.Player) else
                                        page_of(value) if isinstance(value, viz.watch) else value.svg)
        if example["text"] is None:
            return example[0]
        words = TWIN.split(value.text)[0].splitlines()
        whole = "\n".join(line for one in words for line in wrap(one, 118, subsequent_indent="    "))
        return f"{example[0].rpartition('```text')[0]}```text\n{whole}\n```"

    return EXAMPLE.sub(shown, PAGE.read_text(encoding="utf-8")), pictures


def result(code, picture, torch):
    """Run an example as a program of its own, whose text can be looked up; return its last value."""
    names = {"torch": torch, **{name: getattr(viz, name) for name in viz.__all__}}
    return run(code, f"{Path(picture).stem}.py", names)


def run(code, file, names):
    """Run a program under the name of a file; return the value of its last line."""
    linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
    tree = ast.parse(code)
    last = tree.body.pop()
    exec(compile(tree, file, "exec"), names)
    return eval(compile(ast.Expression(last.value), file, "eval"), names)


def page_of(run):
    """Return one SVG that shows the page of a run: what was found, the modules, and the table beside them."""
    for call in run.calls:
        call.seconds = 0    # the time differs from run to run
    picture = run.modules().svg
    width, height = size_of(picture)
    found = lines_of(line.strip() for line in TWIN.split(run.text)[0].splitlines())
    top, left = LINE * (len(found) + 1), width + 40
    rows = [run_page.HEAD, *map(run_page.cells, run.rows)]
    table = [f'<text x="{left + at:.0f}" y="{top + LINE * (row + 2)}" font-weight="{weight}">'
             f"{escape(word, quote=False)}</text>" for row, cells in enumerate(rows)
             for weight in ["normal" if row else "bold"] for at, word in zip(COLUMNS, cells)]
    whole, across = top + max(height, LINE * (len(rows) + 2)), left + COLUMNS[-1] + 160
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across:.0f} {whole:.0f}" role="img">',
        "<title>The page of a training step</title>",
        f'<rect width="{across:.0f}" height="{whole:.0f}" fill="#fff"/>',
        f'<g font-size="{FONT}" font-family="Arial,Helvetica,sans-serif">', *texts(found, 4),
        f'<g transform="translate(0 {top})">{picture.strip()}</g>', *table, "</g></svg>"]) + "\n"


def film(player):
    """Return one SVG that shows the frames of a player in turn, each with its words."""
    width, height = size_of(player.svgs[0])
    words = [wrap(frame.text, 125) for frame in player.frames]
    whole = height + LINE * (max(map(len, words)) + 1)
    share, seconds = 100 / len(words), SECONDS * len(words)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {whole:.0f}" role="img">',
        "<title>A backward pass, one node after the other</title><style>",
        f".frame {{ visibility: hidden; animation: turn {seconds}s step-end infinite }}",
        f"@keyframes turn {{ 0% {{ visibility: visible }} {share:.4f}% {{ visibility: hidden }} }}",
        "@media (prefers-reduced-motion: reduce) { .frame { animation: none }",
        "  .frame:last-of-type { visibility: visible } }",
        f'</style><rect width="{width:.0f}" height="{whole:.0f}" fill="#fff"/>',
    ]
    for at, (svg, said) in enumerate(zip(player.svgs, words, strict=True)):
        lines.append(f'<g class="frame" style="animation-delay: {SECONDS * at}s" font-size="{FONT}" '
                     f'font-family="Arial,Helvetica,sans-serif">{svg.strip()}')
        lines += [*texts(said, height), "</g>"]
    return "\n".join([*lines, "</svg>"]) + "\n"


if __name__ == "__main__":
    run_page, pictures = documented()
    PAGE.write_bytes(run_page.encode("utf-8"))
    for name, svg in {**made(), **pictures}.items():
        path = Path(__file__).parent / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(svg.encode("utf-8"))
        print(f"pictures/{name}: {len(svg):,} bytes")
