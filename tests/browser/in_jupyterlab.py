"""A notebook that is open in JupyterLab, for the tests that look at one."""
from urllib.parse import quote

# Then a page has the object `jupyterapp`, and JupyterLab asks no other machine for extensions.
LAB_OPTIONS = ("--expose-app-in-browser", "--LabApp.extension_manager=readonly")

# JupyterLab calls itself idle before its kernel is connected; a run that starts in between never ends.
READY = """async () => {
    const panel = jupyterapp.shell.currentWidget;
    await panel.context.ready;
    await panel.sessionContext.ready;
    await panel.sessionContext.session.kernel.info;
}"""


def opened(page, server, name):
    """Show a notebook in a page, wait for its kernel, and return the page."""
    page.goto(f"{server.url}/doc/tree/{quote(name)}?token={server.token}&reset")
    page.wait_for_selector(".jp-Notebook .jp-Cell")
    page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.sessionContext")
    page.evaluate(READY)
    return page


def strangers(server, urls):
    """Return the addresses among these that belong to another machine than the server's."""
    own = (server.url, server.url.replace("http", "ws"), "data:", "blob:")
    return [url for url in urls if not url.startswith(own)]
