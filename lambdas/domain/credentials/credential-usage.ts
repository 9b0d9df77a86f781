import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { type AgentUsageReport, UsageWindow } from '../../../protocol/agent-callbacks.js';
import { AgentType } from '../../../protocol/agent-sessions.js';
import { InvalidRequest, NotFound } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { AgentSession, agentSessionKey } from '../agent-sessions/agent-session.js';
import { getItems, type Item } from '../records/batch-items.js';
import { changeItem } from '../records/change-item.js';
import { transact } from '../records/transact.js';
import { requireGeneration, type WorkspaceGeneration } from '../workspaces/find-workspace.js';
import { Workspace, workspaceKey } from '../workspaces/workspace.js';
import { type CredentialOwner, credentialsOf } from './credential.js';
import { levelOf, limitLevels } from './limit-level.js';
import { SessionCredential, sessionCredentialKey } from './session-credential.js';

/** The newest figures of one rate-limit window of a credential. */
export const CredentialUsage = z.object({
  credentialReference: z.string(),
  window: UsageWindow,
  /** Of the window, by the clock of the node. */
  observedAt: z.iso.datetime(),
  /** Rows of before the levels have none. */
  level: z.optional(z.enum(limitLevels)),
  agentType: z.optional(AgentType),
  updatedAt: z.optional(z.iso.datetime()),
  reportedBy: z.object({ workspaceId: z.string(), agentSessionId: z.string() }),
});

export type CredentialUsage = z.infer<typeof CredentialUsage>;

const allUsage = 'USAGE#';
const usagePrefix = (provider: string): string => `${allUsage}${provider}#`;
const usageKey = (owner: CredentialOwner, provider: string, windowType: string) => ({
  pk: credentialsOf(owner),
  sk: `${usagePrefix(provider)}${windowType}`,
});

interface UsageReporter extends WorkspaceGeneration {
  readonly nodeId: string;
  readonly projectId: string;
  readonly agentSessionId: string;
}

/** Bounds the windows of a session and of a credential: a session could invent windows. */
const maxWindows = 32;

/** Longer than any window of a provider. */
const keptSeconds = 90 * 24 * 60 * 60;

/** How far the clock of a node may be ahead. Later figures would stay the newest until then. */
const maxAheadMs = 5 * 60_000;

/**
 * Stores reported rate limits for the session and for its credential. Older figures, and figures of
 * a session without a stored credential, are ignored. At most four table calls.
 *
 * @throws {InvalidRequest} a window was observed in the future
 * @throws {NotFound | StaleGeneration} the workspace has no such session, or it is of another
 * project
 */
export async function recordUsage(
  table: Table,
  reporter: UsageReporter,
  { rateLimits, agentType, now }: Pick<AgentUsageReport, 'rateLimits' | 'agentType'> & { readonly now: Date },
): Promise<void> {
  requirePast(rateLimits, now);
  const use = await loadUse(table, reporter);
  if (!use) return;
  const latest = newestOfEach(rateLimits);
  await noteForSession(table, use, newestOfEach([...use.windows, ...latest]));
  const known = await newestOf(table, use);
  const { workspaceId, agentSessionId } = reporter;
  const newer = latest
    .filter(({ windowType }) => known.has(windowType) || known.size < maxWindows)
    .filter(({ windowType, observedAt }) => observedAt > (known.get(windowType)?.observedAt ?? ''));
  if (newer.length === 0) return;
  // When another session was first, its figures are as new.
  await transact(
    table,
    newer.map((window) => ({
      put: {
        ...usageKey(use.owner, use.provider, window.windowType),
        entity: 'credential-usage',
        schemaVersion: 1,
        credentialReference: use.credentialReference,
        window,
        observedAt: window.observedAt,
        level: levelOf(window, known.get(window.windowType)?.level),
        agentType,
        updatedAt: now.toISOString(),
        expiresAt: Math.floor(Date.parse(window.observedAt) / 1000) + keptSeconds,
        reportedBy: { workspaceId, agentSessionId },
      },
      when: { absentOrBefore: { observedAt: window.observedAt } },
    })),
  );
}

function requirePast(windows: readonly UsageWindow[], now: Date): void {
  const until = new Date(now.getTime() + maxAheadMs).toISOString();
  const details = windows.flatMap(({ observedAt }, index) =>
    observedAt > until
      ? [{ field: `rateLimits.${index}.observedAt`, message: 'Must not be more than 5 minutes ahead' }]
      : [],
  );
  if (details.length > 0) throw new InvalidRequest('A rate limit was observed in the future', details);
}

function newestOfEach(windows: readonly UsageWindow[]): readonly UsageWindow[] {
  const sorted = windows.toSorted((one, other) => one.observedAt.localeCompare(other.observedAt));
  return [...new Map(sorted.map((window) => [window.windowType, window])).values()];
}

/** Ignored when the session got another credential since. */
async function noteForSession(
  table: Table,
  { workspaceId, agentSessionId, credentialReference, generation }: SessionCredential,
  windows: readonly UsageWindow[],
): Promise<void> {
  await changeItem(table, {
    key: sessionCredentialKey(workspaceId, agentSessionId),
    set: { windows: windows.slice(-maxWindows) },
    when: { equals: { credentialReference, generation } },
  });
}

async function loadUse(table: Table, reporter: UsageReporter): Promise<SessionCredential | undefined> {
  const { workspaceId, agentSessionId, projectId } = reporter;
  const keys = {
    workspace: workspaceKey(workspaceId),
    session: agentSessionKey(workspaceId, agentSessionId),
    use: sessionCredentialKey(workspaceId, agentSessionId),
  };
  const find = await getItems(table, Object.values(keys));
  const workspace = find(keys.workspace);
  requireGeneration(workspace && Workspace.parse(workspace), reporter);
  const session = find(keys.session);
  if (!session || AgentSession.parse(session).projectId !== projectId) throw new NotFound('Session');
  const use = find(keys.use);
  return use && SessionCredential.parse(use);
}

async function newestOf(
  table: Table,
  { owner, provider }: SessionCredential,
): Promise<Map<string, CredentialUsage>> {
  const items = await usageItems(table, owner, { provider });
  const known = items.map((item) => CredentialUsage.parse(item));
  return new Map(known.map((one) => [one.window.windowType, one]));
}

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
