"""A person with a browser at Keycloak's pages: follows links, fills forms in, keeps cookies; no more."""

from __future__ import annotations

from html.parser import HTMLParser
from urllib.parse import urljoin

import httpx


class Page(HTMLParser):
    """The first form of a page: where it goes, and what it already holds."""

    def __init__(self, answer: httpx.Response) -> None:
        super().__init__()
        self.answer = answer
        self.action = ""
        self.fields: dict[str, str] = {}
        self.buttons: dict[str, str] = {}
        self.feed(answer.text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attributes}
        if tag == "form" and not self.action:
            self.action = urljoin(str(self.answer.url), said["action"])
        elif tag in ("input", "button") and self.action and said.get("name"):
            group = self.buttons if said.get("type") == "submit" else self.fields
            group[said["name"]] = said.get("value", "")


class Person:
    """Cookies are kept by hand: Keycloak's are for TLS only, and browsers send those to this machine without TLS as well."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._cookies: dict[str, str] = {}

    def open(self, url: str) -> httpx.Response:
        """Follows redirects; the one to a listener on this machine too, as browsers do."""
        return self._sent("GET", url)

    def submit(self, page: httpx.Response, button: str = "", **typed: str) -> httpx.Response:
        form = Page(page)
        pressed = {button: form.buttons[button]} if button else {}
        return self._sent("POST", form.action, form.fields | typed | pressed)

    def log_in(self, page: httpx.Response) -> httpx.Response:
        return self.submit(page, username=self.name, password=f"{self.name}-password")

    def log_in_at(self, url: str) -> httpx.Response:
        """The page of an authorization request; where it leads to at the end."""
        return self.log_in(self.open(url))

    def agree_on_device(self, url: str) -> httpx.Response:
        """The page of `verification_uri_complete`: log in, then say yes."""
        return self.submit(self.log_in_at(url), "accept")

    def refuse_on_device(self, url: str) -> httpx.Response:
        return self.submit(self.log_in_at(url), "cancel")

    def _sent(self, method: str, url: str, form: dict[str, str] | None = None) -> httpx.Response:
        for _ in range(20):
            cookies = {"Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items())}
            answer = httpx.request(method, url, data=form, headers=cookies, trust_env=False, timeout=30)
            for cookie in answer.headers.get_list("set-cookie"):
                name, _, value = cookie.partition(";")[0].partition("=")
                self._cookies[name] = value
            if not answer.is_redirect:
                return answer
            method, url, form = "GET", urljoin(str(answer.url), answer.headers["location"]), None
        raise AssertionError("redirected for ever")
