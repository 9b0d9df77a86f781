"""Lets only callers of this laptop cloud reach the emulator: by itself it serves every page that the person visits.

Nothing of a request is routed before these checks. BERTH_KEYS_FILE names the file of the keys.

Host: a page whose name leads here by DNS rebinding has another name than this machine's.
Origin and Sec-Fetch-Site: no page calls AWS. The console alone reads and uploads objects, by presigned addresses.
Signature: everything else is signed with the key of the state folder (signature.py). Functions find it in their environment.
Front: the HTTP and WebSocket APIs take unsigned requests, so only the front reaches them, by a secret header.
"""

import hmac
import json
import os
import re
from urllib.parse import parse_qs

from ministack import app as emulator
from ministack.core import lambda_runtime, sigv4
from ministack.services import lambda_svc

import signature

PORT = re.compile(r":\d+\Z")
OWN_NAMES = {"localhost", "127.0.0.1", "[::1]"}
FRONT_HEADER = "x-berth-front"
API_PATH = "/_aws/execute-api/"
NO_SITE = (None, "none", "same-origin")
PREFLIGHT = [(b"access-control-allow-methods", b"GET, PUT"), (b"access-control-allow-headers", b"content-type")]


def install() -> None:
    file = os.environ.pop("BERTH_KEYS_FILE", None)
    if not file:
        raise SystemExit("BERTH_KEYS_FILE must name the file of the keys, keys.json in the state folder.")
    with open(file, encoding="utf-8") as opened:
        keys = json.load(opened)
    give_functions(keys)
    emulator.app = guarded(emulator.app, keys, os.environ.pop("BERTH_CONSOLE_ORIGIN", None))


def give_functions(keys) -> None:
    """As Lambda gives its functions the credentials of their role. The emulator looks for the key of presigned addresses here."""
    credentials = {
        "AWS_ACCESS_KEY_ID": keys["accessKeyId"],
        "AWS_SECRET_ACCESS_KEY": keys["secretAccessKey"],
        "AWS_SESSION_TOKEN": "",
    }
    os.environ.update(credentials)
    for module in (lambda_runtime, lambda_svc):
        module.execution_credentials = lambda config: dict(credentials)


def guarded(app, keys, console):
    async def handle(scope, receive, send):
        if scope["type"] not in ("http", "websocket"):
            return await app(scope, receive, send)
        headers = headers_of(scope)
        if PORT.sub("", headers.get("host", "")).lower() not in OWN_NAMES:
            return await refuse(scope, receive, send, "This name is not served here.")
        if is_front(scope, headers, keys):
            return await app(without_secret(scope), receive, send)
        if scope["type"] == "websocket":
            return await refuse(scope, receive, send, "Only the front reaches the WebSocket API.")
        query = parse_qs(scope.get("query_string", b"").decode("utf-8", "replace"), keep_blank_values=True)
        is_presigned = "authorization" not in headers and "X-Amz-Signature" in query
        if is_of_page(headers, console if is_presigned else None):
            return await refuse(scope, receive, send, "Pages of other origins are not served here.")
        # Only the console at a presigned address comes here with an origin.
        if scope["method"] == "OPTIONS" and "origin" in headers:
            return await answer(allowing(send, console, PREFLIGHT), 204, b"")
        checked = await signature.checked(scope, receive, (headers, query, is_presigned), keys)
        if checked is None:
            return await refuse(scope, receive, send, "The request is not signed with the key of this laptop cloud.")
        return await app(scope, checked, allowing(send, headers.get("origin")))

    return handle


def headers_of(scope) -> dict:
    """As the emulator reads them."""
    headers: dict = {}
    for name, value in scope["headers"]:
        name = name.decode("latin-1").lower()
        value = sigv4.decode_header_value(value)
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers


def is_front(scope, headers, keys) -> bool:
    path = scope["path"]
    secret = headers.get(FRONT_HEADER, "").encode()
    is_api = path.startswith(API_PATH) and "/@connections" not in path
    return is_api and hmac.compare_digest(secret, keys["frontSecret"].encode())


def without_secret(scope) -> dict:
    return {**scope, "headers": [each for each in scope["headers"] if each[0].lower() != FRONT_HEADER.encode()]}


def is_of_page(headers, console) -> bool:
    if "origin" in headers:
        return headers["origin"] != console
    # A presigned address is followed from anywhere: it is worth its one request.
    return headers.get("sec-fetch-site") not in NO_SITE and console is None


def allowing(send, origin, more=()):
    """Replaces the CORS headers of the emulator, which allow every origin everything."""
    own = [(b"access-control-allow-origin", origin.encode()), (b"vary", b"origin"), *more] if origin else []

    async def send_without(message):
        if message["type"] == "http.response.start":
            kept = [each for each in message.get("headers", []) if not each[0].lower().startswith(b"access-control-")]
            message = {**message, "headers": [*kept, *own]}
        await send(message)

    return send_without


async def refuse(scope, receive, send, reason: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        return await send({"type": "websocket.close", "code": 1008})
    await answer(send, 403, f"{reason}\n".encode())


async def answer(send, status: int, body: bytes) -> None:
    headers = [(b"content-type", b"text/plain"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
