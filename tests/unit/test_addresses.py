"""Whose word counts for where a client is."""

from __future__ import annotations

import pytest

from sqe.doors.addresses import Addresses

PROXIES = Addresses(["10.0.0.0/8", "2001:db8:ffff::/48", "127.0.0.1"])
STANDARD = Addresses(["10.0.0.0/8"], "forwarded")

PEERS = {
    "192.0.2.1": "192.0.2.1",
    "ipv4:192.0.2.1:4711": "192.0.2.1",
    "ipv6:[2001:db8::1]:4711": "2001:db8::1",
    "ipv6:%5B2001:db8::1%5D:4711": "2001:db8::1",
    "ipv6:%5B::ffff:192.0.2.1%5D:4711": "192.0.2.1",
    "unix:/run/sqe.sock": "",
    "unix:": "",
    "": "",
}


@pytest.mark.parametrize(("peer", "address"), PEERS.items())
def test_the_peer_s_own_address(peer: str, address: str) -> None:
    assert PROXIES.client(peer, {}) == address


FORWARDED_FOR = {
    "one proxy": (["192.0.2.9"], "192.0.2.9"),
    "what the client invented is left of it": (["1.1.1.1, 192.0.2.9"], "192.0.2.9"),
    "nonsense that the client invented": (["<script>, ,, 192.0.2.9"], "192.0.2.9"),
    "a chain of ours": (["192.0.2.9, 10.1.1.1, 10.2.2.2"], "192.0.2.9"),
    "an address of ours, claimed": (["10.9.9.9, 192.0.2.9, 10.2.2.2"], "192.0.2.9"),
    "several headers are one list": (["1.1.1.1", "192.0.2.9", "10.2.2.2"], "192.0.2.9"),
    "only proxies: the first of them asked": (["10.3.3.3, 10.2.2.2"], "10.3.3.3"),
    "with a port": (["192.0.2.9:51234"], "192.0.2.9"),
    "IPv6": (["2001:db8::9"], "2001:db8::9"),
    "IPv6 in brackets with a port": (["[2001:db8::9]:51234"], "2001:db8::9"),
    "IPv4 as IPv6": (["::ffff:192.0.2.9"], "192.0.2.9"),
    "a name": (["client.example.com"], "10.0.0.1"),
    "empty": ([""], "10.0.0.1"),
    "an empty last hop": (["192.0.2.9,"], "10.0.0.1"),
    "another line": (["192.0.2.9\r\nx: y"], "10.0.0.1"),
    "an interface of ours": (["fe80::1%eth0"], "10.0.0.1"),
    "digits that are not decimal": (["١٩٢.0.2.9"], "10.0.0.1"),
    "octal": (["192.0.2.011"], "10.0.0.1"),
    "an endless list": ([", ".join(["10.2.2.2"] * 100_000)], "10.0.0.1"),
}


@pytest.mark.parametrize(("values", "address"), FORWARDED_FOR.values(), ids=FORWARDED_FOR.keys())
def test_a_trusted_proxy_s_word(values: list[str], address: str) -> None:
    assert PROXIES.client("10.0.0.1", {"x-forwarded-for": values}) == address


@pytest.mark.parametrize("values", [values for values, _ in FORWARDED_FOR.values()], ids=FORWARDED_FOR.keys())
def test_nobody_else_is_believed(values: list[str]) -> None:
    for everyone in (PROXIES, Addresses(), Addresses(header="forwarded")):
        headers = {"x-forwarded-for": values, "forwarded": [f"for={value}" for value in values], "x-real-ip": values}
        assert everyone.client("ipv4:198.51.100.1:9", headers) == "198.51.100.1"


FORWARDED = {
    "plain": (["for=192.0.2.9"], "192.0.2.9"),
    "among others, in any case": (["proto=https;FOR=192.0.2.9;by=10.0.0.1"], "192.0.2.9"),
    "quoted, with a port": (['for="192.0.2.9:47011"'], "192.0.2.9"),
    "IPv6": (['for="[2001:db8::9]:4711"'], "2001:db8::9"),
    "the client's own is left of it": (['for=1.1.1.1, for="[2001:db8::9]"', "for=10.2.2.2"], "2001:db8::9"),
    "obfuscated": (["for=_hidden"], "10.0.0.1"),
    "unknown": (["for=unknown"], "10.0.0.1"),
    "no for": (["by=192.0.2.9"], "10.0.0.1"),
    "for inside another value": (['host="for=192.0.2.9"'], "10.0.0.1"),
    "twice in one hop": (["for=192.0.2.9;for=1.1.1.1"], "10.0.0.1"),
}


@pytest.mark.parametrize(("values", "address"), FORWARDED.values(), ids=FORWARDED.keys())
def test_the_standard_header(values: list[str], address: str) -> None:
    assert STANDARD.client("10.0.0.1", {"forwarded": values}) == address


def test_a_header_that_the_proxies_do_not_set_is_not_looked_at() -> None:
    """They pass it on as the client wrote it."""
    assert PROXIES.client("10.0.0.1", {"forwarded": ["for=1.1.1.1"]}) == "10.0.0.1"
    assert STANDARD.client("10.0.0.1", {"x-forwarded-for": ["1.1.1.1"]}) == "10.0.0.1"
