"""Hostile names, notebooks and files run nothing in the pages that are made of them, in a real browser.

hostile_pages.py puts some eighty payloads (elements, attributes, markdown, DOT) wherever a text enters a
picture, a player, an explanation, a verdict, the reader, a slide or the report. Each page is
opened without a network, and without its own policy, which is only the second wall. Then everything in it is
hovered, focused, clicked, changed and opened. A dialog, a mark in the page or in the console, a way to
another page, and a request to any address are an execution, and none may happen. Where the same payloads are
not escaped, most of them run, so the check can see one.
"""
import pytest

from tests.browser import Error, hostile_pages

TOUCH = """async () => {
    for (const one of document.querySelectorAll('*')) {
        if (one.tagName === 'DETAILS') one.open = true;
        const link = String(one.href?.baseVal ?? one.href ?? one.action ?? '');
        const runs = /^\\s*javascript:/i.test(link), leads = one.closest('a, form, label');
        if (runs) one.dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}));
        for (const name of ['pointerover', 'mouseover', 'focus', 'click', 'input', 'toggle', 'keydown'])
            if (!leads || name !== 'click') one.dispatchEvent(new Event(name, {cancelable: true}));
    }
    document.querySelectorAll('dialog').forEach(one => one.remove());
    await new Promise(done => setTimeout(done, 60));
}"""
PWNED = "() => window.__pwned || document.querySelector('iframe, object, embed, base') ? 1 : 0"


@pytest.fixture(scope="module")
def made(browser, tmp_path_factory):
    """(the folder of the pages, {name: (the kind of its renderings, how many it holds)})"""
    folder = tmp_path_factory.mktemp("hostile")
    return folder, hostile_pages.write(folder)


@pytest.fixture
def window(browser):
    window = Watched(browser)
    yield window
    window.page.context.close()


def test_nothing_is_executed(window, made):
    folder, pages = made
    assert sum(count for _, count in pages.values()) > 3000
    executed = {(kind, name): window.executions(folder / name) for name, (kind, _) in pages.items()}
    assert {page: found for page, found in executed.items() if found} == {}


def test_what_is_not_escaped_is_executed_and_seen(window, made):
    raw = [bool(window.executions(page)) for page in sorted(made[0].glob("raw-*.html"))]
    assert sum(raw) > len(raw) / 2, f"of {len(raw)} payloads that were not escaped, {sum(raw)} were caught"


class Watched:
    """A window of the browser, and what happened in it that should not have."""

    def __init__(self, browser):
        context = browser.new_context(offline=True, bypass_csp=True)
        context.route(lambda url: not url.startswith(("file:", "data:", "blob:")),
                      lambda route: (self.found.append(f"asked for {route.request.url}"), route.abort()))
        self.page, self.found, self.address = context.new_page(), [], ""
        self.page.on("dialog", lambda dialog: (self.found.append("a dialog"), dialog.dismiss()))
        self.page.on("console", lambda message: self.found.append(f"ran: {message.text}")
                     if message.text == "pwned" else None)
        self.page.on("framenavigated", lambda frame: self.found.append(f"led to {frame.url[:80]}")
                     if frame.url.partition("#")[0] not in (self.address, "about:blank") else None)

    def executions(self, file):
        self.found.clear()
        self.address = file.as_uri()
        try:
            self.page.goto(self.address, wait_until="domcontentloaded")
            self.page.evaluate(TOUCH)
            if self.page.evaluate(PWNED):
                self.found.append("the mark, or an element that loads something")
        except Error as error:  # the page has led away
            self.found.append(str(error).partition("\n")[0])
        return list(dict.fromkeys(self.found))
