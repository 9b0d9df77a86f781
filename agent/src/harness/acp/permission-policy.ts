import type { RequestPermissionRequest, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import { choose } from '../../interactions/acp-permissions.js';

/**
 * Decides a permission request by the permission mode. Null in the modes that ask, and in an
 * unknown one: a person decides. Prefers a single allowance to a lasting one.
 */
export function decidePermission(
  { options }: Pick<RequestPermissionRequest, 'options'>,
  permissionMode: string | null,
): RequestPermissionResponse | null {
  if (permissionMode === 'bypassPermissions') return choose(options, ['allow_once', 'allow_always']);
  if (permissionMode === 'plan' || permissionMode === 'dontAsk')
    return choose(options, ['reject_once', 'reject_always']);
  return null;
}
