"""Writes down what would be billed in the cloud, one line of JSON each, into the file that BERTH_USAGE_FILE names.

Only benchmarks ask for it. Capacity of writes is the emulator's own count, by size, index and transaction; a refused write
counts as one that was made. Reads count by the size of what they answer.
"""

import json
import math
import os
import threading
import time

from ministack import app
from ministack.services import apigateway, dynamodb, lambda_svc, stepfunctions

lock = threading.Lock()


def install() -> None:
    path = os.environ.get("BERTH_USAGE_FILE")
    if not path:
        return
    file = open(path, "a", encoding="utf-8")

    def note(**line):
        with lock:
            file.write(json.dumps(line) + "\n")
            file.flush()

    count_requests(note)
    count_functions(note)
    count_states(note)
    count_frames(note)


def count_requests(note) -> None:
    for service, handler in list(app.SERVICE_HANDLERS.items()):
        app.SERVICE_HANDLERS[service] = counted_table(handler, note) if service == "dynamodb" else counted(service, handler, note)


def counted(service, handler, note):
    async def handle(method, path, headers, body, query_params):
        answer = await handler(method, path, headers, body, query_params)
        note(kind="request", service=service, action=action_of(headers) or method)
        return answer

    return handle


def counted_table(handler, note):
    async def handle(method, path, headers, body, query_params):
        action = action_of(headers)
        asked = json.loads(body) if body else {}
        wanted = {**asked, "ReturnConsumedCapacity": "TOTAL"}
        answer = await handler(method, path, headers, json.dumps(wanted).encode(), query_params)
        status, content = answer[0], json.loads(answer[2] or b"{}")
        if action in READS:
            note(kind="table", action=action, read=READS[action](asked, content), write=0, items=0)
        elif action in WRITES:
            write = consumed(content) if status < 400 else refused(asked)
            note(kind="table", action=action, read=0, write=write, items=len(asked.get("TransactItems", [0])))
        return answer

    return handle


def action_of(headers) -> str:
    return headers.get("x-amz-target", "").split(".")[-1]


def consumed(content) -> float:
    capacity = content.get("ConsumedCapacity", [])
    return sum(each["CapacityUnits"] for each in (capacity if isinstance(capacity, list) else [capacity]))


def refused(asked) -> float:
    return 2 * len(asked["TransactItems"]) if "TransactItems" in asked else 1


def units(items, is_consistent) -> float:
    """Of what is read together: 4 KB a unit, half of that where the newest state is not asked for."""
    size = sum(dynamodb._item_size_bytes(item) for item in items)
    return max(1, math.ceil(size / 4096)) * (1 if is_consistent else 0.5)


def of_item(asked, content) -> float:
    return units([content["Item"]] if "Item" in content else [], asked.get("ConsistentRead"))


def of_query(asked, content) -> float:
    return units(content.get("Items", []), asked.get("ConsistentRead"))


def of_batch(asked, content) -> float:
    total = 0
    for table, request in asked["RequestItems"].items():
        found = content.get("Responses", {}).get(table, [])
        is_consistent = request.get("ConsistentRead")
        total += sum(units([item], is_consistent) for item in found)
        total += (len(request["Keys"]) - len(found)) * units([], is_consistent)
    return total


READS = {"GetItem": of_item, "Query": of_query, "BatchGetItem": of_batch}
WRITES = {"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"}


def count_functions(note) -> None:
    run = lambda_svc._execute_function_warm

    def run_and_count(func, event, request_id):
        began = time.monotonic()
        result = run(func, event, request_id)
        config = func.get("config") or func
        note(
            kind="function",
            name=config.get("FunctionName"),
            trigger=trigger_of(event),
            ms=round((time.monotonic() - began) * 1000, 1),
            mb=config.get("MemorySize", 128),
            answered=len(json.dumps(result.get("body"))),
            logged=len(result.get("log") or ""),
            reported=config.get("LoggingConfig", {}).get("SystemLogLevel", "INFO") in ("INFO", "DEBUG"),
        )
        return result

    lambda_svc._execute_function_warm = run_and_count


def trigger_of(event) -> str:
    if not isinstance(event, dict):
        return "step"
    if event.get("Records"):
        return event["Records"][0].get("eventSource", "")
    context = event.get("requestContext", {})
    if "connectionId" in context:
        return "socket"
    if "http" in context:
        return "http"
    return "schedule" if event.get("source") == "aws.events" else "step"


def count_states(note) -> None:
    add = stepfunctions._add_event

    def add_and_count(execution, event_type, details=None):
        if event_type.endswith("StateEntered"):
            note(kind="state", name=details["stateEnteredEventDetails"]["name"])
        return add(execution, event_type, details)

    stepfunctions._add_event = add_and_count


def count_frames(note) -> None:
    handle = apigateway.handle_connections_api

    async def handle_and_count(method, api_id, stage, connection_id, body, headers):
        if method == "POST":
            note(kind="frame", bytes=len(body))
        return await handle(method, api_id, stage, connection_id, body, headers)

    apigateway.handle_connections_api = handle_and_count
