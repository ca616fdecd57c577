"""A headless Chromium, driven through its driver, that writes down what it was asked to load and what it complained of."""

import json
import shutil
import tempfile

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

from .waiting import wait_until

SWITCHES = (
    "--headless=new",
    "--no-sandbox",  # root has none
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--hide-scrollbars",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class Browser:
    def __init__(self, width=1280, height=1000):
        self.profile = tempfile.mkdtemp(prefix="oxpool-browser-", dir="/tmp")
        options = webdriver.ChromeOptions()
        for switch in (*SWITCHES, f"--window-size={width},{height}", f"--user-data-dir={self.profile}"):
            options.add_argument(switch)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        service = webdriver.chrome.service.Service("/usr/bin/chromedriver", log_path=f"{self.profile}/driver.log")
        try:
            self.driver = webdriver.Chrome(service=service, options=options)
        except Exception:
            service.stop()
            shutil.rmtree(self.profile, ignore_errors=True)
            raise
        self.asked_for = []  # every URL
        self._complaints = []

    def open(self, url):
        self.driver.get(url)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def texts(self, selector):
        """Of all that match, as a person sees them; in one go, since the page changes all the time."""
        return self.script(
            """return [...document.querySelectorAll(arguments[0])]
                 .filter((one) => one.checkVisibility()).map((one) => one.innerText.trim());""",
            selector,
        )

    def text(self, selector):
        return " | ".join(self.texts(selector))

    def wait_for_text(self, selector, wanted):
        """Waits until `wanted` is in what `selector` shows, and returns all of that."""
        last = [""]

        def is_there():
            last[0] = self.text(selector)
            return wanted in last[0]

        try:
            wait_until(is_there, poll_seconds=0.1)
        except AssertionError:
            raise AssertionError(f"waited in vain for {wanted!r} in {selector}; last seen {last[0]!r}") from None
        return last[0]

    def script(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def keys(self, *keys):
        """Pressed wherever the focus is."""
        ActionChains(self.driver).send_keys(*keys).perform()

    def click(self, selector):
        self.driver.find_element(By.CSS_SELECTOR, selector).click()

    def focused(self):
        """The id of what has the focus, or what it is."""
        return self.script("const it = document.activeElement; return it.id || it.tagName.toLowerCase()")

    def prefer(self, scheme):
        """'light' or 'dark'."""
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        )

    def resize(self, width, height, mobile=False):
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile},
        )
        wait_until(lambda: self.script("return innerWidth") == width, what=f"a width of {width}")

    def screenshot(self, path):
        self.driver.save_screenshot(path)

    def complaints(self):
        """What was written to its console so far, errors of the network included."""
        self._complaints += [f"{one['level']}: {one['message']}" for one in self.driver.get_log("browser")]
        return list(self._complaints)

    def forget_complaints(self):
        self.complaints()
        self._complaints.clear()

    def requests(self):
        """Every URL that pages asked for so far."""
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] != "Network.requestWillBeSent":
                continue
            request = message["params"]
            if not request["documentURL"].startswith("chrome://"):  # a page of the browser's own
                self.asked_for.append(request["request"]["url"])
        return self.asked_for

    def end(self):
        try:
            self.driver.quit()
        finally:
            shutil.rmtree(self.profile, ignore_errors=True)
