import { GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { UsageWindow } from '../../../protocol/agent-callbacks.js';
import { Ulid } from '../../../protocol/ids.js';
import type { Table } from '../../shared/table.js';
import { CredentialOwner } from './credential.js';
import { providers } from './providers.js';

/** Which credential an agent session was given last: what its use and its renewals are counted to. */
export const CredentialUse = z.object({
  workspaceId: Ulid,
  agentSessionId: z.string(),
  provider: z.enum(providers),
  owner: CredentialOwner,
  credentialReference: z.string(),
  generation: z.int(),
  usedAt: z.iso.datetime(),
  /** What the session has seen of its limits, the newest of each. */
  windows: z._default(z.array(UsageWindow), []),
});
export type CredentialUse = z.infer<typeof CredentialUse>;

export const credentialUseKey = (workspaceId: string, agentSessionId: string) => ({
  pk: `WORKSPACE#${workspaceId}`,
  sk: `CREDENTIALUSE#${agentSessionId}`,
});

export const credentialUseItem = (use: CredentialUse) => ({
  ...credentialUseKey(use.workspaceId, use.agentSessionId),
  entity: 'credential-use',
  schemaVersion: 1,
  ...use,
});

/** One table call. */
export async function findCredentialUse(
  table: Table,
  { workspaceId, agentSessionId }: Pick<CredentialUse, 'workspaceId' | 'agentSessionId'>,
): Promise<CredentialUse | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({
      TableName: table.name,
      Key: credentialUseKey(workspaceId, agentSessionId),
      ConsistentRead: true,
    }),
  );
  return Item && CredentialUse.parse(Item);
}
