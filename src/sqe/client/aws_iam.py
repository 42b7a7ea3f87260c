"""The token with which a program logs in by its AWS credentials. Needs botocore: `pip install 'sqe[aws]'`."""

from __future__ import annotations

from typing import Any, Protocol
from urllib.parse import urlsplit

from sqe.errors import CONFIGURATION_INVALID, SqeError
from sqe.identity.aws_iam_token import BODY, CONTENT_TYPE, SERVER_ID_HEADER, encoded

ENDPOINT = "https://sts.amazonaws.com"
REGION = "us-east-1"


class AwsCredentials(Protocol):
    """What botocore calls credentials; boto3's `get_credentials().get_frozen_credentials()` are such."""

    access_key: str
    secret_key: str
    token: str | None


def aws_iam_token(
    server_id: str, *, endpoint: str = ENDPOINT, region: str = REGION, credentials: AwsCredentials | None = None
) -> str:
    """A token for one log-in at the server with this `server_id`, whose `sts_endpoint` is this endpoint.

    Without credentials, those that botocore finds are used: environment, profile, container, instance.
    """
    try:
        from botocore.auth import SigV4Auth
        from botocore.awsrequest import AWSRequest
    except ImportError:
        raise SqeError(CONFIGURATION_INVALID, "AWS log-ins need botocore", hint="pip install 'sqe[aws]'") from None
    url = endpoint.rstrip("/") + "/"
    headers = {"Content-Type": CONTENT_TYPE, "Host": urlsplit(url).netloc, SERVER_ID_HEADER: server_id}
    request = AWSRequest("POST", url, headers=headers, data=BODY)
    SigV4Auth(credentials or _found(), "sts", region).add_auth(request)
    return encoded(dict(request.headers.items()))


def _found() -> Any:
    from botocore.session import get_session

    found = get_session().get_credentials()
    if found is None:
        raise SqeError(CONFIGURATION_INVALID, "There are no AWS credentials", hint="set AWS_PROFILE or AWS_ACCESS_KEY_ID")
    return found.get_frozen_credentials()
