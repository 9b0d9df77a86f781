"""Two corrections of the emulator's Node worker, so that functions behave here as they do in Lambda.

Each is a change of one line of the worker's text. An emulator whose worker reads otherwise is left as it is, and says so
in its log.

Error names: the worker passes on an error's message only, and every error is called `Runtime.HandlerError`. State machines
choose by the name, so every retry and catch of a named error would go astray. The name travels in front of the message,
between two marks that no message holds, and is taken off again before anybody sees it.

HTTPS on this machine: the worker turns every HTTPS call to the loopback address into a plain one, meant for the emulator
itself. Nodes are there too, on ports of their own, and speak TLS only.
"""

from ministack.core import lambda_runtime
from ministack.services import lambda_svc

MARK = "\u0001"
PLAIN_ERROR = "error: String(err.message || err), trace:"
NAMED_ERROR = 'error: "\\u0001" + ((err && err.name) || "Error") + "\\u0001" + String(err.message || err), trace:'
DOWNGRADE = '    const advertised = (process.env.MINISTACK_HOST || "").split(":")[0];\n'
KEEP_TLS = (
    '    if (options.port && String(options.port) !== "443" && Number(options.port) !== msPort) {\n'
    "      return origHttpsReq.apply(https, original);\n"
    "    }\n"
)


def install() -> None:
    correct(PLAIN_ERROR, NAMED_ERROR, "error names are not reported")
    correct(DOWNGRADE, KEEP_TLS + DOWNGRADE, "functions cannot call nodes")
    run = lambda_svc._execute_function_warm

    def run_and_name(func, event, request_id):
        result = run(func, event, request_id)
        body = result.get("body") if isinstance(result, dict) else None
        message = body.get("errorMessage") if isinstance(body, dict) else None
        if isinstance(message, str) and message.startswith(MARK):
            _, name, text = message.split(MARK, 2)
            body.update(errorType=name, errorMessage=text)
        return result

    lambda_svc._execute_function_warm = run_and_name


def correct(old: str, new: str, loss: str) -> None:
    script = lambda_runtime._NODEJS_WORKER_SCRIPT
    if old not in script:
        print(f"node_worker: the emulator's Node worker has changed: {loss}", flush=True)
    lambda_runtime._NODEJS_WORKER_SCRIPT = script.replace(old, new, 1)
