"""The samples of docs/authentication.md for keys, AWS and LDAP are taken by the server."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sqe.config import load_with_origins

PAGE = Path(__file__).parents[2] / "docs" / "authentication.md"


def samples(section: str) -> list[str]:
    text = PAGE.read_text(encoding="utf-8")
    found = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found is not None
    return re.findall(r"```toml\n(.*?)```", found[1], re.DOTALL)


@pytest.mark.parametrize("section", ["api_key", "aws_iam", "ldap"])
def test_every_sample_of_a_provider_is_taken(tmp_path: Path, section: str) -> None:
    if section == "ldap":
        pytest.importorskip("ldap", reason="pip install 'sqe[ldap]'")
    (tmp_path / "keys.toml").touch(mode=0o600)
    assert samples(section)
    for sample in samples(section):
        path = tmp_path / "sqe.toml"
        path.write_text(sample, encoding="utf-8")
        assert len(load_with_origins(path, {"LDAP_PASSWORD": "x"}, {}).settings.auth.providers) == 1
