import { maxManifestBytes } from '../../../protocol/snapshot-callbacks.js';
import {
  type Degradation,
  maxNamedSkips,
  type SnapshotManifest,
  type SnapshotRepository,
  type SnapshotSession,
  type SnapshotTerminal,
} from '../../../protocol/snapshots.js';
import { AgentError } from '../errors.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { CapturedPart } from './capture-part.js';
import type { WorkspaceShell } from './workspace-shell.js';

/** `complete` adds names of the operation to the manifest. */
const maxNamedBytes = maxManifestBytes - 4_096;

/** What a snapshot describes. Contains no secrets. */
export interface SnapshotSubject {
  readonly workspace: Workspace;
  readonly agentSessionId: string;
  /** The sessions of the workspace that are not stopped. */
  readonly sessions: () => SnapshotSession[];
  readonly terminals: (shell: WorkspaceShell) => Promise<SnapshotTerminal[]>;
}

export interface CapturedHome {
  readonly entries: number;
  readonly roots: readonly string[];
  readonly hash: string;
}

interface ManifestParts {
  readonly subject: SnapshotSubject;
  readonly chatSessionId: string;
  /** The sessions at the begin of the capture. */
  readonly before: readonly SnapshotSession[];
  readonly wip: CapturedPart<{ readonly repositories: SnapshotRepository[] }>;
  readonly home: CapturedPart<CapturedHome>;
  readonly terminals: SnapshotTerminal[];
}

export function manifestOf({
  subject,
  chatSessionId,
  before,
  wip,
  home,
  terminals,
}: ManifestParts): SnapshotManifest {
  const { skipped } = home.budget;
  const { repositories } = wip.content;
  const wasPrompting = new Set(before.filter((one) => one.isPrompting).map((one) => one.agentSessionId));
  const sessions = subject.sessions().map((one) => ({
    ...one,
    isPrompting: one.isPrompting || wasPrompting.has(one.agentSessionId),
  }));
  const degradation = degradationOf(sessions, skipped.length);
  return withinBytes({
    version: 1,
    chatSessionId,
    workspaceId: subject.workspace.workspaceId,
    agentSessionId: subject.agentSessionId,
    createdAt: new Date().toISOString(),
    status: degradation === 'none' ? 'available' : 'degraded',
    degradation,
    skipped: skipped.slice(0, maxNamedSkips),
    skippedCount: skipped.length,
    artifacts: { home: home.object, wip: wip.object },
    sections: [...wip.sections, ...home.sections],
    baseCommit: repositories[0]?.trees[0]?.head ?? null,
    repositories,
    home: { entries: home.content.entries, roots: [...home.content.roots] },
    sessions,
    terminals,
  });
}

/** Names fewer skipped entries while the manifest is too long to be stored. */
function withinBytes(manifest: SnapshotManifest): SnapshotManifest {
  let { skipped } = manifest;
  const rest = Buffer.byteLength(JSON.stringify({ ...manifest, skipped: [] }));
  while (skipped.length > 0 && rest + Buffer.byteLength(JSON.stringify(skipped)) > maxNamedBytes)
    skipped = skipped.slice(0, skipped.length >> 1);
  if (rest > maxNamedBytes)
    throw new AgentError(
      'snapshot_failed',
      'It has more repositories and worktrees than a manifest can list',
    );
  return { ...manifest, skipped };
}

/** A conversation that an agent had, and that no ACP session holds, is lost. */
function degradationOf(sessions: readonly SnapshotSession[], skippedCount: number): Degradation {
  if (sessions.some((one) => one.agentType !== null && one.acpSessionId === null))
    return 'agent-context-skipped';
  return skippedCount > 0 ? 'entries-skipped' : 'none';
}
