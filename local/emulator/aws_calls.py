"""Writes down each AWS call of each function, one line of JSON each, into the file that BERTH_CALLS_FILE names.

Only tests ask for it. A line has the function, the IAM action, the resources and the condition keys that the request states; another
line has the policies of the function's role as they are deployed. The user agent of the SDK names the function.
"""

import json
import os
import re
import threading

from ministack import app
from ministack.core import iam_actions, lambda_runtime
from ministack.core.arn import execute_api_arn
from ministack.core.responses import get_account_id
from ministack.core.router import extract_region
from ministack.services import apigateway, iam, lambda_svc

# Powertools puts its own version behind the id.
APP_ID = re.compile(r"\bapp/(\S+?)(?:-PT-NO-OP\S*)?(?:\s|$)")
# The SDK shortens nothing: it warns about longer ids.
MAX_APP_ID = 50
lock = threading.Lock()


def install() -> None:
    path = os.environ.get("BERTH_CALLS_FILE")
    if not path:
        return
    file = open(path, "a", encoding="utf-8")

    def note(**line):
        with lock:
            file.write(json.dumps(line) + "\n")
            file.flush()

    name_functions(note)
    for service, handler in list(app.SERVICE_HANDLERS.items()):
        app.SERVICE_HANDLERS[service] = recorded(service, handler, note)
    record_frames(note)


def name_functions(note) -> None:
    """Gives each function its app id, and notes what its role may do."""
    credentials = lambda_runtime.execution_credentials

    def named(config):
        app_id = config.get("FunctionName", "")[-MAX_APP_ID:]
        role = iam._roles.get(config.get("Role", "").rsplit("/", 1)[-1]) or {}
        policies = [json.loads(each) if isinstance(each, str) else each for each in role.get("InlinePolicies", {}).values()]
        note(kind="function", app=app_id, name=config.get("Description", ""), policies=policies)
        return {**credentials(config), "AWS_SDK_UA_APP_ID": app_id}

    for module in (lambda_runtime, lambda_svc):
        module.execution_credentials = named


def app_of(headers) -> str | None:
    found = APP_ID.search(headers.get("user-agent", ""))
    return found and found.group(1)


def recorded(service, handler, note):
    async def handle(method, path, headers, body, query_params):
        if app_id := app_of(headers):
            for action, resource, keys in checks(service, method, path, headers, body, query_params):
                note(kind="call", app=app_id, action=action, resource=resource, keys=keys)
        return await handler(method, path, headers, body, query_params)

    return handle


def checks(service, method, path, headers, body, query_params):
    params = app._routing_params(method, path, headers, body, query_params)
    action = iam_actions.extract_iam_action(service, method, path, headers, body, params)
    if action is None:
        return [(f"{service}:unknown", path, {})]
    scope = (extract_region(headers, query_params), get_account_id())
    if service == "sqs":
        # The batch calls need the action of the single message.
        action = action.removesuffix("Batch")
    if service == "dynamodb":
        return table_checks(action, json.loads(body or b"{}"), scope)
    resource = iam_actions.extract_resource_arn(service, method, path, headers, body, params, *scope)
    # A task token does not state its state machine, and the policy states a secret otherwise than the request.
    if action.startswith("states:SendTask") or service == "secretsmanager":
        resource = ""
    keys = iam_actions.request_tag_context(service, action, body, params)
    if prefix := query_params.get("prefix"):
        keys["s3:prefix"] = prefix
    return [(action, resource, {name: value for name, value in keys.items() if value is not None})]


ITEM_ACTIONS = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem"}


def table_checks(action, asked, scope):
    """A transaction needs the actions of its items, each on its table and with its partition key."""
    if "TransactItems" in asked:
        items = [(ITEM_ACTIONS[kind], item) for each in asked["TransactItems"] for kind, item in each.items()]
        return [table_check(f"dynamodb:{name}", item, scope) for name, item in items]
    if "RequestItems" in asked:
        return [table_check(action, {"TableName": table}, scope) for table in asked["RequestItems"]]
    return [table_check(action, asked, scope)]


def table_check(action, asked, scope):
    region, account = scope
    table = f"arn:aws:dynamodb:{region}:{account}:table/{asked.get('TableName')}"
    index = asked.get("IndexName")
    pk = (asked.get("Key") or asked.get("Item") or {}).get("pk", {}).get("S")
    return action, f"{table}/index/{index}" if index else table, {"dynamodb:LeadingKeys": [pk] if pk else []}


def record_frames(note) -> None:
    handle = apigateway.handle_connections_api

    async def record(method, api_id, stage, connection_id, body, headers):
        if app_id := app_of(headers):
            scope = (extract_region(headers), get_account_id(), api_id, stage)
            resource = execute_api_arn(*scope, method, f"/@connections/{connection_id}")
            note(kind="call", app=app_id, action="execute-api:ManageConnections", resource=resource, keys={})
        return await handle(method, api_id, stage, connection_id, body, headers)

    apigateway.handle_connections_api = record
