import type { SigningKeys } from '../../shared/signing-keys.js';
import type { Workspace } from '../workspaces/workspace.js';
import { NodeRefused } from './errors.js';
import { ManagementTokens } from './management-tokens.js';
import type { NodeAddress } from './node-address.js';

/** All that it takes to call a node. */
export interface NodeAccess {
  readonly keys: SigningKeys;
  readonly address: NodeAddress;
  readonly now: Date;
  readonly timeoutMs: number;
}

/** Of this process, by who signs them. */
const tokens = new WeakMap<SigningKeys, ManagementTokens>();

/** A token for calls about one workspace of the node. */
export function managementToken(
  { keys, address, now }: NodeAccess,
  { workspaceId, userId }: Pick<Workspace, 'workspaceId' | 'userId'>,
): Promise<string> {
  const own = tokens.get(keys) ?? new ManagementTokens(keys);
  tokens.set(keys, own);
  return own.of({ sub: userId, node: address.nodeId, workspace: workspaceId }, now);
}

/**
 * For what is to be gone from a node: that the node does not know it is as good. Only the agent's own word counts; a 404
 * of anything else between is no answer of the agent.
 */
export function unlessUnknown(error: unknown): void {
  if (!(error instanceof NodeRefused && error.status === 404 && error.reason === 'not_found')) throw error;
}
