import * as z from 'zod/mini';
import { AgentType, CallerId } from './agent-sessions.js';
import { ObjectUrl } from './object-url.js';

/**
 * A session snapshot: what a person and an agent would miss if the machine were gone. It is one object, made of gzipped
 * sections one after the other, and a manifest that says where each lies and what it must hash to. The caller names an
 * address for the object and keeps the manifest; docs/agent-snapshots.md tells what is in it and what is not.
 */

const Sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const ObjectId = z.string().check(z.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/));
const Path = z.string().check(z.maxLength(4_096));

export const SnapshotSection = z.strictObject({
  name: z.string().check(z.maxLength(64)),
  offset: z.int().check(z.gte(0)),
  /** As stored. */
  sizeBytes: z.int().check(z.gte(0)),
  /** Of what is stored. */
  sha256: Sha256,
});
export type SnapshotSection = z.infer<typeof SnapshotSection>;

/** One folder that git has checked files out into. */
export const SnapshotTree = z.strictObject({
  /** Below the workspace's root. */
  path: Path,
  /** Name below `worktrees` in the repository; null is the repository's own folder. */
  worktree: z.nullable(z.string().check(z.maxLength(255))),
  /** Null before the first commit. */
  head: z.nullable(ObjectId),
  /** Of `git status`, which must say the same again after a restore; null where files had to be left out. */
  statusSha256: z.nullable(Sha256),
});
export type SnapshotTree = z.infer<typeof SnapshotTree>;

export const SnapshotRepository = z.strictObject({
  path: Path,
  trees: z.array(SnapshotTree).check(z.minLength(1), z.maxLength(16)),
});
export type SnapshotRepository = z.infer<typeof SnapshotRepository>;

export const skipReasons = [
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

export const degradations = [
  'none',
  'entries-skipped',
  'home-skipped',
  'wip-skipped',
  'agent-context-skipped',
  'transcript-only',
] as const;
export type Degradation = (typeof degradations)[number];

/** How many skipped entries a manifest names; the count tells of all. */
export const maxNamedSkips = 200;

export const SnapshotManifest = z.strictObject({
  version: z.literal(1),
  chatSessionId: CallerId,
  workspaceId: z.string(),
  agentSessionId: CallerId,
  agentType: z.nullable(AgentType),
  acpSessionId: z.nullable(z.string().check(z.maxLength(512))),
  /** What the session was started with, without any secret. */
  settings: z.record(z.string(), z.nullable(z.string())),
  /** Messages of this chat with a sequence up to here have happened. */
  lastSequence: z.int().check(z.gte(0)),
  /** A prompt was in flight: what the agent did after this is not in it. */
  isPrompting: z.boolean(),
  createdAt: z.iso.datetime(),
  status: z.enum(['available', 'degraded']),
  degradation: z.enum(degradations),
  skipped: z.array(SkippedEntry).check(z.maxLength(maxNamedSkips)),
  skippedCount: z.int().check(z.gte(0)),
  archive: z.strictObject({ sizeBytes: z.int(), sha256: Sha256 }),
  sections: z.array(SnapshotSection).check(z.maxLength(256)),
  /** Null where it could not be captured. */
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
  /** Where the object is PUT. */
  uploadUrl: ObjectUrl,
  uploadHeaders: z.optional(
    z.record(z.string().check(z.maxLength(128)), z.string().check(z.maxLength(1_024))),
  ),
  /** Where it can be read again; it is then downloaded and compared before the answer says that it is there. */
  verifyUrl: z.optional(ObjectUrl),
  limits: z.optional(SnapshotLimits),
  workspaceCallbackToken: z.optional(z.string().check(z.maxLength(8_192))),
});
export type HibernateAgentSession = z.infer<typeof HibernateAgentSession>;

export const HibernateAnswer = z.object({
  status: z.enum(['available', 'degraded']),
  degradation: z.enum(degradations),
  /** Whether what was stored was read again and is the same. */
  verified: z.boolean(),
  manifest: SnapshotManifest,
});
export type HibernateAnswer = z.infer<typeof HibernateAnswer>;

// POST …/agent-sessions/{sessionId}/restore: into a workspace that was made anew
export const RestoreAgentSession = z.strictObject({
  chatSessionId: CallerId,
  /** Which agent is to go on with it. */
  agentType: AgentType,
  downloadUrl: ObjectUrl,
  manifest: SnapshotManifest,
  workspaceCallbackToken: z.optional(z.string().check(z.maxLength(8_192))),
});
export type RestoreAgentSession = z.infer<typeof RestoreAgentSession>;

/** One part of a snapshot that did not come back, and why. */
export const MissingPart = z.object({
  part: z.enum(['home', 'work', 'agent']),
  /** Of the repository or folder it is about. */
  path: z.nullable(z.string()),
  reason: z.string(),
});
export type MissingPart = z.infer<typeof MissingPart>;

export const RestoreAnswer = z.object({
  /** `degraded`: what `missing` names is not there; all else is. */
  status: z.enum(['restored', 'degraded']),
  degradation: z.enum(degradations),
  missing: z.array(MissingPart),
});
export type RestoreAnswer = z.infer<typeof RestoreAnswer>;
