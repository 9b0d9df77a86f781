import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { RepositoryPermission } from '../../domain/code-host/code-host.js';
import { EndedBecause } from '../../domain/endings/ended-because.js';
import { ResolvedReservation } from '../../domain/nodes/reservation.js';
import { type IdleRows, restOf } from '../../domain/workspaces/idle-rules.js';
import { PlacementExplanation } from '../../domain/workspaces/placement-explanation.js';
import { resolvedReservationOf } from '../../domain/workspaces/reservation.js';
import {
  ResourceRequirements,
  WakeFailure,
  WakeInProgress,
  type Workspace,
  workspaceUrl,
} from '../../domain/workspaces/workspace.js';
import { hasOnlySnapshot, workspaceStatuses } from '../../domain/workspaces/workspace-status.js';

const WakeView = z.pick(WakeInProgress, { claimedAt: true, attempt: true, phase: true });

/** What clients see of a workspace. */
export const WorkspaceView = z.object({
  id: Ulid,
  projectId: z.nullable(Ulid),
  displayName: z.string(),
  repository: z.nullable(z.string()),
  installationId: z.nullable(z.string()),
  /** Whether git in the workspace may push: as its creator could when they created it. */
  repositoryPermission: z._default(RepositoryPermission, 'read'),
  branch: z.nullable(z.string()),
  status: z.enum(workspaceStatuses),
  /** Grows with every change, as in live messages. Clients drop lower versions than they have. */
  version: z.int(),
  generation: z.int(),
  nodeId: z.nullable(Ulid),
  /** Base address of its terminals, once its node is known. */
  url: z.nullable(z.string()),
  resourceRequirements: z.nullable(ResourceRequirements),
  /** What it takes of its node, and the layer of the launch settings that decided it. */
  resolvedReservation: ResolvedReservation,
  /** Why it was placed where it is, or waits; null before the first attempt. Absent from lists. */
  placementExplanation: z.optional(z.nullable(PlacementExplanation)),
  /** The last activity of people and agents. Absent from lists, as the next three. */
  lastActivityAt: z.optional(z.nullable(z.iso.datetime())),
  /** When it sleeps without further activity; null while a message waits, or it does not run. */
  sleepsAt: z.optional(z.nullable(z.iso.datetime())),
  /** The same for a workspace without an open chat, which stops. */
  stopsAt: z.optional(z.nullable(z.iso.datetime())),
  keptAwakeUntil: z.optional(z.nullable(z.iso.datetime())),
  errorMessage: z.nullable(z.string()),
  /** Why it does not run, in words and numbers; null while it does. */
  endedBecause: z._default(z.nullable(EndedBecause), null),
  /** Only while it wakes. */
  wake: z._default(z.nullable(WakeView), null),
  /** Why the last wake failed; null once it is awake. */
  wakeFailure: z._default(z.nullable(WakeFailure), null),
  /** Why a `pending` workspace waits for a slot; null while it does not wait. */
  admissionReason: z._default(z.nullable(z.string()), null),
  /** When its placement is tried again at the latest. */
  admissionNextRetryAt: z._default(z.nullable(z.iso.datetime()), null),
  /** Its place among the waiting workspaces of its owner; the first is 1. */
  admissionQueuePosition: z._default(z.nullable(z.int()), null),
  /** A sleep in progress: `capturing` while it still runs, `stopping` while its node stops it. */
  sleepPhase: z._default(z.nullable(z.enum(['capturing', 'stopping'])), null),
  /** When a sleeping workspace is deleted, unless a message wakes it first. */
  snapshotExpiresAt: z._default(z.nullable(z.iso.datetime()), null),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type WorkspaceView = z.infer<typeof WorkspaceView>;

export function workspaceView(workspace: Workspace, urlTemplate: string): WorkspaceView {
  const { placementExplanation = null } = workspace;
  return { ...workspaceSummary(workspace, urlTemplate), placementExplanation };
}

/** With the times of its rest. */
export function workspaceDetail(rows: IdleRows, urlTemplate: string): WorkspaceView {
  const rest = restOf(rows);
  const dueAt = rest?.dueAt?.toISOString() ?? null;
  return {
    ...workspaceView(rows.workspace, urlTemplate),
    lastActivityAt: rest?.lastActivityAt.toISOString() ?? null,
    sleepsAt: rest?.kind === 'sleep' ? dueAt : null,
    stopsAt: rest?.kind === 'stop' ? dueAt : null,
    keptAwakeUntil: rows.workspace.keptAwakeUntil ?? null,
  };
}

/** In a list: without what is long. */
export function workspaceSummary(workspace: Workspace, urlTemplate: string): WorkspaceView {
  const { workspaceId, nodeId, nodeUrl, sleep, asleep, status } = workspace;
  const sleepPhase = sleep?.phase ?? null;
  const snapshotExpiresAt = hasOnlySnapshot(status) ? (asleep?.snapshotExpiresAt ?? null) : null;
  const url = nodeId && nodeUrl ? workspaceUrl(urlTemplate, { workspaceId, nodeId, nodeUrl }) : null;
  const resolvedReservation = resolvedReservationOf(workspace);
  // Every other field has the row's own name; the schema drops what is not in the view.
  const {
    placementExplanation: _,
    keptAwakeUntil: __,
    ...view
  } = WorkspaceView.parse({
    ...{ ...workspace, id: workspaceId, url, resolvedReservation, sleepPhase, snapshotExpiresAt },
  });
  return view;
}
