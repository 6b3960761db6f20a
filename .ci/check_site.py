"""What a stranger does on the first page of the site and with its questions, and what bad input does."""
from lab import need
from playwright.sync_api import expect

MESSAGE = "RuntimeError: Trying to backward through the graph a second time"
PASTED = "The message or a whole traceback"
HOSTILE = ('<img src=x onerror="document.title=1">', "\"><script>document.title=1</script>",
           "javascript:alert(1)", "%00%ff", "__proto__ constructor toString", "\u202e\u2028", "(" * 3000,
           "a" * 300_000)


def check(reader):
    check_first_page(reader)
    check_bad_input(reader)


def check_first_page(reader):
    page = reader.open("index.html")
    expect(page.locator("pre.error").first).to_contain_text(MESSAGE)
    answers(page, "front")
    player = page.locator(".mgplay")
    caption = player.locator("figcaption").filter(visible=True)
    before = caption.inner_text()
    player.get_by_role("button", name="Forward").click()
    need(caption.inner_text() != before, "the player doesn't move")
    player.get_by_role("button", name="Play").click()
    expect(player.get_by_role("button", name="Pause")).to_be_visible()
    player.get_by_role("slider").press("End")
    expect(player.get_by_role("button", name="Play")).to_be_visible(timeout=10_000)  # it stops at the end
    page.get_by_label(PASTED).fill(f"Traceback (most recent call last):\n{MESSAGE}")
    page.get_by_role("button", name="Find what it means").click()
    page.wait_for_url("**/search.html?q=*")
    expect(page.locator("#results a").first).to_have_attribute("href", "error-freed.html")
    page.context.close()


def answers(page, key):
    """A question: its answer is closed, a choice by key opens it, and another choice changes what is said."""
    ask = page.locator(f'[data-ask="{key}"]')
    answer = page.locator(f'details[data-answers="{key}"][data-right]')
    right = answer.get_attribute("data-right")
    hidden = page.locator(f'details[data-answers="{key}"]')
    need(not any(hidden.evaluate_all("all => all.map(one => one.open)")), f"an answer to {key} is open")
    wrong = ask.locator(f'[data-option]:not([data-option="{right}"]) button').first
    wrong.press("Enter")
    expect(wrong).to_have_attribute("aria-pressed", "true")
    need(all(hidden.evaluate_all("all => all.map(one => one.open)")), f"a choice opens no answer to {key}")
    expect(answer.locator(".verdict")).to_contain_text("✗ You chose")
    ask.locator(f'[data-option="{right}"] button').click()
    expect(wrong).to_have_attribute("aria-pressed", "false")
    expect(answer.locator(".verdict")).to_have_text(f"✓ Right: you chose {right}.")
    ask.get_by_role("link", name="the answer").click()
    need(page.evaluate("location.hash").endswith(f"answer-{key}"), "the link to the answer leads nowhere")


def check_bad_input(reader):
    """Nothing that is typed, pasted or in an address becomes a part of the page."""
    for text in HOSTILE:
        page = reader.open("search.html")
        title = page.title()
        page.get_by_label("Paste an error message").fill(text)
        page.get_by_role("button", name="Search").last.click()
        expect(page.locator("#search-status")).not_to_be_empty()
        need(page.locator("main img, main script").count() == 0, f"{text[:40]!r} becomes a part of the page")
        need(page.title() == title, f"{text[:40]!r} runs")
        page.context.close()
    for search in ("?q=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E", "?q=%E0%A4%A", "?q=a&q=b",
                   "?q=" + "%20" * 3000, "#<img src=x onerror=alert(1)>", "#answer-6.1", "#%"):
        for name in ("search.html", "index.html", "chapter-06.html"):
            page = reader.open(name, search=search)
            expect(page.get_by_role("heading", level=1)).to_be_visible()
            need(page.locator("img[src=x]").count() == 0, f"{search} becomes a part of {name}")
            page.context.close()
    page = reader.open("index.html")
    page.get_by_label(PASTED).fill("lorem ipsum " * 200_000 + MESSAGE)
    page.get_by_role("button", name="Find what it means").click()
    page.wait_for_url("**/search.html?q=*")
    expect(page.locator("#results a").first).to_have_attribute("href", "error-freed.html")
    page.context.close()
