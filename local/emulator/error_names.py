"""Lets the emulator report the name of an error that a Node function throws, as Lambda does.

The emulator's Node worker passes on an error's message only and calls every error `Runtime.HandlerError`. State machines
choose by the name, so without this every retry and catch of a named error would go astray on this machine. The name
travels in front of the message, between two marks that no message holds, and is taken off again before anybody sees it.
An emulator whose worker reads otherwise is left as it is.
"""

from ministack.core import lambda_runtime
from ministack.services import lambda_svc

MARK = "\u0001"
PLAIN = "error: String(err.message || err), trace:"
NAMED = 'error: "\\u0001" + ((err && err.name) || "Error") + "\\u0001" + String(err.message || err), trace:'


def install() -> None:
    script = lambda_runtime._NODEJS_WORKER_SCRIPT
    if PLAIN not in script:
        print("error_names: the emulator's Node worker has changed; error names are not reported", flush=True)
        return
    lambda_runtime._NODEJS_WORKER_SCRIPT = script.replace(PLAIN, NAMED)
    run = lambda_svc._execute_function_warm

    def run_and_name(func, event, request_id):
        result = run(func, event, request_id)
        body = result.get("body") if isinstance(result, dict) else None
        message = body.get("errorMessage") if isinstance(body, dict) else None
        if result.get("error") and isinstance(message, str) and message.startswith(MARK):
            _, name, text = message.split(MARK, 2)
            body.update(errorType=name, errorMessage=text)
        return result

    lambda_svc._execute_function_warm = run_and_name
