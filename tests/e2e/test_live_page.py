"""The live page at "/", clicked through in a real browser while real workers use their pools."""

import http.client
import os
import re
import time

import pytest
from selenium.webdriver.common.keys import Keys

from servers.browser import Browser
from servers.page_double import PageDouble
from servers.waiting import wait_until

starts_a_browser = pytest.mark.slow


@pytest.fixture
def browser(ended):
    return ended(Browser())


@pytest.fixture
def double(ended):
    return ended(PageDouble())


def page_of(daemon):
    return f"http://127.0.0.1:{daemon.http_port}/"


def start_load(php, name="cache", workers=3, size=4):
    """Workers that use a pool until the test ends."""
    for _ in range(workers):
        worker = php.worker(
            "looper.php", {"name": name, "max": size, "holdMs": 20, "pauseMs": 15, "factoryMs": 5, "seconds": 600}
        )
        assert worker.read_line() == "ready", worker.log_text()
        worker.send_line("go")


def choose_by_keyboard(browser, name):
    """The filter by its key, the name, and down into the list."""
    browser.script("document.activeElement.blur()")
    browser.keys("/")
    assert browser.focused() == "filter"
    browser.keys(name)  # instead of what stood there
    browser.wait_for_text("#pools .name", name)
    browser.keys(Keys.ARROW_DOWN)
    browser.wait_for_text("#pool-name", name)


def width_of(browser, row_name, part):
    """Percent that a part of a pool's bar takes."""
    return browser.script(
        """const row = [...document.querySelectorAll('#pools li')].find((one) => one.innerText.includes(arguments[0]));
           return parseFloat(row.querySelector('.bar .' + arguments[1]).style.width);""",
        row_name,
        part,
    )


def assert_calm(browser, daemon):
    """Nothing was asked of anybody else, and the console is empty."""
    origin = page_of(daemon)
    others = [url for url in browser.requests() if not url.startswith(origin)]
    assert not others and browser.asked_for
    assert not browser.complaints()


def overflow(browser):
    """By how many pixels the page is wider than its window."""
    return browser.script("return document.documentElement.scrollWidth - innerWidth")


def test_the_page_is_served_whole_and_locked_up(daemon):
    for path, kind in (("/", "text/html"), ("/ui/main.js", "text/javascript"), ("/ui/page.css", "text/css")):
        status, body, headers = daemon.http_get(path)
        assert status == 200 and headers["Content-Type"].startswith(kind)
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert headers["Cache-Control"] == "no-store" and headers["X-Content-Type-Options"] == "nosniff"
        connection = http.client.HTTPConnection("127.0.0.1", daemon.http_port)
        connection.request("HEAD", path)
        head = connection.getresponse()
        assert (head.status, head.read(), head.headers["Content-Length"]) == (200, b"", str(len(body.encode())))
        connection.close()
    assert daemon.http_get("/ui/nothing.js")[0] == 404
    assert "uPlot" in daemon.http_get("/ui/uplot.js")[1], "this build has plots"


@starts_a_browser
def test_an_incident_on_the_page(daemon, php, browser, artifacts):
    start_load(php)
    workers = [php.commander(name="orders", max=2, leakAfterMs=600_000) for _ in range(4)]
    for worker in workers[:2]:
        worker.ask("acquire")
    for worker in workers[2:]:
        worker.begin("acquire")
        workers[0].wait_for_stats(waiting=workers.index(worker) - 1)

    browser.open(page_of(daemon))
    assert browser.wait_for_text("#state", "ready") == "ready"
    # The pool with waiters is first, and chosen already; choose the other, and then it, without a mouse.
    names = browser.texts("#pools .name")
    assert sorted(names) == ["cache", "orders"]
    choose_by_keyboard(browser, "cache")
    choose_by_keyboard(browser, "orders")
    assert browser.script("return document.activeElement.getAttribute('aria-selected')") == "true"
    assert browser.script("return location.hash") == f"#pool={workers[0].ask('id')}"

    # Full: by whom, since when, from which line of code, and who waits.
    assert "2 of 2 units are in use; 2 wait" in browser.wait_for_text("#verdict", "Full")
    assert width_of(browser, "orders", "in-use") == 100
    holders = browser.texts("#holders tr")
    assert len(holders) == 2
    for worker in workers[:2]:
        (row,) = [row for row in holders if row.startswith(f"{worker.pid}/")]
        assert "in use" in row and re.search(r"commander\.php:\d+$", row)
    waiters = browser.texts("#waiters tr")
    assert [row.split("/")[0] for row in waiters] == [str(worker.pid) for worker in workers[2:]], "first come first"
    assert all("never" in row and "commander.php:" in row for row in waiters)

    # The plots are drawn, and go on.
    assert len(browser.all("#plots canvas")) == 2
    browser.wait_for_text("#plots", "oldest still waiting")
    assert "in use 2, idle 0, waiting 2, cap 2" in browser.script(
        "return document.querySelector('#plots .plot').getAttribute('aria-label')"
    )

    # One is killed: its unit goes on to the first waiter, and the page tells.
    workers[0].kill()
    workers[2].finish()
    browser.wait_for_text("#events", "worker buried")
    browser.wait_for_text("#waiters-count", "(1,")
    assert not [row for row in browser.texts("#holders tr") if row.startswith(f"{workers[0].pid}/")]
    os.makedirs(artifacts.build, exist_ok=True)
    browser.screenshot(os.path.join(artifacts.build, "live-page.png"))

    # Units come back: the bar shrinks, nobody waits, and who has idle units is named.
    workers[2].ask("release")
    workers[3].finish()
    workers[3].ask("release")
    workers[1].ask("release")
    browser.wait_for_text("#verdict", "Nobody waits.")
    wait_until(lambda: width_of(browser, "orders", "in-use") == 0, what="the bar to shrink")
    assert width_of(browser, "orders", "idle") == 100
    assert re.search(r"\d+/\d+\s*1", browser.text("#idle"))
    assert browser.text("#holders-note") == "Nobody."

    # The pool under load moves, and has waiting times.
    choose_by_keyboard(browser, "cache")
    seen = set()

    def has_moved():
        seen.add(width_of(browser, "cache", "in-use"))
        return len(seen) > 2

    wait_until(has_moved, poll_seconds=0.2, what="the bar to move")
    wait_until(
        lambda: re.search(r"wait 50 / 95 / 99 %\s+[\d.]+", browser.text("#tiles")), what="percentiles", poll_seconds=0.2
    )
    assert_calm(browser, daemon)


@starts_a_browser
def test_what_an_operator_does_is_seen(daemon, php, ctl, browser):
    worker, other = (php.commander(name="orders", max=4) for _ in range(2))
    for _ in range(3):
        worker.ask("acquire")
    browser.open(page_of(daemon))
    browser.wait_for_text("#pools .use", "3 of 4 in use")

    ctl.done("pause", "orders", "--for", "10m")
    assert browser.wait_for_text("#pools .badge", "paused") == "paused"
    sentence = browser.wait_for_text("#verdict", "The pool is paused: new acquires wait; opens by itself in ")
    assert re.search(r"opens by itself in (10 min|9 min)", sentence)
    other.begin("acquire")
    browser.wait_for_text("#pools .wait", "1 waits")
    browser.wait_for_text("#waiters", f"{other.pid}/")
    ctl.done("resume", "orders")
    other.finish()
    browser.wait_for_text("#verdict", "All units are in use, but nobody waits.")
    assert browser.text("#pools .badge") == ""

    ctl.done("resize", "orders", "2")
    browser.wait_for_text("#verdict", "2 units above the cap, which was lowered; holders are not interrupted.")
    assert "cap 2, set by an operator; workers ask for 4" in browser.text("#pool-facts")
    ctl.done("resize", "orders", "--unset")
    browser.wait_for_text("#pool-facts", "cap 4 ·")
    ctl.done("drain", "orders")
    browser.wait_for_text("#pools .badge", "drained")
    assert_calm(browser, daemon)


@starts_a_browser
def test_a_restart_of_the_daemon_is_survived(daemon, php, browser):
    worker = php.commander(name="orders", max=2)
    worker.ask("acquire")
    browser.open(page_of(daemon))
    browser.wait_for_text("#pools .use", "1 of 2 in use")
    assert_calm(browser, daemon)

    daemon.stop()
    assert re.fullmatch(r"not reachable since \d\d:\d\d:\d\d", browser.wait_for_text("#state", "not reachable"))
    assert browser.text("#troubles").startswith("The daemon does not answer. Workers go on without it.")
    assert browser.texts("#pools .use") == ["1 of 2 in use"], "what was known stays"
    worker.ask("acquire")
    daemon.restart()
    assert browser.wait_for_text("#state", "ready") == "ready"
    browser.wait_for_text("#pools .use", "2 of 2 in use")
    browser.wait_for_text("#events", "segment adopted")
    assert browser.text("#troubles") == ""
    # The browser wrote of refused connections meanwhile; from now on it has nothing to write.
    browser.forget_complaints()
    worker.ask("release")
    browser.wait_for_text("#pools .use", "1 of 2 in use")
    assert_calm(browser, daemon)


@starts_a_browser
def test_a_pool_in_the_address_is_chosen_and_one_that_is_gone_is_said_so(daemon, php, browser):
    first, second = php.commander(name="first"), php.commander(name="second")
    browser.open(page_of(daemon) + f"#pool={second.ask('id')}")
    browser.wait_for_text("#pool-name", "second")
    browser.script("location.hash = '#pool=' + arguments[0]", first.ask("id"))
    browser.wait_for_text("#pool-name", "first")
    browser.script("location.hash = '#pool=99'")
    browser.wait_for_text("#detail-none", "Pool 99 is not there any more.")
    assert_calm(browser, daemon)


# Contrast of each text with the ground behind it, as WCAG counts it; those below 4.5.
LOW_CONTRAST = """
const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
const luminance = ([r, g, b]) => [r, g, b]
  .map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const ground = (node) => {
  for (; node; node = node.parentElement) {
    const colour = channels(getComputedStyle(node).backgroundColor);
    if (colour.length === 3 || colour[3] > 0) return colour;
  }
  return [255, 255, 255];
};
const found = [];
for (const node of document.querySelectorAll('body *')) {
  const hasText = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim() !== '');
  if (!hasText || !node.checkVisibility() || node.closest('noscript, .skip')) continue;
  const [a, b] = [channels(getComputedStyle(node).color), ground(node)].map(luminance);
  const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (contrast < 4.5) found.push(`${node.innerText.slice(0, 20)}: ${contrast.toFixed(2)}`);
}
return found;
"""


@starts_a_browser
def test_it_fits_a_phone_and_a_wide_window_by_day_and_night(daemon, php, browser):
    start_load(php, name="a name without any space_" + "x" * 120)
    worker, other = (php.commander(name="orders", max=1) for _ in range(2))
    worker.ask("acquire")
    other.begin("acquire")
    browser.open(page_of(daemon))
    browser.wait_for_text("#waiters", "commander.php")
    grounds = set()
    for scheme in ("light", "dark"):
        browser.prefer(scheme)
        grounds.add(browser.script("return getComputedStyle(document.documentElement).backgroundColor"))
        for width, mobile in ((360, True), (768, False), (1280, False), (2560, False)):
            browser.resize(width, 800, mobile)
            for name in ("orders", "a name"):
                choose_by_keyboard(browser, name)
                wait_until(lambda: overflow(browser) <= 0, what=f"no overflow at {width} pixels, {scheme}")
            assert browser.script(LOW_CONTRAST) == [], scheme
    assert len(grounds) == 2, "light and dark differ"
    # The plots follow the width.
    browser.resize(360, 800, True)
    widest = "return Math.max(...[...document.querySelectorAll('#plots canvas')].map((one) => one.clientWidth))"
    wait_until(lambda: browser.script(widest) < 360, what="the plots to get narrow")
    assert_calm(browser, daemon)


@starts_a_browser
def test_by_keyboard_everything_is_reached_seen_and_left(daemon, php, browser):
    pools = [php.commander(name=f"pool {letter}") for letter in "abcd"]
    browser.open(page_of(daemon))
    browser.wait_for_text("#pools-count", f"({len(pools)})")
    browser.click("#sort option[value=name]")
    while browser.focused() != "body":  # past the last
        browser.keys(Keys.TAB)

    reached = []
    for _ in range(40):
        browser.keys(Keys.TAB)
        reached.append(browser.focused())
        if reached[-1] == "body":  # once around
            break
        outline = browser.script("return getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", f"the focus on {reached[-1]} can not be seen"
        unnamed = browser.script(
            """const it = document.activeElement;
               return !(it.innerText?.trim() || it.labels?.length || it.getAttribute('aria-label'));"""
        )
        assert not unnamed, f"{reached[-1]} has no label"
    assert reached[-1] == "body", reached
    assert {"hold", "filter", "show", "sort", "events-mine"} <= set(reached)
    assert reached.count("li") == 1, "the list is one stop"

    # In the list: arrows, ends, and no further.
    browser.keys("/", Keys.ARROW_DOWN)
    shown = []
    for key in (Keys.ARROW_DOWN, Keys.END, Keys.ARROW_DOWN, Keys.ARROW_UP, Keys.HOME, Keys.ARROW_UP):
        browser.keys(key)
        shown.append(browser.script("return document.activeElement.innerText.split('\\n')[0]"))
    assert shown == ["pool b", "pool d", "pool d", "pool c", "pool a", "pool a"]
    browser.wait_for_text("#pool-name", "pool a")
    # It stays there while the page changes.
    asked = len(browser.requests())
    wait_until(lambda: len(browser.requests()) > asked + 12, what="three more looks", poll_seconds=0.2)
    assert browser.script("return document.activeElement.innerText").startswith("pool a")

    # "/" is a character where one types; Escape empties the filter.
    browser.keys("/", "/x")
    assert browser.script("return document.activeElement.value") == "/x"
    browser.wait_for_text("#pools-none", "No pool is like that.")
    browser.keys(Keys.ESCAPE)
    browser.wait_for_text("#pools-count", "(4)")
    assert_calm(browser, daemon)


@starts_a_browser
def test_it_rests_while_it_is_hidden_or_held_still(double, browser):
    double.add_pool("orders")
    browser.open(double.url)
    browser.wait_for_text("#pools .name", "orders")

    def goes_on():
        before = double.asked
        wait_until(lambda: double.asked >= before + 2, what="two more looks")
        return True

    def rests():
        before = double.asked
        time.sleep(4)  # that nothing happens can not be awaited
        return double.asked <= before + 1  # one that was on its way

    assert goes_on()
    browser.click("#hold")
    assert rests(), "held still"
    browser.click("#hold")
    assert goes_on()

    page = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    assert rests(), "hidden"
    browser.driver.close()
    browser.driver.switch_to.window(page)
    assert goes_on()


EVIL_NAME = "<img src=x onerror=\"document.title='evil'\">\n\0\x1b[2J\u202e'\"&amp; ü 日本"


@starts_a_browser
def test_names_of_any_bytes_are_only_text(double, browser):
    double.add_pool(EVIL_NAME, in_use=8, waiting=1, oldest_wait_ms=2500)
    who = {"worker": "7/1", "pid": 7, "thread_id": 7, "uid": 0, "program": EVIL_NAME}
    double.details = {
        "holders": [
            {"slot": 0, "state": "in_use", **who, "since_ms": 61000, "minted_ms": 1, "place": EVIL_NAME, "reason": None}
        ],
        "waiters": [{**who, "since_ms": 2500, "deadline_in_ms": 500, "place": EVIL_NAME}],
        "idle_by_worker": {EVIL_NAME: 3},
    }
    fields = {"pool": EVIL_NAME, "id": 1}
    double.events = [{"number": 1, "unix_ms": 1, "level": "warning", "event": "slot leaked", "fields": fields}]
    browser.open(double.url)
    shown = browser.wait_for_text("#pool-name", "<img src=x")
    assert shown == "<img src=x onerror=\"document.title='evil'\">\\u{a}\\u{0}\\u{1b}[2J\\u{202e}'\"&amp; ü 日本"
    for place in ("#pools .name", "#holders", "#waiters", "#idle", "#events", "#verdict"):
        assert "<img src=x" in browser.wait_for_text(place, "<img"), place
    assert browser.driver.title == "(1 waiting) oxpool"
    assert not browser.all("body img")


@starts_a_browser
def test_paused_and_other_pools_and_a_daemon_that_is_not_ready(double, browser):
    double.add_pool("calm", in_use=1, idle=2, minting=1, closing=2)
    double.add_pool("waits", gate={"state": "wait", "opens_in_ms": 90000}, waiting=3, oldest_wait_ms=4000)
    double.add_pool("fails", gate={"state": "fail", "opens_in_ms": None}, namespace="shop")
    double.add_pool("shrunk", in_use=12, max_size=8)
    double.not_ready = ["/run/oxpool/client.sock was removed; restart oxpoold"]
    browser.open(double.url)
    assert browser.wait_for_text("#state", "ready") == "not ready"
    assert browser.text("#troubles") == double.not_ready[0]
    # Trouble first; within it, the longer queue.
    assert browser.texts("#pools .name") == ["waits", "fails", "shrunk", "calm"]
    assert browser.texts("#pools .badge") == ["paused", "paused, fails", "", ""]
    assert browser.wait_for_text("#verdict", "paused").startswith(
        "The pool is paused: new acquires wait; opens by itself in 1 min 30 s."
    )
    assert [width_of(browser, "calm", part) for part in ("in-use", "idle", "minting", "closing")] == [12.5, 25, 12.5, 25]
    assert width_of(browser, "shrunk", "in-use") == 100
    choose_by_keyboard(browser, "shrunk")
    browser.wait_for_text("#verdict", "4 units above the cap")
    browser.click("#show option[value=trouble]")
    browser.keys("/", Keys.ESCAPE)
    wait_until(lambda: browser.texts("#pools .name") == ["waits", "fails"], what="those with trouble only")
    assert browser.texts("#pools .space") == ["uid-0", "shop"], "several namespaces are told apart"
    # No plots in this one, and it says so.
    assert "without npm" in browser.text("#plots")


@starts_a_browser
def test_a_thousand_pools_are_filtered_and_sorted(double, browser):
    for number in range(1000):
        double.add_pool(f"pool {number:04}", in_use=number % 9, max_size=8)
    browser.open(double.url)
    browser.wait_for_text("#pools-count", "(1,000)")
    browser.keys("/", "0042")
    browser.wait_for_text("#pools-count", "(1 of 1,000)")
    browser.keys(Keys.ARROW_DOWN)
    browser.wait_for_text("#pool-name", "pool 0042")
    browser.keys("/", Keys.ESCAPE)
    browser.click("#sort option[value=utilization]")
    wait_until(lambda: browser.texts("#pools .name")[:2] == ["pool 0008", "pool 0017"], what="the fullest first")


@starts_a_browser
def test_what_goes_on_and_on_is_one_event_and_pushes_nothing_away(double, browser):
    pool, other = double.add_pool("orders"), double.add_pool("other")
    browser.open(double.url)
    browser.wait_for_text("#events-note", "None yet.")
    pool["counters"]["hand_overs"] = 3
    browser.wait_for_text("#events", "hand-overs 3  pool=orders")
    other["counters"]["acquire"]["timeout"] = 2
    browser.wait_for_text("#events", "acquires timed out 2")
    pool["counters"]["hand_overs"] = 10
    browser.wait_for_text("#events", "hand-overs 10  pool=orders")
    assert [text.split()[1] for text in browser.texts("#events li")] == ["acquires", "hand-overs"]
    choose_by_keyboard(browser, "orders")
    browser.click("#events-mine")
    wait_until(lambda: [text.split()[1] for text in browser.texts("#events li")] == ["hand-overs"], what="only its own")


@starts_a_browser
def test_rows_stay_where_they_are_while_somebody_is_among_them(double, browser):
    pools = [double.add_pool(name) for name in ("first", "second", "third")]
    browser.open(double.url)
    choose_by_keyboard(browser, "second")
    browser.keys("/", Keys.ESCAPE, Keys.ARROW_DOWN)
    browser.wait_for_text("#pool-name", "first")
    pools[2].update(waiting=5, oldest_wait_ms=1)
    double.add_pool("a new one")
    browser.wait_for_text("#pools .name", "a new one")
    browser.wait_for_text("#pools .wait", "5 wait")
    assert browser.texts("#pools .name") == ["first", "second", "third", "a new one"]
    browser.keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    browser.wait_for_text("#pool-name", "third")
    del double.pools[1]
    wait_until(lambda: browser.texts("#pools .name") == ["first", "third", "a new one"], what="one to go")
    assert browser.script("return document.activeElement.innerText").startswith("third"), "the focus stays on its pool"
    browser.keys(Keys.TAB)
    wait_until(lambda: browser.texts("#pools .name") == ["third", "a new one", "first"], what="them to be in order")


@starts_a_browser
def test_answers_that_are_none_are_told_and_outlived(double, browser):
    double.add_pool("orders")
    browser.open(double.url)
    browser.wait_for_text("#pools .name", "orders")
    for answer, told in ((None, "was 500"), ("<html>another server</html>", "<html>another server</html>")):
        double.spoilt = (answer,)
        browser.wait_for_text("#state", "not reachable since")
        browser.wait_for_text("#troubles", told)
        double.spoilt = None
        browser.wait_for_text("#state", "ready")
        assert browser.text("#troubles") == ""
