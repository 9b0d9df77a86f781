"""Sends requests through the emulator's guard to a service that only records them, and prints what has reached it.

Run in local/emulator, with the file of the keys in BERTH_KEYS_FILE.
"""

import asyncio
import json
import os
import sys
import time

sys.path.insert(0, os.getcwd())

from ministack import app as emulator  # noqa: E402
from ministack.services import sts  # noqa: E402

import guard  # noqa: E402
import signature  # noqa: E402

with open(os.environ["BERTH_KEYS_FILE"], encoding="utf-8") as file:
    KEYS = json.load(file)
reached = []


async def service(scope, receive, send):
    reached.append({"type": scope["type"], "headers": sorted(name.decode() for name, _ in scope["headers"])})


async def ask(kind, secret):
    headers = [(b"host", b"localhost"), (b"X-Berth-Front", secret.encode())]
    path = "/_aws/execute-api/b/live"
    scope = {"type": kind, "method": "GET", "path": path, "raw_path": path.encode(), "query_string": b"", "headers": headers}
    before = len(reached)

    async def receive():
        return {"type": "http.request", "body": b""}

    async def send(message):
        pass

    await emulator.app(scope, receive, send)
    return reached[before:]


emulator.app = service
guard.install()
sts._sessions["EXPIRED"] = {"SecretAccessKey": "expired", "Expiration": time.time() - 1}
sts._sessions["OPEN"] = {"SecretAccessKey": "open", "Expiration": time.time() + 60}
print(
    json.dumps(
        {
            "front": asyncio.run(ask("http", KEYS["frontSecret"])),
            "frontSocket": asyncio.run(ask("websocket", KEYS["frontSecret"])),
            "other": asyncio.run(ask("http", "guessed")),
            "otherSocket": asyncio.run(ask("websocket", "guessed")),
            "sessions": [signature.secret_of(name, KEYS) for name in ("OPEN", "EXPIRED", "UNKNOWN")],
            "variables": [name for name in os.environ if name.startswith("BERTH_KEYS")],
        }
    )
)
