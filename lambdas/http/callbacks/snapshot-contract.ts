import * as z from 'zod/mini';
import { CallerId } from '../../../protocol/agent-sessions.js';
import { Ulid } from '../../../protocol/ids.js';
import {
  CompletedSnapshot,
  CompleteSnapshot,
  maxManifestBytes,
  PreparedSnapshot,
  PrepareSnapshot,
  RestorePlan,
  RestoreResult,
  SnapshotArtifact,
  SnapshotFailure,
  SnapshotProgress,
  SnapshotUpload,
  SnapshotUploadRequest,
} from '../../../protocol/snapshot-callbacks.js';
import { contract } from '../../edge/contract.js';

const workspace = z.object({ workspaceId: Ulid });
const ids = { chatSessionId: '01JD0000000000000000000000', generation: 1 } as const;
const operationId = '01JD0000000000000000000001';
const object = { sizeBytes: 1_024, sha256: 'a'.repeat(64) } as const;

/** Of a workspace without work in progress. */
const exampleManifest = {
  version: 1,
  chatSessionId: ids.chatSessionId,
  workspaceId: '01JD0000000000000000000002',
  agentSessionId: '01JD0000000000000000000003',
  createdAt: '2026-11-23T10:00:00.000Z',
  status: 'available',
  degradation: 'none',
  skipped: [],
  skippedCount: 0,
  artifacts: { home: object, wip: null },
  sections: [],
  baseCommit: null,
  repositories: [],
  home: { entries: 1, roots: ['home'] },
  sessions: [],
  terminals: [],
} as const;

const errors = ['NOT_FOUND', 'GONE', 'STALE'] as const;

export const sessionSnapshotPrepare = contract({
  summary: 'Begin the capture of a workspace',
  description:
    'Only for the operation that the control plane asked for; `STALE` once it has ended. With `eviction`, the node begins the operation itself, also while an agent works: `STALE` when the workspace does not run, or when another container has replaced the named one. Each capture has the next `generation`; a repeat for the same operation returns the same one.',
  params: workspace,
  body: PrepareSnapshot,
  responses: { 200: PreparedSnapshot },
  errors,
});

export const sessionSnapshotProgress = contract({
  summary: 'Report the progress of a capture or restore',
  description: 'Every 15 seconds. An operation without progress for 2 minutes has failed.',
  params: workspace,
  body: SnapshotProgress,
  responses: { 204: null },
  errors,
});

export const sessionSnapshotFailure = contract({
  summary: 'Report that a capture failed',
  description: 'The workspace keeps running.',
  params: workspace,
  body: SnapshotFailure,
  responses: { 204: null },
  errors,
});

export const sessionSnapshotUploadUrl = contract({
  summary: 'Get the upload address of an object of a snapshot',
  description:
    'A presigned PUT of exactly this length and SHA-256, for 15 minutes. 413 when the objects of the capture exceed the budget of 256 MiB together.',
  params: z.extend(workspace, { artifact: SnapshotArtifact }),
  body: SnapshotUploadRequest,
  example: { ...ids, ...object },
  responses: { 200: SnapshotUpload },
  errors: [...errors, 'PAYLOAD_TOO_LARGE', 'SERVICE_UNAVAILABLE'],
});

export const sessionSnapshotComplete = contract({
  summary: 'Store the manifest of a capture',
  description:
    'The manifest names exactly the objects whose upload was authorized. The control plane verifies the stored objects before the workspace stops. For an eviction it does so before the answer, and answers 409 when an object or a part is missing: the node then stops nothing.',
  params: workspace,
  body: CompleteSnapshot,
  example: { ...ids, operationId, manifest: exampleManifest },
  maxBodyBytes: maxManifestBytes,
  responses: { 200: CompletedSnapshot },
  errors: [...errors, 'CONFLICT', 'SERVICE_UNAVAILABLE'],
});

export const sessionSnapshotRestore = contract({
  summary: 'Get what a workspace that wakes restores',
  description: 'The manifest, and addresses for 15 minutes. `available` is false without a usable snapshot.',
  params: workspace,
  query: z.strictObject({ chatSessionId: CallerId }),
  responses: { 200: RestorePlan },
  errors: ['NOT_FOUND', 'GONE'],
});

export const sessionSnapshotRestoreResult = contract({
  summary: 'Report what a workspace that wakes has restored',
  description:
    'Its chats continue, with the parts that are missing. Without a whole part the wake is repeated, up to three times. A repeat changes nothing; `STALE` for a wake that has ended.',
  params: workspace,
  body: RestoreResult,
  example: {
    chatSessionId: ids.chatSessionId,
    operationId,
    status: 'restored',
    message: null,
    missing: [],
    sessions: [],
  },
  responses: { 204: null },
  errors,
});
