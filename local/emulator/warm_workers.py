"""A burst of calls of one function waits for the processes that it has, rather than starting one for each call.

The emulator starts a process for every call that finds none free, as Lambda does. Lambda has a core for each; a laptop has
a few for all: thirty starts at once take ten seconds there, and thirty calls of warm processes three. So a call beyond the
first processes of its function waits for one of them, as long as one comes free within a second, and only then gets its
own: calls that wait for each other come to their end all the same.
"""

import os
import threading
import time

from ministack.services import lambda_svc

PROCESSES = max(4, os.cpu_count() or 1)
PATIENCE_SECONDS = 1

freed = threading.Condition()
freed_at: dict[str, float] = {}


def install() -> None:
    acquire, release = lambda_svc.acquire_worker, lambda_svc.release_worker

    def acquire_soon(func_name, config, code_zip, qualifier="$LATEST"):
        since = time.monotonic()
        with freed:
            while (left := max(since, freed_at.get(func_name, 0)) + PATIENCE_SECONDS - time.monotonic()) > 0:
                worker, reason = acquire(func_name, config, code_zip, qualifier=qualifier, max_concurrency=PROCESSES)
                if worker is not None:
                    return worker, reason
                freed.wait(left)
        return acquire(func_name, config, code_zip, qualifier=qualifier)

    def release_and_tell(worker):
        release(worker)
        with freed:
            if worker is not None:
                freed_at[worker.func_name] = time.monotonic()
            freed.notify_all()

    lambda_svc.acquire_worker = acquire_soon
    lambda_svc.release_worker = release_and_tell
