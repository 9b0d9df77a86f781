import * as z from 'zod/mini';
import { EvictionCapture } from '../../../protocol/eviction.js';
import { Ulid } from '../../../protocol/ids.js';
import type { Table } from '../../shared/table.js';
import { getItem } from '../records/batch-items.js';
import { changeItem } from '../records/change-item.js';
import { type Change, orNull, withoutNulls } from '../records/changes.js';
import { type RecordChange, recordChange } from '../records/record-change.js';
import { SleepDecision } from './sleep-decision.js';

/** An object of the content bucket. */
export const StoredObject = z.object({ key: z.string(), sizeBytes: z.int(), sha256: z.string() });
export type StoredObject = z.infer<typeof StoredObject>;

const Size = z.object({ sizeBytes: z.int(), sha256: z.string() });

/** The objects of one capture. The home or the work in progress can be missing. */
export const SnapshotObjects = z.object({
  manifest: StoredObject,
  home: orNull(StoredObject),
  wip: orNull(StoredObject),
});
export type SnapshotObjects = z.infer<typeof SnapshotObjects>;

/** Where the main repository was. Absent from a snapshot of an earlier agent. */
const Base = {
  baseBranch: z.optional(orNull(z.string())),
  baseUpstream: z.optional(orNull(z.string())),
};

/** A capture that the node has begun; it becomes the snapshot once it is verified. */
export const SnapshotCapture = z.object({
  generation: z.int(),
  /** The claim of the sleep that asked for it. */
  operationId: z.string(),
  startedAt: z.iso.datetime(),
  /** The node captures to evict. */
  eviction: z.optional(EvictionCapture),
  /** The last message of each chat of the workspace when the capture began. */
  lastSequences: z.record(z.string(), z.int()),
  /** The length and hash for which an upload address was issued. */
  authorized: z.object({ home: z.optional(Size), wip: z.optional(Size) }),
  /** Present once the node has reported the capture complete. */
  completed: z.optional(
    z.object({
      objects: SnapshotObjects,
      status: z.enum(['available', 'degraded']),
      degradation: z.string(),
      baseCommit: orNull(z.string()),
      ...Base,
    }),
  ),
});
export type SnapshotCapture = z.infer<typeof SnapshotCapture>;

/** Automatic sleeps in a row that failed. A person, a wake or a success ends the episode. */
export const SleepEpisode = z.object({
  startedAt: z.iso.datetime(),
  attempts: z.int(),
  failures: z.int(),
  /** All messages of the chats so far: a new one ends the episode. */
  messages: z.int(),
  lastFailedAt: z.optional(z.iso.datetime()),
  /** The claim whose failure was counted last. */
  lastFailedClaim: z.optional(z.string()),
  lastError: orNull(z.string()),
});
export type SleepEpisode = z.infer<typeof SleepEpisode>;

/** One for each workspace that was captured: the verified snapshot and the capture in progress. */
export const Snapshot = z.object({
  snapshotId: Ulid,
  workspaceId: Ulid,
  projectId: Ulid,
  userId: Ulid,
  /** The chat that leads the workspace: its agent session was asked to capture. */
  chatSessionId: Ulid,
  agentSessionId: Ulid,
  runtime: z.literal('vm'),
  /** Of the objects. `pending`: no capture was verified yet. */
  status: z.enum(['pending', 'available', 'degraded', 'failed', 'expired']),
  degradation: z.string(),
  /** Absent until a capture was verified. */
  objects: z.optional(SnapshotObjects),
  baseCommit: orNull(z.string()),
  ...Base,
  capturedAt: z.optional(z.iso.datetime()),
  /** Counts the captures: calls of an earlier capture have no effect. */
  captureGeneration: z.int(),
  /** The capture that `objects` are of. */
  snapshotGeneration: z.optional(z.int()),
  /** The earliest capture whose objects may still be stored. */
  oldestGeneration: z.int(),
  capture: z.optional(SnapshotCapture),
  captureError: orNull(z.string()),
  /** While the workspace sleeps: the beginning, and the time of its deletion. */
  sleepingAt: z.optional(z.iso.datetime()),
  snapshotExpiresAt: z.optional(z.iso.datetime()),
  episode: z.optional(SleepEpisode),
  decision: z.optional(SleepDecision),
  version: z.int(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type Snapshot = z.infer<typeof Snapshot>;

export const snapshotKey = (workspaceId: string) => ({ pk: `WORKSPACE#${workspaceId}`, sk: 'SNAPSHOT' });

export const snapshotItem = (snapshot: Snapshot) => ({
  ...snapshotKey(snapshot.workspaceId),
  entity: 'snapshot',
  schemaVersion: 1,
  ...withoutNulls(snapshot),
});

/** The prefix of the objects of all captures of a workspace. */
export const objectsOf = (workspaceId: string): string => `snapshots/${workspaceId}/`;

export const objectKey = (
  workspaceId: string,
  generation: number,
  object: 'home' | 'wip' | 'manifest',
): string => `${objectsOf(workspaceId)}${generation}/${object}`;

/** One table call. */
export async function findSnapshot(table: Table, workspaceId: string): Promise<Snapshot | undefined> {
  const key = snapshotKey(workspaceId);
  const found = await getItem(table, key);
  return found && Snapshot.parse(found);
}

/** Every change of a snapshot's record is made here, or by `changeSnapshot`. */
export const snapshotChange = (workspaceId: string, change: RecordChange<Snapshot>): Change =>
  recordChange<Snapshot>(snapshotKey(workspaceId), change);

/** Compare and set; returns the record after it, or as it stands. One table call. */
export async function changeSnapshot(
  table: Table,
  workspaceId: string,
  change: RecordChange<Snapshot>,
): Promise<{ readonly changed: boolean; readonly snapshot: Snapshot | undefined }> {
  const { changed, item } = await changeItem(table, snapshotChange(workspaceId, change));
  return { changed, snapshot: item && Snapshot.parse(item) };
}
