"""A step that waits for a task token fails at once when its function fails, as in Step Functions.

The emulator forgets that failure and waits for the token until the step's time-out, so no retry or catch of it is taken
in time. Here the failure is put where the answer to the token would be, which ends the wait.
"""

import contextvars

from ministack.services import stepfunctions

waiting_token = contextvars.ContextVar("waiting_token", default=None)


def install() -> None:
    wait = stepfunctions._invoke_with_callback
    call = stepfunctions._call_lambda

    def wait_with_token(resource, input_data, token, state_def):
        reset = waiting_token.set(token)
        try:
            return wait(resource, input_data, token, state_def)
        finally:
            waiting_token.reset(reset)

    def call_and_tell(func_ref, event):
        try:
            return call(func_ref, event)
        except stepfunctions._ExecutionError as error:
            report(error)
            raise

    stepfunctions._invoke_with_callback = wait_with_token
    stepfunctions._call_lambda = call_and_tell


def report(error) -> None:
    info = stepfunctions._task_tokens.get(waiting_token.get())
    # A token that was answered before its function failed stays answered.
    if info is None or info["event"].is_set():
        return
    info["error"] = {"Error": error.error, "Cause": error.cause}
    info["event"].set()
