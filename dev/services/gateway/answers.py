"""The errors that a catalog may answer, in the form of the Iceberg REST specification."""

from __future__ import annotations

from typing import ClassVar

from starlette.responses import JSONResponse, Response


class Refusal(Exception):
    status: ClassVar[int]
    kind: ClassVar[str]

    def response(self) -> Response:
        content = {"error": {"message": str(self), "type": self.kind, "code": self.status}}
        headers = {"WWW-Authenticate": "Bearer"} if self.status == 401 else None
        return JSONResponse(content, self.status, headers)


class NotAuthorized(Refusal):
    status = 401
    kind = "NotAuthorizedException"

    def __init__(self) -> None:
        super().__init__("Not authorized")


class Forbidden(Refusal):
    status = 403
    kind = "ForbiddenException"


class BadRequest(Refusal):
    status = 400
    kind = "BadRequestException"


class Unavailable(Refusal):
    status = 503
    kind = "ServiceUnavailableException"


class NoSuchNamespace(Refusal):
    status = 404
    kind = "NoSuchNamespaceException"


class NoSuchTable(Refusal):
    status = 404
    kind = "NoSuchTableException"


class NoSuchView(Refusal):
    status = 404
    kind = "NoSuchViewException"


class NoSuchEndpoint(Refusal):
    status = 404
    kind = "NotFoundException"
