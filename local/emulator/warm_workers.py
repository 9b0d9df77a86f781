"""A burst of calls of one function waits for the processes that it has, rather than starting one for each call.

The emulator starts a process for every call that finds none free, as Lambda does. Lambda has a core for each; a laptop has
a few for all: thirty starts at once take ten seconds there, and thirty calls of warm processes three. So a call beyond the
first processes of its function waits for one of them, as long as one comes free within a second (up to five on a busy
machine), and only then gets its own: calls that wait for each other come to their end all the same. A process of its own
needs a place (function_places.py). No more start at a time than the machine has cores: twenty at once on a busy machine
took all time from the calls that ran, which then failed by their time limit.
"""

import os
import threading
import time

from ministack.core import lambda_runtime
from ministack.services import lambda_svc

import function_places

CORES = os.cpu_count() or 1
PROCESSES = max(4, CORES)
PATIENCE_SECONDS = 1
MOST_PATIENCE_SECONDS = 5

starts = threading.Semaphore(CORES)

freed = threading.Condition()
freed_at: dict[str, float] = {}


def install() -> None:
    acquire, release = lambda_svc.acquire_worker, lambda_svc.release_worker
    function_places.install()

    def acquire_soon(func_name, config, code_zip, qualifier="$LATEST"):
        key = lambda_runtime._worker_key(func_name, config, qualifier)
        since = time.monotonic()
        with freed:
            while not may_acquire(key, max(since, freed_at.get(func_name, 0))):
                freed.wait(PATIENCE_SECONDS / 2)
            return acquire(func_name, config, code_zip, qualifier=qualifier)

    def release_and_tell(worker):
        release(worker)
        with freed:
            if worker is not None:
                freed_at[worker.func_name] = time.monotonic()
                function_places.freed(worker)
            freed.notify_all()

    spawn = lambda_runtime.Worker._spawn

    def spawn_in_turn(worker):
        with starts:
            spawn(worker)

    lambda_svc.acquire_worker = acquire_soon
    lambda_svc.release_worker = release_and_tell
    lambda_runtime.Worker._spawn = spawn_in_turn


def may_acquire(key: str, waiting_since: float) -> bool:
    """Whether a process of this function is free, or one more may start."""
    with lambda_runtime._lock:
        entries = list(lambda_runtime._workers.get(key, []))
    if any(not worker.in_use for worker in entries):
        return True
    is_patient = time.monotonic() < waiting_since + patience()
    return not (is_patient and len(entries) >= PROCESSES) and function_places.take()


def patience() -> float:
    """In seconds: how many programs want a core, one minute's mean."""
    return min(MOST_PATIENCE_SECONDS, max(PATIENCE_SECONDS, os.getloadavg()[0] / CORES))
