import * as z from 'zod/mini';
import { EvictionGenerations, hasBothGenerations } from './eviction.js';
import { Ulid } from './ids.js';

/** What the control plane asks of a node agent, with a node-management JWT as bearer. */

/** What a workspace may use of its node; 0: the node decides. */
export const Reservation = z.object({
  cpuMillis: z.int().check(z.gte(0), z.lte(1_000_000_000)),
  memoryMb: z.int().check(z.gte(0), z.lte(1_000_000_000)),
  /** Applied where the engine of the node has project quotas. */
  diskMb: z.optional(z.int().check(z.gte(0), z.lte(1_000_000_000))),
});
export type Reservation = z.infer<typeof Reservation>;

// POST /workspaces (token: workspace claim = body.workspaceId)
export const CreateNodeWorkspace = z.strictObject({
  workspaceId: Ulid,
  /** Counts the lives of a workspace; an older generation never overwrites a newer one. */
  generation: z.int().check(z.gte(1)),
  /** Fences evictions of this start. Agents of older releases refuse it. */
  evictionGeneration: z.optional(Ulid),
  repository: z.nullable(z.string()),
  cloneUrl: z.nullable(z.url()),
  /**
   * Checked out; made from the base branch, the default branch or the repository's own one where
   * there is none yet.
   */
  branch: z.nullable(z.string()),
  baseBranch: z.optional(z.nullable(z.string().check(z.maxLength(255)))),
  defaultBranch: z.optional(z.nullable(z.string().check(z.maxLength(255)))),
  callbackToken: z.string(),
  gitUserName: z.optional(z.string().check(z.maxLength(254))),
  gitUserEmail: z.optional(z.string().check(z.maxLength(254))),
  /**
   * Image of the workspace's container where the repository has no dev container, or one that
   * cannot be built; the node's default without it. Ignored in the standalone role, like all of the
   * following.
   */
  image: z.optional(z.string().check(z.maxLength(512))),
  /** Limits of its container. Without it: half of the node. Agents of older releases refuse it. */
  reservation: z.optional(Reservation),
  /** The repository's dev container is not built. */
  lightweight: z.optional(z.boolean()),
  /** Chooses `.devcontainer/<name>/devcontainer.json`. */
  devcontainerConfigName: z.optional(z.string().check(z.maxLength(128), z.regex(/^\.*[\w-][\w. -]*$/))),
  /** An image that builds begin from, and that is sent to its registry after a build. */
  devcontainerCache: z.optional(
    z.strictObject({
      ref: z.string().check(z.regex(/^[a-z0-9][\w.:/-]{0,511}$/i)),
      registry: z.optional(z.string().check(z.maxLength(255))),
      username: z.optional(z.string().check(z.maxLength(255))),
      password: z.optional(z.string().check(z.maxLength(4_096))),
    }),
  ),
});
export type CreateNodeWorkspace = z.infer<typeof CreateNodeWorkspace>;

export const nodeWorkspaceStatuses = [
  'creating',
  'running',
  'recovering',
  'stopped',
  'errored',
  'evicted',
] as const;
export const NodeWorkspace = z.object({
  workspaceId: Ulid,
  generation: z.int(),
  status: z.enum(nodeWorkspaceStatuses),
  repository: z.nullable(z.string()),
  branch: z.nullable(z.string()),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** Open terminal sessions. */
  sessions: z.int(),
  errorMessage: z.nullable(z.string()),
});
export type NodeWorkspace = z.infer<typeof NodeWorkspace>;

/** 202 while it is being made, 200 once it runs. */
export const CreateNodeWorkspaceResult = z.object({
  workspaceId: Ulid,
  status: z.enum(nodeWorkspaceStatuses),
});
export type CreateNodeWorkspaceResult = z.infer<typeof CreateNodeWorkspaceResult>;

// GET /workspaces (node-scoped token)
export const NodeWorkspaceList = z.object({ workspaces: z.array(NodeWorkspace) });
// POST /workspaces/{workspaceId}/stop
export const StopNodeWorkspaceResult = z.object({ status: z.literal('stopped') });
// POST /workspaces/{workspaceId}/restart and …/rebuild: as a new generation, or as the one it is
export const RestartOrRebuildRequest = z
  .strictObject({
    generation: z.optional(z.int().check(z.gte(1))),
    callbackToken: z.optional(z.string().check(z.minLength(1), z.maxLength(8_192))),
    ...EvictionGenerations.shape,
  })
  .check(
    z.refine(hasBothGenerations, {
      message: 'evictionGeneration and expectedEvictionGeneration go together, and differ',
      path: ['evictionGeneration'],
    }),
    z.refine((body) => (body.generation === undefined) === (body.callbackToken === undefined), {
      message: 'generation and callbackToken go together',
      path: ['generation'],
    }),
  );
export type RestartOrRebuildRequest = z.infer<typeof RestartOrRebuildRequest>;

// GET /events (node-scoped token) and GET /workspaces/{workspaceId}/events, newest first
export interface NodeEvent {
  readonly id: string;
  readonly nodeId: string;
  readonly workspaceId: string | null;
  readonly level: 'info' | 'warn' | 'error';
  readonly type: string;
  readonly message: string;
  readonly detail: unknown;
  readonly createdAt: string;
}
export interface NodeEventList {
  readonly events: readonly NodeEvent[];
  readonly nextCursor: string | null;
}

// GET /workspaces/{workspaceId}/tabs
interface Tab {
  readonly id: string;
  readonly workspaceId: string;
  readonly label: string;
  readonly sortOrder: number;
  readonly createdAt: string;
}
/**
 * A shell is its person's; a chat with an agent is everybody's. `agentId` is the kind of agent,
 * null before its first start.
 */
export type WorkspaceTab =
  | (Tab & { readonly type: 'terminal' })
  | (Tab & {
      readonly type: 'chat';
      readonly agentId: string | null;
      readonly acpSessionId: string | null;
      /** At most 200 characters. */
      readonly lastPrompt: string | null;
    });

// GET /workspaces/{workspaceId}/ports
export const WorkspacePort = z.strictObject({
  port: z.int(),
  address: z.string(),
  label: z.string(),
  /** Path of its preview, at the address of the workspace. */
  url: z.string(),
  detectedAt: z.string(),
});
export type WorkspacePort = z.infer<typeof WorkspacePort>;
export const WorkspacePorts = z.strictObject({
  ports: z.array(WorkspacePort),
  /** From `forwardPorts` of the dev container, also before something listens. */
  forwardPorts: z.array(
    z.strictObject({ port: z.int(), label: z.string(), url: z.string(), listening: z.boolean() }),
  ),
  diagnostics: z.strictObject({
    portScanEnabled: z.boolean(),
    scannerActive: z.boolean(),
    lastScanAt: z.nullable(z.string()),
    /** Why ports cannot be found here. */
    error: z.nullable(z.string()),
  }),
});
export type WorkspacePorts = z.infer<typeof WorkspacePorts>;

// DELETE /workspaces/{workspaceId}: also for an unknown id; the answer is the proof of deletion
export const DeleteNodeWorkspaceResult = z.object({ success: z.literal(true) });

// POST /sessions/ended (node-scoped token): hashes of sign-in sessions, as in terminal tokens
export const EndSessions = z.strictObject({
  sessions: z
    .array(z.string().check(z.minLength(1), z.maxLength(128)))
    .check(z.minLength(1), z.maxLength(100)),
});
export const EndSessionsResult = z.object({ success: z.literal(true) });
export type EndSessionsResult = z.infer<typeof EndSessionsResult>;

/** Errors of the node: `{ "error": CODE, "message": text }`. */
export const nodeErrorCodes = [
  'unauthorized',
  'forbidden',
  'not_found',
  'invalid_request',
  'invalid_transition',
  'workspace_conflict',
  'workspace_not_creatable',
  'stale_generation',
  'payload_too_large',
  'unsupported_media_type',
  'method_not_allowed',
  'range_not_satisfiable',
  'worktree_conflict',
  'worktree_dirty',
  'worktree_limit',
  'insufficient_storage',
  'unsupported_protocol_version',
  'operation_id_conflict',
  'session_conflict',
  'session_busy',
  'session_not_running',
  'session_create_failed',
  'snapshot_failed',
  'changed_since_snapshot',
  'timed_out',
  'not_implemented',
  'bad_gateway',
  'unavailable',
  'internal',
] as const;
export type NodeErrorCode = (typeof nodeErrorCodes)[number];

/** Headers that name node and workspace; where present they must match the token and the path. */
export const nodeIdHeader = 'x-svc-node-id';
export const workspaceIdHeader = 'x-svc-workspace-id';
/** Carries the token of a forwarded port, so that `Authorization` is left to the service. */
export const forwardTokenHeader = 'x-svc-vm-forward-token';
