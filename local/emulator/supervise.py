"""Runs the AWS emulator in this process and ends with whoever started it.

Standard input is a pipe that the parent holds open. When it closes, the parent is gone, however it died, and the
emulator is asked to end as if by SIGTERM, which saves its state. The marker that BERTH_SAVED_MARKER names is written once
all of it is saved: also when the parent was killed and nobody else is left to write it.
"""

import os
import signal
import sys
import threading
import time

GRACE_SECONDS = 15


def end_with_parent() -> None:
    # Not sys.stdin: this thread would hold its lock at the interpreter's end and abort the process.
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE_SECONDS)
    os._exit(1)


threading.Thread(target=end_with_parent, daemon=True).start()

from ministack.app import main  # noqa: E402  (the thread first: an import takes a second)

import aws_calls  # noqa: E402
import guard  # noqa: E402
import node_worker  # noqa: E402
import stream_positions  # noqa: E402
import usage  # noqa: E402
import waiting_steps  # noqa: E402
import warm_workers  # noqa: E402
import whole_transactions  # noqa: E402

guard.install()
node_worker.install()
stream_positions.install()
waiting_steps.install()
whole_transactions.install()
usage.install()
warm_workers.install()
aws_calls.install()
sys.argv = ["ministack"]
main()
if marker := os.environ.get("BERTH_SAVED_MARKER"):
    with open(marker, "w", encoding="utf-8") as file:
        file.write(time.strftime("%Y-%m-%dT%H:%M:%SZ\n", time.gmtime()))
