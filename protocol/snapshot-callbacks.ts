import * as z from 'zod/mini';
import { AgentType, CallerId } from './agent-sessions.js';
import { EvictionCapture } from './eviction.js';
import { MissingPart, SnapshotManifest, snapshotArtifacts } from './snapshots.js';

/**
 * How a node stores and restores the snapshot of a workspace. Base:
 * `/api/workspaces/{workspaceId}/session-snapshot`, with the callback token of the workspace.
 * `generation` counts the captures of the workspace: calls of an earlier capture get 409.
 */

/** The objects of a snapshot. The control plane stores the manifest itself. */
export const SnapshotArtifact = z.enum(snapshotArtifacts);
export type SnapshotArtifact = z.infer<typeof SnapshotArtifact>;

const Sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const Text = z.string().check(z.minLength(1), z.maxLength(2_048));
const Path = z.string().check(z.maxLength(512));
const Url = z.string().check(z.maxLength(8_192));

/** How often a node reports the progress of a capture or restore. */
export const snapshotProgressSeconds = 15;
/** The longest body of `complete`: 256 KiB. */
export const maxManifestBytes = 262_144;

const Capture = { chatSessionId: CallerId, generation: z.int().check(z.gte(1)) } as const;

// POST /prepare
export const PrepareSnapshot = z.strictObject({
  chatSessionId: CallerId,
  agentSessionId: CallerId,
  /**
   * Names the request of the control plane that the capture belongs to. Of an eviction, the node
   * makes it: a ULID.
   */
  operationId: CallerId,
  runtime: z.literal('vm'),
  directUploadSupported: z.literal(true),
  /**
   * Present when the node captures to evict. `complete` then answers only after the control plane
   * has verified the objects.
   */
  eviction: z.optional(EvictionCapture),
});
export type PrepareSnapshot = z.infer<typeof PrepareSnapshot>;

export const SnapshotConfig = z.object({
  totalBudgetBytes: z.int(),
  entryThresholdBytes: z.int(),
  maxEntries: z.int(),
  transferIdleTimeoutMs: z.int(),
});
export type SnapshotConfig = z.infer<typeof SnapshotConfig>;

export const PreparedSnapshot = z.object({
  snapshotId: z.string(),
  generation: z.int(),
  expiresAt: z.iso.datetime(),
  config: SnapshotConfig,
  /** Paths that return the upload address of each artifact. */
  directUpload: z.object({ home: Path, wip: Path }),
});
export type PreparedSnapshot = z.infer<typeof PreparedSnapshot>;

// POST /artifacts/{artifact}/upload-url
export const SnapshotUploadRequest = z.strictObject({
  ...Capture,
  sizeBytes: z.int().check(z.gte(0)),
  sha256: Sha256,
});
export type SnapshotUploadRequest = z.infer<typeof SnapshotUploadRequest>;

/** A PUT of exactly this length and hash, for 15 minutes. */
export const SnapshotUpload = z.object({ uploadUrl: Url, headers: z.record(z.string(), z.string()) });
export type SnapshotUpload = z.infer<typeof SnapshotUpload>;

// POST /progress: of a capture or a restore; 204
export const SnapshotProgress = z.strictObject({
  chatSessionId: CallerId,
  operationId: CallerId,
  step: z.enum([
    'prepared',
    'wip-capture',
    'wip-upload',
    'home-capture',
    'home-upload',
    'home-restore',
    'wip-restore',
    'agent-load',
  ]),
});
export type SnapshotProgress = z.infer<typeof SnapshotProgress>;

// POST /failure: 204
export const SnapshotFailure = z.strictObject({ ...Capture, operationId: CallerId, error: Text });
export type SnapshotFailure = z.infer<typeof SnapshotFailure>;

// POST /complete
export const CompleteSnapshot = z.strictObject({
  ...Capture,
  operationId: CallerId,
  manifest: SnapshotManifest,
});
export type CompleteSnapshot = z.infer<typeof CompleteSnapshot>;
export const CompletedSnapshot = z.object({
  status: z.enum(['available', 'degraded']),
  degradation: z.string(),
});
export type CompletedSnapshot = z.infer<typeof CompletedSnapshot>;

// GET /restore?chatSessionId=
export const RestorePlan = z.union([
  z.object({ available: z.literal(false), reason: z.literal('snapshot_missing_or_unavailable') }),
  z.object({
    available: z.literal(true),
    snapshotId: z.string(),
    status: z.enum(['available', 'degraded']),
    degradation: z.string(),
    manifest: SnapshotManifest,
    config: SnapshotConfig,
    /** Addresses, for 15 minutes. Null for an object that the snapshot does not have. */
    download: z.object({ home: z.nullable(Url), wip: z.nullable(Url) }),
  }),
]);
export type RestorePlan = z.infer<typeof RestorePlan>;

// POST /restore-result: 204
export const RestoreResult = z.strictObject({
  chatSessionId: CallerId,
  operationId: CallerId,
  status: z.enum(['restored', 'missing', 'degraded', 'home_failed', 'wip_failed', 'fresh_injection_failed']),
  message: z.nullable(z.string().check(z.maxLength(2_048))),
  /** What the snapshot did not restore. */
  missing: z.array(MissingPart).check(z.maxLength(64)),
  sessions: z
    .array(
      z.strictObject({
        agentSessionId: CallerId,
        agentType: z.nullable(AgentType),
        /** Its harness has loaded the conversation, or loads it with the next prompt. */
        hasConversation: z.boolean(),
      }),
    )
    .check(z.maxLength(16)),
});
export type RestoreResult = z.infer<typeof RestoreResult>;
