import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { AgentType } from '../../../protocol/agent-sessions.js';
import { Ulid } from '../../../protocol/ids.js';
import { UsageWindow } from '../../../protocol/usage-windows.js';
import type { Table } from '../../shared/table.js';
import type { Item } from '../records/batch-items.js';
import { CredentialOwner, credentialsOf } from '../records/credentials/credential.js';
import { limitLevels } from './limit-level.js';

/** A project in which sessions reported figures of the credential, and when the last one did. */
const UsedIn = z.object({ projectId: Ulid, at: z.iso.datetime() });
export type UsedIn = z.infer<typeof UsedIn>;

/** The newest figures of one rate-limit window of a credential. */
export const CredentialUsage = z.object({
  credentialReference: z.string(),
  /** Rows of before the events have none, and cause none. */
  owner: z.optional(CredentialOwner),
  window: UsageWindow,
  /** Of the window, by the clock of the node. */
  observedAt: z.iso.datetime(),
  /** Rows of before the levels have none. */
  level: z.optional(z.enum(limitLevels)),
  /** The level before, exactly when these figures changed it: the stream makes an event of it. */
  movedFrom: z.optional(z.enum(limitLevels)),
  usedIn: z._default(z.array(UsedIn), []),
  agentType: z.optional(AgentType),
  updatedAt: z.optional(z.iso.datetime()),
  reportedBy: z.object({ workspaceId: z.string(), agentSessionId: z.string() }),
});
export type CredentialUsage = z.infer<typeof CredentialUsage>;

const allUsage = 'USAGE#';
const usagePrefix = (provider: string): string => `${allUsage}${provider}#`;

/** Longer than any window of a provider. */
const keptSeconds = 90 * 24 * 60 * 60;

interface UsageRow extends CredentialUsage {
  readonly owner: CredentialOwner;
  readonly provider: string;
}

export const usageItem = ({ provider, ...usage }: UsageRow) => ({
  pk: credentialsOf(usage.owner),
  sk: `${usagePrefix(provider)}${usage.window.windowType}`,
  entity: 'credential-usage',
  schemaVersion: 1,
  expiresAt: Math.floor(Date.parse(usage.observedAt) / 1_000) + keptSeconds,
  ...usage,
});

/** The windows of an owner as they are stored, of one provider or of all. One table call. */
export async function usageItems(
  table: Table,
  owner: CredentialOwner,
  { provider, limit }: { readonly provider?: string; readonly limit?: number },
): Promise<readonly Item[]> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :owner AND begins_with(sk, :usage)',
      ExpressionAttributeValues: {
        ':owner': credentialsOf(owner),
        ':usage': provider === undefined ? allUsage : usagePrefix(provider),
      },
      Limit: limit,
      ConsistentRead: true,
    }),
  );
  return Items;
}
