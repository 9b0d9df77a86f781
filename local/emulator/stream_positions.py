"""One correction of the emulator's saved state: where the readers of table streams go on.

It saves how many records each reader has read, but not the records, and a stream begins at nought again at the next
start. A reader would wait until as many new records have been written as it had read before, and miss all of them.
"""

from ministack.services import lambda_svc


def install() -> None:
    load = lambda_svc.load_persisted_state

    def load_and_rewind(data):
        load(data)
        positions = lambda_svc._dynamodb_stream_positions
        with lambda_svc._dynamodb_stream_positions_lock:
            for key in list(positions._data):
                positions._data[key] = 0

    lambda_svc.load_persisted_state = load_and_rewind
