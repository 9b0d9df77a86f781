import type {
  PermissionOptionKind,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk';

const allowing: readonly PermissionOptionKind[] = ['allow_once', 'allow_always'];
const refusing: readonly PermissionOptionKind[] = ['reject_once', 'reject_always'];

/**
 * Decides without asking anybody. A harness runs inside the workspace of the person who started it, so what it may do is
 * what that person may; the modes that promise otherwise (`plan`, `dontAsk`) refuse. A single allowance is preferred to
 * one for ever, and where no fitting answer is offered the request is cancelled.
 */
export function decidePermission(
  { options }: RequestPermissionRequest,
  permissionMode: string | null,
): RequestPermissionResponse {
  const wanted = permissionMode === 'plan' || permissionMode === 'dontAsk' ? refusing : allowing;
  for (const kind of wanted) {
    const option = options.find((offered) => offered.kind === kind);
    if (option) return { outcome: { outcome: 'selected', optionId: option.optionId } };
  }
  return { outcome: { outcome: 'cancelled' } };
}
