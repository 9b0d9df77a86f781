import * as z from 'zod/mini';
import { AgentType, CallerId, McpServer, TaskMode } from './agent-sessions.js';
import { Ulid } from './ids.js';
import { InteractionSettings } from './interactions.js';

/**
 * A snapshot of a workspace: two objects of sections that are compressed with Zstandard, and a
 * manifest with the position and hash of each section. docs/agent-snapshots.md lists the content.
 */

/** The objects of a snapshot: the home, and the repositories. */
export const snapshotArtifacts = ['home', 'wip'] as const;
export type SnapshotArtifactName = (typeof snapshotArtifacts)[number];

const Sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const ObjectId = z.string().check(z.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/));
const Path = z.string().check(z.maxLength(4_096));

export const SnapshotSection = z.strictObject({
  name: z.string().check(z.maxLength(64)),
  artifact: z.enum(snapshotArtifacts),
  /** In the object of the artifact. */
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

/** Limits of what a snapshot holds. A workspace with more keeps running, with the reason. */
export const maxSnapshotRepositories = 64;
export const maxSnapshotTrees = 128;

export const SnapshotRepository = z.strictObject({
  path: Path,
  trees: z.array(SnapshotTree).check(z.minLength(1), z.maxLength(maxSnapshotTrees)),
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

/** One agent session of the workspace, as it was during the capture. */
export const SnapshotSession = z.strictObject({
  agentSessionId: CallerId,
  chatSessionId: z.nullable(CallerId),
  agentType: z.nullable(AgentType),
  acpSessionId: z.nullable(z.string().check(z.maxLength(512))),
  label: z.nullable(z.string().check(z.maxLength(200))),
  projectId: z.nullable(CallerId),
  taskId: z.nullable(CallerId),
  taskMode: z.nullable(TaskMode),
  /** Path inside the workspace; null is the repository. */
  workDir: z.nullable(Path),
  /** Settings of the session, without secrets. */
  settings: z.record(z.string(), z.nullable(z.string())),
  /** Sequence number of the last message of its chat. */
  lastSequence: z.int().check(z.gte(0)),
  /** A prompt was in flight: later work of the agent is not captured. */
  isPrompting: z.boolean(),
});
export type SnapshotSession = z.infer<typeof SnapshotSession>;

export const SnapshotTerminal = z.strictObject({
  name: z.nullable(z.string().check(z.maxLength(200))),
  /** Absolute path. */
  workDir: Path,
});
export type SnapshotTerminal = z.infer<typeof SnapshotTerminal>;

/** Limits of the lists of a manifest. */
export const maxSnapshotSessions = 16;
export const maxSnapshotTerminals = 50;

const StoredObject = z.strictObject({ sizeBytes: z.int().check(z.gte(0)), sha256: Sha256 });

export const SnapshotManifest = z.strictObject({
  version: z.literal(1),
  chatSessionId: CallerId,
  workspaceId: Ulid,
  /** The session of the request. */
  agentSessionId: CallerId,
  createdAt: z.iso.datetime(),
  status: z.enum(['available', 'degraded']),
  degradation: z.enum(degradations),
  skipped: z.array(SkippedEntry).check(z.maxLength(maxNamedSkips)),
  skippedCount: z.int().check(z.gte(0)),
  /** Null when not captured. */
  artifacts: z.strictObject({ home: z.nullable(StoredObject), wip: z.nullable(StoredObject) }),
  sections: z.array(SnapshotSection).check(z.maxLength(2_048)),
  /** HEAD of the main repository; null before its first commit, and when not captured. */
  baseCommit: z.nullable(ObjectId),
  /** Null when not captured. */
  repositories: z.nullable(z.array(SnapshotRepository).check(z.maxLength(maxSnapshotRepositories))),
  home: z.nullable(z.strictObject({ entries: z.int(), roots: z.array(z.string()).check(z.maxLength(8)) })),
  /** The sessions of the workspace that are not stopped. */
  sessions: z.array(SnapshotSession).check(z.maxLength(maxSnapshotSessions)),
  /** The open terminals. */
  terminals: z.array(SnapshotTerminal).check(z.maxLength(maxSnapshotTerminals)),
});
export type SnapshotManifest = z.infer<typeof SnapshotManifest>;

/** Limits of a snapshot. */
export const defaultSnapshotLimits = {
  totalBytes: 268_435_456,
  entryBytes: 268_435_456,
  entries: 100_000,
} as const;

/** A part of a snapshot that was not restored, with the reason. */
export const MissingPart = z.object({
  part: z.enum(['home', 'work', 'agent']),
  /** Path of the repository or folder. */
  path: z.nullable(Path),
  reason: z.string().check(z.maxLength(2_048)),
});
export type MissingPart = z.infer<typeof MissingPart>;

// POST …/agent-sessions/{sessionId}/hibernate: captures in the background
export const HibernateAgentSession = z.strictObject({
  chatSessionId: CallerId,
  /** Names the request. A repeat does not begin another capture. */
  operationId: CallerId,
  workspaceCallbackToken: z.optional(z.string().check(z.maxLength(8_192))),
});
export type HibernateAgentSession = z.infer<typeof HibernateAgentSession>;

// POST …/agent-sessions/{sessionId}/restore: in the background
export const RestoreAgentSession = z.strictObject({
  chatSessionId: CallerId,
  /** The agent type that continues the session. */
  agentType: AgentType,
  operationId: CallerId,
  /** MCP servers of the sessions of the workspace, by session id. They replace earlier ones. */
  mcpServers: z.optional(z.record(CallerId, z.array(McpServer).check(z.maxLength(8)))),
  workspaceCallbackToken: z.optional(z.string().check(z.maxLength(8_192))),
  /** By session id, as `mcpServers`. */
  acpInteractions: z.optional(z.record(CallerId, InteractionSettings)),
});
export type RestoreAgentSession = z.infer<typeof RestoreAgentSession>;

// 202 of both
export const SnapshotOperation = z.object({
  operationId: CallerId,
  /** False while another operation of the workspace runs. */
  accepted: z.boolean(),
});
export type SnapshotOperation = z.infer<typeof SnapshotOperation>;

// POST /workspaces/{workspaceId}/stop
export const StopForSleep = z.strictObject({
  /** The capture after which nothing may have changed. */
  snapshotOperationId: CallerId,
});
export type StopForSleep = z.infer<typeof StopForSleep>;
