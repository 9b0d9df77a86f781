import * as z from 'zod/mini';
import { AgentType, CallerId } from './agent-sessions.js';
import { ObjectUrl } from './object-url.js';

/**
 * A snapshot of an agent session: one object of gzipped sections, and a manifest with the position
 * and hash of each. The caller passes the address of the object and stores the manifest.
 * docs/agent-snapshots.md lists the content.
 */

const Sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const ObjectId = z.string().check(z.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/));
const Path = z.string().check(z.maxLength(4_096));

export const SnapshotSection = z.strictObject({
  name: z.string().check(z.maxLength(64)),
  offset: z.int().check(z.gte(0)),
  /** Size as stored. */
  sizeBytes: z.int().check(z.gte(0)),
  /** Hash of the stored bytes. */
  sha256: Sha256,
});
export type SnapshotSection = z.infer<typeof SnapshotSection>;

/** One checkout of a repository: its own folder or a worktree. */
export const SnapshotTree = z.strictObject({
  /** Relative to the root of the workspace. */
  path: Path,
  /** Name of the worktree; null for the folder of the repository. */
  worktree: z.nullable(z.string().check(z.maxLength(255))),
  /** Null before the first commit. */
  head: z.nullable(ObjectId),
  /** Hash of `git status`, compared after a restore; null when files were skipped. */
  statusSha256: z.nullable(Sha256),
});
export type SnapshotTree = z.infer<typeof SnapshotTree>;

export const SnapshotRepository = z.strictObject({
  path: Path,
  trees: z.array(SnapshotTree).check(z.minLength(1), z.maxLength(16)),
});
export type SnapshotRepository = z.infer<typeof SnapshotRepository>;

const skipReasons = [
  'entry_too_large',
  'total_too_large',
  'too_many_entries',
  'unsupported_type',
  'unsupported_name',
  'nested_repository',
  'not_readable',
  'changed_while_read',
] as const;
export const SkippedEntry = z.strictObject({
  path: Path,
  reason: z.enum(skipReasons),
  sizeBytes: z.optional(z.int()),
});
export type SkippedEntry = z.infer<typeof SkippedEntry>;

const degradations = [
  'none',
  'entries-skipped',
  'home-skipped',
  'wip-skipped',
  'agent-context-skipped',
  'transcript-only',
] as const;
export type Degradation = (typeof degradations)[number];

/** Limit of skipped entries that a manifest lists. The count includes all. */
export const maxNamedSkips = 200;

export const SnapshotManifest = z.strictObject({
  version: z.literal(1),
  chatSessionId: CallerId,
  workspaceId: z.string(),
  agentSessionId: CallerId,
  agentType: z.nullable(AgentType),
  acpSessionId: z.nullable(z.string().check(z.maxLength(512))),
  /** Settings of the session, without secrets. */
  settings: z.record(z.string(), z.nullable(z.string())),
  /** Sequence number of the last message of the chat. */
  lastSequence: z.int().check(z.gte(0)),
  /** A prompt was in flight: later work of the agent is not captured. */
  isPrompting: z.boolean(),
  createdAt: z.iso.datetime(),
  status: z.enum(['available', 'degraded']),
  degradation: z.enum(degradations),
  skipped: z.array(SkippedEntry).check(z.maxLength(maxNamedSkips)),
  skippedCount: z.int().check(z.gte(0)),
  archive: z.strictObject({ sizeBytes: z.int(), sha256: Sha256 }),
  sections: z.array(SnapshotSection).check(z.maxLength(256)),
  /** Null when not captured. */
  repositories: z.nullable(z.array(SnapshotRepository).check(z.maxLength(32))),
  home: z.nullable(z.strictObject({ entries: z.int(), roots: z.array(z.string()).check(z.maxLength(8)) })),
});
export type SnapshotManifest = z.infer<typeof SnapshotManifest>;

export const SnapshotLimits = z.strictObject({
  totalBytes: z.optional(z.int().check(z.gte(0))),
  entryBytes: z.optional(z.int().check(z.gte(0))),
  entries: z.optional(z.int().check(z.gte(1))),
});
export type SnapshotLimits = z.infer<typeof SnapshotLimits>;
export const defaultSnapshotLimits = {
  totalBytes: 100 * 1_024 * 1_024,
  entryBytes: 50 * 1_024 * 1_024,
  entries: 100_000,
} as const;

// POST …/agent-sessions/{sessionId}/hibernate
export const HibernateAgentSession = z.strictObject({
  chatSessionId: CallerId,
  /** Address for the PUT of the object. */
  uploadUrl: ObjectUrl,
  uploadHeaders: z.optional(
    z.record(z.string().check(z.maxLength(128)), z.string().check(z.maxLength(1_024))),
  ),
  /** Address to read the object. When set, the stored object is compared before the answer. */
  verifyUrl: z.optional(ObjectUrl),
  limits: z.optional(SnapshotLimits),
  workspaceCallbackToken: z.optional(z.string().check(z.maxLength(8_192))),
});
export type HibernateAgentSession = z.infer<typeof HibernateAgentSession>;

export const HibernateAnswer = z.object({
  status: z.enum(['available', 'degraded']),
  degradation: z.enum(degradations),
  /** True when the stored object was downloaded and compared. */
  verified: z.boolean(),
  manifest: SnapshotManifest,
});
export type HibernateAnswer = z.infer<typeof HibernateAnswer>;

// POST …/agent-sessions/{sessionId}/restore: into a new workspace
export const RestoreAgentSession = z.strictObject({
  chatSessionId: CallerId,
  /** The agent type that continues the session. */
  agentType: AgentType,
  downloadUrl: ObjectUrl,
  manifest: SnapshotManifest,
  workspaceCallbackToken: z.optional(z.string().check(z.maxLength(8_192))),
});
export type RestoreAgentSession = z.infer<typeof RestoreAgentSession>;

/** A part of a snapshot that was not restored, with the reason. */
export const MissingPart = z.object({
  part: z.enum(['home', 'work', 'agent']),
  /** Path of the repository or folder. */
  path: z.nullable(z.string()),
  reason: z.string(),
});
export type MissingPart = z.infer<typeof MissingPart>;

export const RestoreAnswer = z.object({
  /** `degraded`: everything except `missing` was restored. */
  status: z.enum(['restored', 'degraded']),
  degradation: z.enum(degradations),
  missing: z.array(MissingPart),
});
export type RestoreAnswer = z.infer<typeof RestoreAnswer>;
