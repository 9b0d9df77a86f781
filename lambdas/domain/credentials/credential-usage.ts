import type { AgentUsageReport } from '../../../protocol/agent-callbacks.js';
import type { UsageWindow } from '../../../protocol/usage-windows.js';
import { NotFound, type RateWindow } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { AgentSession, agentSessionKey } from '../agent-sessions/agent-session.js';
import { countRequest } from '../rate-limits/count-request.js';
import { rateLimits as limits } from '../rate-limits/rate-limits.js';
import { getItems } from '../records/batch-items.js';
import { changeItem } from '../records/change-item.js';
import { transact, type Write } from '../records/transact.js';
import { requireGeneration, type WorkspaceGeneration } from '../workspaces/find-workspace.js';
import { Workspace, workspaceKey } from '../workspaces/workspace.js';
import { levelOf } from './limit-level.js';
import { SessionCredential, sessionCredentialKey } from './session-credential.js';
import { requireCredible } from './usage-bounds.js';
import { CredentialUsage, type UsedIn, usageItem, usageItems } from './usage-row.js';

interface UsageReporter extends WorkspaceGeneration {
  readonly nodeId: string;
  readonly projectId: string;
  readonly agentSessionId: string;
}

interface Report extends Pick<AgentUsageReport, 'rateLimits' | 'agentType'> {
  readonly now: Date;
}

/** A report of a session, with its credential. */
interface Reported extends Report {
  readonly use: SessionCredential;
  readonly reporter: UsageReporter;
}

/**
 * Stores reported rate limits for the session and for its credential. Older figures, figures of
 * another provider than that of the credential, and those of a session without a stored credential
 * are ignored. Counts a request of the session. Five table calls, and two more each time that
 * another session was first.
 *
 * @throws {InvalidRequest} a time of a window cannot be right
 * @throws {NotFound | StaleGeneration} the workspace has no such session, or it is of another
 * project
 * @throws {RateLimited}
 */
export async function recordUsage(
  table: Table,
  reporter: UsageReporter,
  report: Report,
): Promise<RateWindow> {
  requireCredible(report.rateLimits, report.now);
  const use = await loadUse(table, reporter);
  // Not before: an agent could name sessions that do not exist, each with a window of its own.
  const window = await countRequest(table, limits.CREDENTIAL_USAGE, {
    id: reporter.agentSessionId,
    now: report.now,
  });
  await storeUsage(table, { ...report, reporter }, use);
  return window;
}

async function storeUsage(
  table: Table,
  report: Omit<Reported, 'use'>,
  use: SessionCredential | undefined,
): Promise<void> {
  const rateLimits = report.rateLimits.filter(({ provider }) => provider === use?.provider);
  if (!use || rateLimits.length === 0) return;
  await noteForSession(table, use, newestOfEach([...use.windows, ...rateLimits]));
  await storeNewer(table, { ...report, rateLimits, use });
}

/** The first try, and the recomputes when other sessions were first. */
const tries = 5;

async function storeNewer(table: Table, reported: Reported): Promise<void> {
  for (let left = tries; left > 0; left -= 1) {
    const known = await newestOf(table, reported.use);
    const writes = newestOfEach(reported.rateLimits).flatMap((window) =>
      usagePut(reported, window, known.get(window.windowType)),
    );
    if (writes.length === 0 || (await transact(table, writes)).committed) return;
  }
  // The sessions that were first each time have as new figures.
}

/** The level is that of the row which the write replaces: no change of it is lost or made twice. */
function usagePut(
  { use, reporter, agentType, now }: Reported,
  window: UsageWindow,
  known: CredentialUsage | undefined,
): Write[] {
  const { observedAt } = window;
  if (known && observedAt <= known.observedAt) return [];
  const { owner, provider, credentialReference } = use;
  const { workspaceId, agentSessionId, projectId } = reporter;
  // A replaced credential has limits of its own.
  const before = known?.credentialReference === credentialReference ? known : undefined;
  const was = before?.level ?? 'ok';
  const level = levelOf(window, was);
  const item = usageItem({
    ...{ owner, provider, credentialReference, window, observedAt, level, agentType },
    ...(level === was ? {} : { movedFrom: was }),
    usedIn: withProject(before?.usedIn ?? [], { projectId, at: now.toISOString() }),
    updatedAt: now.toISOString(),
    reportedBy: { workspaceId, agentSessionId },
  });
  return [{ put: item, when: known ? { equals: { observedAt: known.observedAt } } : { exists: false } }];
}

/** Bounds the events of one change of a level. */
const maxProjects = 20;
/** No window but a monthly one is longer. */
const usedForMs = 8 * 24 * 60 * 60_000;

function withProject(usedIn: readonly UsedIn[], latest: UsedIn): UsedIn[] {
  const since = new Date(Date.parse(latest.at) - usedForMs).toISOString();
  const others = usedIn.filter(({ projectId, at }) => projectId !== latest.projectId && at > since);
  return [...others, latest].slice(-maxProjects);
}

function newestOfEach<Window extends UsageWindow>(windows: readonly Window[]): readonly Window[] {
  const sorted = windows.toSorted((one, other) => one.observedAt.localeCompare(other.observedAt));
  return [...new Map(sorted.map((window) => [window.windowType, window])).values()];
}

/** Bounds the windows of a session: rows of earlier versions may have invented ones. */
const maxWindows = 32;

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
