"""The link to the driver JVM: one `Driver` per server, which starts it, asks it, watches it and starts it again.

Calls go over py4j with the process's secret; each is one coarse question with a JSON answer (jvm: Link.scala). py4j is
used without pyspark's Python classes: importing those costs 264 ms of CPU, a call through them several round trips.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqe import errors
from sqe.engine.failures import error_of
from sqe.engine.process import DriverProcess, LaunchOptions
from sqe.errors import SqeError

if TYPE_CHECKING:
    from py4j.java_gateway import JavaGateway

log = logging.getLogger("sqe.driver")

_READY_SECONDS = 120.0
_FIRST_PAUSE_SECONDS = 0.5
_LONGEST_PAUSE_SECONDS = 30.0
_NOTICE_SECONDS = 2.0
_SEE_LOG = "the server's log has the details"


def lost() -> SqeError:
    return SqeError(
        errors.REMOTE_HOST_GONE,
        "The query engine stopped while this statement ran; it is being restarted",
        hint="run the statement again",
    )


@dataclass(frozen=True)
class DriverHealth:
    """What the driver says about itself."""

    heap_used: int
    heap_max: int
    gc_count: int
    gc_millis: int
    threads: int
    sessions: int
    executions: int
    given_queries: int  # statements that have rows of system.runtime.queries waiting for them
    warming_up: bool  # it will run statements of its own while nobody asks anything, or does so now
    jobs: int  # started since the driver lives
    active_jobs: int
    native_fragments: int  # planned for the native kernel
    native_open: int  # its instances that run now
    native_leaks: int  # fragments that did not give back all of their memory
    native_refusals: dict[str, int]  # parts of plans that it does not run, by reason
    native_fallbacks: dict[str, int]  # statements that ran again on Spark, by reason
    native_fallback_millis: int  # that those had taken by then
    native_queries: dict[str, int]  # that read tables, by how much of them the kernel runs: whole, part, none
    native_cache_hits: int  # files that were there when a fragment wanted them
    native_cache_misses: int
    native_cache_evictions: int
    native_cache_fetched: int  # bytes copied from stores
    native_cache_bytes: int  # bytes that copies have now, or have been promised
    native_cache_pinned: int  # copies that fragments use now


def _not_started() -> SqeError:
    return SqeError(errors.SERVER_STARTING_UP, "The query engine could not be started", hint=_SEE_LOG)


class Driver:
    """Owner of the JVM. `generation` counts its lives: what was opened in an earlier one is gone."""

    def __init__(self, options: LaunchOptions | None = None) -> None:
        self._options = options or LaunchOptions()
        self._changed = threading.Condition()
        self._process: DriverProcess | None = None
        self._gateway: JavaGateway | None = None
        self._stopping = False
        self._start_error: SqeError | None = None
        self.generation = 0
        self.restarts = 0

    def start(self) -> None:
        """Launches the JVM and returns at once: import what you need while it boots, then `await_ready`."""
        try:
            self._process = DriverProcess(self._options)
        except OSError as failure:  # a full disk, or a JVM that ended before it was told what to do
            log.error("the driver JVM could not be started: %s", failure)
            raise _not_started() from None
        threading.Thread(target=self._watch, name="sqe-driver-watch", daemon=True).start()

    def await_ready(self, timeout_seconds: float = _READY_SECONDS) -> None:
        deadline = time.monotonic() + timeout_seconds
        with self._changed:
            while self._gateway is None:
                if self._stopping:
                    raise errors.shutting_down()
                if self._start_error is not None:
                    raise self._start_error
                left = deadline - time.monotonic()
                if left <= 0:
                    raise SqeError(errors.SERVER_STARTING_UP, "The query engine is still starting", hint="try again in a moment")
                self._changed.wait(left)

    @property
    def ready(self) -> bool:
        return self._gateway is not None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    @property
    def stream_socket(self) -> str:
        if self._process is None:
            raise lost()
        return self._process.stream_socket

    def stop(self, patience_seconds: float = 5) -> None:
        with self._changed:
            self._stopping = True
            gateway, self._gateway = self._gateway, None
            self._changed.notify_all()
        if gateway is not None:
            gateway.close()
        if self._process is not None:
            self._process.stop(patience_seconds)

    def call(self, method: str, *arguments: str) -> dict[str, Any]:
        """One question to the driver. Raises what the driver reports as an `SqeError`; a driver that dies meanwhile too."""
        self.await_ready()
        gateway = self._gateway
        if gateway is None:
            raise lost()
        from py4j.protocol import Py4JError

        try:
            answer = json.loads(getattr(gateway.entry_point, method)(*arguments))
        except (Py4JError, OSError) as broken:
            log.debug("the driver did not answer %s: %s", method, broken)
            self._await_notice(gateway)
            raise lost() from None
        if "error" in answer:
            raise error_of(answer["error"])
        result: dict[str, Any] = answer["ok"]
        return result

    def health(self) -> DriverHealth | None:
        if not self.ready:
            return None
        try:
            return DriverHealth(**self.call("health"))
        except SqeError:
            return None

    def _await_notice(self, gateway: JavaGateway) -> None:
        """Returns when the watch has seen the driver's end too, so that the next statement waits for the new one."""
        with self._changed:
            self._changed.wait_for(lambda: self._gateway is not gateway, _NOTICE_SECONDS)

    def _watch(self) -> None:
        """Connects to each life of the JVM and starts the next one when it ends, ever more slowly if it keeps dying."""
        pause = _FIRST_PAUSE_SECONDS
        process = self._process
        while process is not None:
            born = time.monotonic()
            error = self._live(process)
            lived = time.monotonic() - born
            pause = _FIRST_PAUSE_SECONDS if lived > 60 else min(pause * 2, _LONGEST_PAUSE_SECONDS)
            process = self._next_life(error, pause)

    def _live(self, process: DriverProcess) -> SqeError | None:
        """One life from its connection to its end; the error is what kept it from starting."""
        error = self._connect(process)
        if error is not None:
            process.stop()
        code = process.wait()
        process.remove_folder()
        with self._changed:
            gateway, self._gateway = self._gateway, None
            self._start_error = error
            self._changed.notify_all()
            if not self._stopping:
                log.error("the driver JVM ended with code %s", code)
        if gateway is not None:
            gateway.close()
        return error

    def _next_life(self, error: SqeError | None, pause: float) -> DriverProcess | None:
        """Starts the JVM again: at once after a life that had started well. None when the owner stops meanwhile."""
        while True:
            with self._changed:
                if self._changed.wait_for(lambda: self._stopping, pause if error else 0):
                    return None
            try:
                process = DriverProcess(self._options)
            except (SqeError, OSError) as failure:
                log.error("the driver JVM could not be started again: %s", failure)
                error = failure if isinstance(failure, SqeError) else _not_started()
                with self._changed:
                    self._start_error = error
                    self._changed.notify_all()
                continue
            with self._changed:
                if not self._stopping:
                    self._process = process
                    self._start_error = None
                    self.restarts += 1
                    return process
            process.stop()
            return None

    def _connect(self, process: DriverProcess) -> SqeError | None:
        try:
            gateway = _open_gateway(process.gateway_port(), process.secret)
            answer = json.loads(gateway.entry_point.awaitReady())
        except SqeError as error:
            return error
        except ValueError:  # Java says what is wrong with its flags where the boot class says its port
            return SqeError(
                errors.CONFIGURATION_INVALID,
                f"Java could not start the query engine (exit code {process.wait()})",
                hint="engine.driver_memory may be larger than this machine's memory",
            )
        except Exception as broken:  # noqa: BLE001 - whatever py4j raises when the JVM dies under it
            log.error("no link to the driver JVM: %s", broken)
            return _not_started()
        if "error" in answer:
            log.error("Spark could not be started: %s", answer["error"]["messages"])
            return SqeError(errors.CONFIGURATION_INVALID, "Spark could not be started", hint=_SEE_LOG)
        with self._changed:
            self._gateway = gateway
            self.generation += 1
            self._changed.notify_all()
        return None


def _open_gateway(port: int, secret: str) -> JavaGateway:
    from py4j.java_gateway import GatewayClient, GatewayParameters, JavaGateway
    from py4j.protocol import is_fatal_error

    logging.getLogger("py4j").setLevel(logging.CRITICAL)  # a dead driver is said once, by `_live`, and without tracebacks

    class BoundedClient(GatewayClient):  # type: ignore[misc]
        """py4j's client, except that it sends nothing twice and keeps few connections.

        Its own sends a command again when the answer is empty: a statement would run twice. And it keeps every connection
        that it ever opened, each with a thread in the JVM.
        """

        def send_command(self, command: str, retry: bool = False, binary: bool = False) -> Any:
            connection = self._get_connection()
            try:
                response = connection.send_command(command)
            except BaseException:
                connection.close(False)
                raise
            if is_fatal_error(response):
                connection.close(False)
            else:
                self._give_back_connection(connection)
            return response

        def _give_back_connection(self, connection: Any) -> None:
            if len(self.deque) < 4:
                super()._give_back_connection(connection)
            else:
                connection.close()

    parameters = GatewayParameters(address="127.0.0.1", port=port, auth_token=secret, auto_convert=False)
    return JavaGateway(gateway_client=BoundedClient(gateway_parameters=parameters), gateway_parameters=parameters)
