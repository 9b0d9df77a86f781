"""Checks AWS Signature Version 4 of requests to the emulator, which looks at no signature itself.

The access key id is in every presigned address that leaves this machine, so only the secret opens the services. A presigned
address opens one object of S3, once or more until it expires; nothing unsigned may turn it into another request. Forms with
a signed policy are refused: nothing here makes any.
"""

import hashlib
import hmac
import os
from datetime import datetime, timedelta, timezone

from ministack.core import sigv4
from ministack.core.router import detect_service
from ministack.services import sts

MAX_SECONDS = 7 * 24 * 3600
MAX_SKEW = timedelta(minutes=15)
# Sweeps of integration tests sign with the time that they simulate.
MAX_AHEAD = timedelta(days=366) if os.environ.get("BERTH_SIMULATES_TIME") else MAX_SKEW
UNHASHED = ("UNSIGNED-PAYLOAD", "STREAMING-")


async def checked(scope, receive, parts, keys):
    """The body to read on, or None for a request that nobody signed who has the key."""
    headers, query, is_presigned = parts
    signature = parse(headers, query, is_presigned)
    secret = signature and secret_of(signature.access_key_id, keys)
    if not secret:
        return None
    if not (is_open(signature, query) and is_one_object(scope, headers, query, signature) if is_presigned else is_recent(signature)):
        return None
    declared = "UNSIGNED-PAYLOAD" if is_presigned else headers.get("x-amz-content-sha256", "")
    body = b""
    if not declared.startswith("UNSIGNED-") and not declared.startswith("STREAMING-UNSIGNED-"):
        body, receive = await read(receive)
        if declared and not declared.startswith(UNHASHED) and declared != hashlib.sha256(body).hexdigest():
            return None
    raw_path = (scope.get("raw_path") or b"/").decode("latin-1")
    failure = sigv4.header_signature_failure(
        signature, secret, scope["method"], raw_path, query, headers, body, presigned=is_presigned
    )
    return None if failure else receive


def secret_of(access_key_id, keys):
    """Of the state folder's key, or of a role that was assumed with it, as the CDK does."""
    if hmac.compare_digest(access_key_id.encode(), keys["accessKeyId"].encode()):
        return keys["secretAccessKey"]
    session = sts._sessions.get(access_key_id)
    return session["SecretAccessKey"] if session and not sts._session_expired(session) else None


def parse(headers, query, is_presigned):
    if is_presigned:
        signature = sigv4.parse_query_signature(query)
    elif headers.get("authorization", "").startswith("AWS4-HMAC-SHA256 "):
        signature = sigv4.parse_header_signature(headers)
    else:
        return None
    is_whole = isinstance(signature, sigv4.HeaderSignature) and signature.signature.isascii()
    return signature if is_whole and "host" in signature.signed_headers.split(";") else None


def is_recent(signature) -> bool:
    signed_at = time_of(signature.amz_date)
    return signed_at is not None and abs(datetime.now(timezone.utc) - signed_at) <= MAX_SKEW


def is_open(signature, query) -> bool:
    signed_at = time_of(signature.amz_date)
    expires = query.get("X-Amz-Expires", [""])[0]
    if signed_at is None or not expires.isdecimal() or int(expires) > MAX_SECONDS:
        return False
    now = datetime.now(timezone.utc)
    return signed_at - MAX_AHEAD <= now <= signed_at + timedelta(seconds=int(expires))


def is_one_object(scope, headers, query, signature) -> bool:
    """A header can choose another service, or another object to copy from."""
    signed = set(signature.signed_headers.split(";"))
    if any(name.startswith("x-amz-") and name not in signed for name in headers):
        return False
    return detect_service(scope["method"], scope["path"], headers, query) == "s3"


def time_of(text: str):
    try:
        return datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=timezone.utc)
    except ValueError:
        return None


async def read(receive):
    """The whole body, and what gives it once more."""
    chunks, more = [], True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            break
        chunks.append(message.get("body", b""))
        more = message.get("more_body", False)
    body = b"".join(chunks)
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def again():
        return waiting.pop() if waiting else await receive()

    return body, again
