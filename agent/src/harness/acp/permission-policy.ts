import type {
  PermissionOptionKind,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk';

const allowing: readonly PermissionOptionKind[] = ['allow_once', 'allow_always'];
const refusing: readonly PermissionOptionKind[] = ['reject_once', 'reject_always'];

/**
 * Answers permission requests without asking a person. A harness has the rights of the person who
 * started it, so requests are allowed; the modes `plan` and `dontAsk` refuse. Prefers a single
 * allowance to a lasting one. Cancels a request without a matching option.
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
