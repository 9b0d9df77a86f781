"""How many processes of functions may live at a time, by the memory of this machine.

The emulator keeps the first process of each function for ever, and Berth has more than 200 functions: 20 tasks at once took
15 GB. Three eighths of the memory are for them here: 40 processes on a machine with 8 GB. When all places are taken, the
process that has been idle longest ends for a new one. When all are busy, a call waits.

Calls may wait for each other, and then none of them ends. So if no process comes free for some seconds, one more starts, and
ends as soon as it is idle.
"""

import os
import threading
import time

from ministack.core import lambda_runtime
from ministack.services import lambda_svc

SHARE_OF_MEMORY = 3 / 8
# A process with the code of a function has 60 to 75 MB.
PROCESS_BYTES = 75 * 2**20
# Enough for the calls that wait for others, on the smallest machine.
LEAST = 16
STUCK_SECONDS = 5
IDLE_SECONDS = 600

limit = int(os.environ.get("BERTH_FUNCTION_PROCESSES", 0)) or max(
    LEAST, int(lambda_svc._memory_budget_bytes() * SHARE_OF_MEMORY / PROCESS_BYTES)
)
freed_at = time.monotonic()


def install() -> None:
    threading.Thread(target=end_idle_for_ever, daemon=True).start()


def take() -> bool:
    """Whether one more process may start now."""
    global freed_at
    if count() < limit or end_longest_idle():
        return True
    if time.monotonic() - freed_at < STUCK_SECONDS:
        return False
    freed_at = time.monotonic()
    print(f"function_places: all {limit} processes have been busy for {STUCK_SECONDS} s: one more starts", flush=True)
    return True


def freed(worker) -> None:
    """Notes that a process has come free, and ends one that was beyond the limit."""
    global freed_at
    freed_at = time.monotonic()
    worker.last_used = time.time()
    if count() > limit:
        end_longest_idle()


def count() -> int:
    with lambda_runtime._lock:
        return sum(map(len, lambda_runtime._workers.values()))


def end_longest_idle(since: float = 0) -> bool:
    """Ends the process that has been idle longest, if that is at least `since` seconds."""
    with lambda_runtime._lock:
        idle = [worker for entries in lambda_runtime._workers.values() for worker in entries if not worker.in_use]
        oldest = min(idle, key=lambda worker: worker.last_used, default=None)
        if oldest is None or time.time() - oldest.last_used < since:
            return False
        for key, entries in list(lambda_runtime._workers.items()):
            if oldest in entries:
                entries.remove(oldest)
                if not entries:
                    del lambda_runtime._workers[key]
    # A process has two seconds to end; the caller does not wait for them.
    threading.Thread(target=lambda_runtime.kill_workers, args=([oldest],), daemon=True).start()
    return True


def end_idle_for_ever() -> None:
    while True:
        time.sleep(30)
        while end_longest_idle(IDLE_SECONDS):
            pass
