import type { SigningKeys } from '../../shared/signing-keys.js';
import type { Table } from '../../shared/table.js';
import { nodeTimeouts } from '../node-client/node-access.js';
import { addressOf } from '../node-client/node-address.js';
import { NodePrompts } from '../node-client/prompt-calls.js';
import { findNode } from '../nodes/find-node.js';
import type { Target } from './choose-step.js';

export interface NodeParts {
  readonly keys: SigningKeys;
  readonly now: Date;
}

/** The node of an agent session; nothing where there is none to call any more. One table call. */
export async function openNode(
  table: Table,
  { keys, now }: NodeParts,
  { workspace, session }: Target,
): Promise<NodePrompts | undefined> {
  if (!workspace?.nodeId || !session) return undefined;
  const address = addressOf(await findNode(table, workspace.nodeId));
  if (!address) return undefined;
  return NodePrompts.open({ keys, address, now, timeoutMs: nodeTimeouts.request }, session);
}
