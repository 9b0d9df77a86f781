import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { RepositoryPermission } from '../code-host/code-host.js';
import { EndedBecause } from '../endings/ended-because.js';
import { Eviction, Recovery, SentEviction } from '../evictions/eviction.js';
import { ResolvedReservation } from '../nodes/reservation.js';
import { orNull, withoutNulls } from '../records/changes.js';
import { PlacementExplanation } from './placement-explanation.js';
import { hasOnlySnapshot, isResting, workspaceStatuses } from './workspace-status.js';

export const ResourceRequirements = z.strictObject({
  minVcpu: z.optional(z.number().check(z.nonnegative())),
  minMemoryGb: z.optional(z.number().check(z.nonnegative())),
  minDiskGb: z.optional(z.number().check(z.nonnegative())),
  /** The workspace shares its node with no other. */
  exclusiveNode: z.optional(z.boolean()),
  /** How many other workspaces may share its node. */
  maxCoTenants: z.optional(z.int().check(z.gte(0), z.lte(100))),
});

export type ResourceRequirements = z.infer<typeof ResourceRequirements>;

export const deletionProofs = [
  /** The node confirmed that it has no such workspace. */
  'vm_agent_confirmed',
  /** It was never sent to a node. */
  'workspace_never_started',
  /** EC2 reported the instance of the node terminated. */
  'node_runtime_terminated',
] as const;

export type DeletionProof = (typeof deletionProofs)[number];

/** Saga steps that wait for a callback. */
export const WaitingStep = z.enum(['launch-node', 'create-on-node', 'restore-on-node', 'capture']);
export type WaitingStep = z.infer<typeof WaitingStep>;

export const RestartMode = z.enum(['restart', 'rebuild']);
export type RestartMode = z.infer<typeof RestartMode>;

/**
 * A sleep in progress. `stopping`: the snapshot is verified, and the node stops the workspace. An
 * `eviction` belongs to the node, and never gets to `stopping`.
 */
export const SleepInProgress = z.object({
  claimId: Ulid,
  claimedAt: z.iso.datetime(),
  by: z.enum(['person', 'idle', 'task', 'eviction']),
  phase: z.enum(['capturing', 'stopping']),
  /** The status to which it returns when the node does not stop it. */
  from: z.enum(['running', 'recovering']),
});
export type SleepInProgress = z.infer<typeof SleepInProgress>;

/** This generation wakes the workspace: it restores the snapshot. */
export const WakeInProgress = z.object({
  operationId: Ulid,
  claimedAt: z.iso.datetime(),
  /** From 1, for each message or person that wakes it. */
  attempt: z.int(),
  phase: z.enum(['placing', 'restoring']),
});
export type WakeInProgress = z.infer<typeof WakeInProgress>;

/** The last wake failed. Prompts from before it fail too once no attempt is left. */
export const WakeFailure = z.object({
  attempts: z.int(),
  failedAt: z.iso.datetime(),
  reason: z.string(),
});
export type WakeFailure = z.infer<typeof WakeFailure>;

export const Workspace = z.object({
  workspaceId: Ulid,
  userId: Ulid,
  projectId: orNull(Ulid),
  displayName: z.string(),
  repository: orNull(z.string()),
  cloneUrl: orNull(z.string()),
  installationId: orNull(z.string()),
  /** The owner's permission in the repository at the last check; git tokens get no more. */
  repositoryPermission: z.optional(RepositoryPermission),
  /** When the code host last confirmed the permission, with the owner's token. */
  repositoryCheckedAt: z.optional(z.iso.datetime()),
  branch: orNull(z.string()),
  /** The branch that a new `branch` starts from. */
  baseBranch: z.optional(z.string()),
  /** The repository's dev container is not built. */
  lightweight: z.optional(z.boolean()),
  devcontainerConfigName: z.optional(z.string()),
  /** The task that the workspace was created for; it follows the provisioning. */
  taskId: z.optional(Ulid),
  resourceRequirements: orNull(ResourceRequirements),
  /** What it takes of its node. Rows from before reservations have the requirements only. */
  resolvedReservation: z.optional(ResolvedReservation),
  /** Why the reservation is more than the launch settings request. */
  reservationNote: z.optional(z.string()),
  /** Why it was placed where it is, or waits: of the last attempt. */
  placementExplanation: z.optional(PlacementExplanation),
  /** Author of its commits. */
  gitAuthor: z.optional(z.object({ name: z.string(), email: z.string() })),
  status: z.enum(workspaceStatuses),
  /** Counts the starts. Callbacks and saga steps of an earlier generation have no effect. */
  generation: z.int(),
  /** Fences evictions of this start. Absent where its node knows none. */
  evictionGeneration: z.optional(Ulid),
  /** The last eviction generation that was sent to a node. */
  sentEviction: z.optional(SentEviction),
  /** Grows with every change that clients see. */
  version: z.int(),
  statusChangedAt: z.iso.datetime(),
  /** Its present or last node; it holds a slot there while `parentPk` is on the item. */
  nodeId: orNull(Ulid),
  /** Copies of the time of the request to the node; the row of the node has the present values. */
  nodeUrl: orNull(z.string()),
  nodeCertificatePem: orNull(z.string()),
  /** Address of its DNS name; only where nodes have a domain. */
  namedAddress: z.optional(z.string()),
  /** Ports that have, or are about to get, a DNS name; their number is bounded. */
  previewPorts: z.optional(z.set(z.string())),
  /** The ones whose name was written. */
  namedPorts: z.optional(z.set(z.string())),
  /** When the last name was written. */
  previewNamedAt: z.optional(z.iso.datetime()),
  /**
   * When the request to the node was sent. From then on only the node or EC2 can prove a deletion.
   */
  dispatchedAt: orNull(z.iso.datetime()),
  readyAt: orNull(z.iso.datetime()),
  /** Token of the waiting saga step. Secret. */
  taskToken: z.optional(z.string()),
  waitingStep: z.optional(WaitingStep),
  errorMessage: orNull(z.string()),
  /** Why it waits for a slot; only while it is `pending` and no node has room. */
  admissionReason: z.optional(z.string()),
  /** When its placement is tried again at the latest. */
  admissionNextRetryAt: z.optional(z.iso.datetime()),
  admissionWaitingSince: z.optional(z.iso.datetime()),
  /** Place in the queue of its owner, from 1. */
  admissionQueuePosition: z.optional(z.int()),
  /** How the node makes this generation from the files of the former one. */
  restartMode: z.optional(RestartMode),
  /** The node that generation 1 must be placed on. */
  wantedNodeId: z.optional(Ulid),
  /** The node of the former generation. */
  formerNodeId: z.optional(Ulid),
  sleep: z.optional(SleepInProgress),
  wake: z.optional(WakeInProgress),
  wakeFailure: z.optional(WakeFailure),
  /** The operation of the wake that succeeded last: a repeat of its result changes nothing. */
  wokenBy: z.optional(Ulid),
  /** The last sleep. It holds no slot while `generation` is its own and it sleeps. */
  asleep: z.optional(
    z.object({ generation: z.int(), since: z.iso.datetime(), snapshotExpiresAt: z.iso.datetime() }),
  ),
  eviction: z.optional(Eviction),
  recovery: z.optional(Recovery),
  /** Why it does not run; absent while it does. */
  endedBecause: z.optional(EndedBecause),
  /** When its terminals got input or its ports got requests; at most a minute too early. */
  lastUsedAt: z.optional(z.iso.datetime()),
  /** It neither sleeps nor stops by itself before this time. */
  keptAwakeUntil: z.optional(z.iso.datetime()),
  deletion: z.optional(
    z.object({
      attempt: z.int(),
      claimedAt: z.iso.datetime(),
      /** Its snapshot expired: its chats are archived. */
      isExpired: z.optional(z.literal(true)),
    }),
  ),
  deletionProof: z.optional(z.enum(deletionProofs)),
  bootLogEntries: z.optional(z.int()),
  /** Ids of the running agent sessions; their number is bounded. */
  agentSessions: z.optional(z.set(z.string())),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

export type Workspace = z.infer<typeof Workspace>;

export const workspaceKey = (workspaceId: string) => ({ pk: `WORKSPACE#${workspaceId}`, sk: 'WORKSPACE' });

export const ownerOfWorkspaces = (userId: string): string => `USER#${userId}#WORKSPACES`;

/** Index keys of a workspace that holds a slot on a node. */
export const placedOn = (nodeId: string, workspaceId: string) => ({
  parentPk: `NODE#${nodeId}`,
  parentSk: `WORKSPACE#${workspaceId}`,
});

/**
 * It waits for no slot at present. `admissionWaitingSince` stays: when EC2 refuses the node, the
 * wait goes on.
 */
export const notWaiting = {
  admissionReason: null,
  admissionNextRetryAt: null,
  admissionQueuePosition: null,
} as const;

/** A new generation has not waited yet. */
export const neverWaited = { ...notWaiting, admissionWaitingSince: null } as const;

/** Takes a workspace out of the index of the node whose slot it held. */
export const notPlaced = { parentPk: null, parentSk: null } as const;

/** Takes a deleted workspace out of the lists of its owner. */
export const unlisted = { ownerPk: null, ownerSk: null } as const;

export const workspaceItem = (workspace: Workspace) => ({
  ...workspaceKey(workspace.workspaceId),
  entity: 'workspace',
  schemaVersion: 1,
  ownerPk: ownerOfWorkspaces(workspace.userId),
  ownerSk: workspace.workspaceId,
  ...withoutNulls(workspace),
});

/**
 * A slot belongs to one generation: a late release by an earlier one releases nothing of a later
 * one.
 */
export const slotOf = ({ workspaceId, generation }: Pick<Workspace, 'workspaceId' | 'generation'>): string =>
  `${workspaceId}#${generation}`;
interface UrlParts {
  readonly workspaceId: string;
  readonly nodeId: string;
  readonly nodeUrl: string;
}

/** Address of a workspace for clients. DNS names have ids in lower case. */
export function workspaceUrl(template: string, { workspaceId, nodeId, nodeUrl }: UrlParts): string {
  return template
    .replaceAll('{workspaceId}', workspaceId.toLowerCase())
    .replaceAll('{nodeId}', nodeId.toLowerCase())
    .replaceAll('{nodeUrl}', nodeUrl);
}

export function holderOf(slot: string): Pick<Workspace, 'workspaceId' | 'generation'> {
  const [workspaceId = '', generation] = slot.split('#');
  return { workspaceId, generation: Number(generation) };
}

/** It sleeps, is evicted, or wakes and is not restored yet. Its agents continue after it. */
export const isAsleep = ({ status, wake }: Pick<Workspace, 'status' | 'wake'>): boolean =>
  hasOnlySnapshot(status) || (wake !== undefined && !isResting(status));
