"""Where a client is: the address of its socket, or what a trusted proxy says about it.

A header is believed only from peers in `coordinator.trusted_proxies`. Each proxy appends the address that it saw, so the list
is read from its end: the first address there that is not a trusted proxy's is the client's, and what stands before it is that
client's own invention.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import unquote

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Headers = Mapping[str, Sequence[str]]

# `for=192.0.2.1`, `for="[2001:db8::1]:4711"`, anywhere among the other parameters of one hop.
_FOR = re.compile(r'(?:^|;)\s*for\s*=\s*(?:"([^"\\]*)"|([^\s;",]+))\s*(?=;|$)', re.IGNORECASE)
_WITH_PORT = re.compile(r"(?:\[([^\]]*)\]|(\d+\.\d+\.\d+\.\d+))(?::\d{1,5})?")

# More proxies than any real chain; the rest of a longer list is not read.
_MOST_HOPS = 32


class Addresses:
    """Knows which peers are proxies. Immutable."""

    def __init__(self, trusted_proxies: Sequence[str] = (), header: str = "x-forwarded-for") -> None:
        self._trusted = tuple(ipaddress.ip_network(each) for each in trusted_proxies)
        self._header = header

    def client(self, peer: str, headers: Headers) -> str:
        """`peer` is an address, or what gRPC calls one (`ipv4:10.0.0.1:4711`). Empty where it has none: a unix socket.

        Names of headers are in lower case, each with all its values in their order.
        """
        own = _of_peer(peer)
        if own is None:
            return ""
        return str(self._forwarded(own, headers.get(self._header, ())) if self._trusts(own) else own)

    def trusts(self, peer: str) -> bool:
        """Whether it is a proxy whose word counts."""
        own = _of_peer(peer)
        return own is not None and self._trusts(own)

    def _forwarded(self, proxy: Address, values: Sequence[str]) -> Address:
        client = proxy
        for number, text in enumerate(self._hops(values)):
            hop = _address(text)
            if hop is None or number >= _MOST_HOPS:
                return proxy  # not from a proxy that does its work: nobody's word counts then
            client = hop
            if not self._trusts(hop):
                break
        return client

    def _hops(self, values: Sequence[str]) -> Iterator[str]:
        """From the last one on."""
        for value in reversed(values):
            for hop in reversed(value.split(",")):
                yield _for(hop) if self._header == "forwarded" else hop

    def _trusts(self, address: Address) -> bool:
        return any(address in network for network in self._trusted)


def _for(hop: str) -> str:
    found = _FOR.findall(hop.strip())
    return "".join(found[0]) if len(found) == 1 else ""


def _of_peer(peer: str) -> Address | None:
    kind, colon, rest = peer.partition(":")
    return _address(unquote(rest) if colon and kind in ("ipv4", "ipv6") else peer)


def _address(text: str) -> Address | None:
    text = text.strip()
    with_port = _WITH_PORT.fullmatch(text)
    try:
        ip = ipaddress.ip_address((with_port[1] or with_port[2]) if with_port else text)
    except ValueError:
        return None
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.scope_id is not None:  # of an interface of ours; a client cannot be told by it
            return None
        return ip.ipv4_mapped or ip
    return ip
