"""One correction of the emulator's table streams: what a transaction writes is read from them together.

It writes one item of a transaction after the other, and wakes the readers at the first, so that they mostly get the rest in
another batch. DynamoDB shows nothing of a transaction before all of it, and Lambda reads a shard four times a second.
"""

import threading

from ministack.services import dynamodb


def install() -> None:
    lock = threading.RLock()
    transact = dynamodb._transact_write_items
    records_since = dynamodb.stream_records_since

    def transact_whole(data):
        with lock:
            return transact(data)

    def whole_records_since(*args, **scope):
        with lock:
            return records_since(*args, **scope)

    dynamodb._transact_write_items = transact_whole
    dynamodb.stream_records_since = whole_records_since
