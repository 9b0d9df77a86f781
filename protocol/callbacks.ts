import * as z from 'zod/mini';
import { Ulid } from './ids.js';
import { ProtocolVersion } from './version.js';

/**
 * What a node agent reports to the control plane. Every call carries its callback token as a
 * bearer.
 */

const shortText = z.string().check(z.minLength(1), z.maxLength(200));

// POST /api/nodes/{nodeId}/ready
export const NodeReady = z.strictObject({
  agentVersion: shortText,
  /** Of another one the control plane takes no agent. Absent: the first. */
  protocolVersion: z.optional(ProtocolVersion),
  role: z.enum(['workspace', 'standalone']),
  /** The port on which the agent serves HTTPS. */
  port: z.int().check(z.gte(1), z.lte(65_535)),
  /** PEM of the certificate it serves, which the control plane pins where nodes have no domain. */
  certificatePem: z.optional(z.string().check(z.maxLength(8_192))),
});
export type NodeReady = z.infer<typeof NodeReady>;
export const NodeReadyResult = z.object({ status: z.literal('running'), readyAt: z.string() });
export type NodeReadyResult = z.infer<typeof NodeReadyResult>;

// POST /api/nodes/{nodeId}/heartbeat
export const HeartbeatResult = z.object({
  status: z.string(),
  lastHeartbeatAt: z.string(),
  healthStatus: z.enum(['healthy', 'stale', 'unhealthy']),
  /** Present once half of the presented token's life has passed; it replaces that token. */
  refreshedToken: z.optional(z.string()),
  /** Address of the console: its pages may read responses of the node. */
  consoleUrl: z.optional(z.url()),
});
export type HeartbeatResult = z.infer<typeof HeartbeatResult>;

// POST /api/workspaces/{workspaceId}/ready
export const WorkspaceReady = z.strictObject({
  generation: z.int(),
  /** `recovering`: the container runs, but from the fallback image. */
  status: z.enum(['running', 'recovering']),
});
export type WorkspaceReady = z.infer<typeof WorkspaceReady>;

// POST /api/workspaces/{workspaceId}/progress
/** The workspace is still being made. Its saga gives up on a node that says so no more. */
export const WorkspaceProgress = z.strictObject({ generation: z.int() });
export type WorkspaceProgress = z.infer<typeof WorkspaceProgress>;
/** How often an agent says so while it makes a workspace. */
export const progressIntervalSeconds = 20;

// POST /api/workspaces/{workspaceId}/provisioning-failed
export const ProvisioningFailed = z.strictObject({
  generation: z.int(),
  errorMessage: z.string().check(z.minLength(1), z.maxLength(2_048)),
});
export type ProvisioningFailed = z.infer<typeof ProvisioningFailed>;

/** Answer to these three: a late or repeated call is no error, it has no effect. */
export const CallbackResult = z.object({ success: z.boolean(), reason: z.optional(z.string()) });
export type CallbackResult = z.infer<typeof CallbackResult>;

// POST /api/workspaces/{workspaceId}/boot-log
export const BootLogEntry = z.strictObject({
  step: z.string().check(z.regex(/^[a-z0-9_]{1,64}$/)),
  status: z.enum(['started', 'completed', 'failed']),
  message: z.string().check(z.maxLength(1_024)),
  detail: z.optional(z.string().check(z.maxLength(4_096))),
  /** ISO-8601, by the node's clock. */
  timestamp: z.iso.datetime(),
  durationMs: z.optional(z.int()),
});
export type BootLogEntry = z.infer<typeof BootLogEntry>;
/** `entryId` (made by the agent) makes a repeated entry harmless. */
export const BootLogCallback = z.strictObject({ entryId: Ulid, generation: z.int(), entry: BootLogEntry });
export type BootLogCallback = z.infer<typeof BootLogCallback>;

/**
 * For how long a confirmed right on the repository counts, and how often an agent asks again while
 * a token that it has given to git lives. Both together are the 10 minutes within which lost access
 * ends git.
 */
export const gitTokenCheckSeconds = 5 * 60;

// POST /api/workspaces/{workspaceId}/git-token
export const GitTokenRequest = z.strictObject({
  /** The code host has refused the token given last. */
  renew: z.optional(z.boolean()),
});
export type GitTokenRequest = z.infer<typeof GitTokenRequest>;
export const GitTokenResult = z.object({
  token: z.string(),
  expiresAt: z.string(),
  username: z.string(),
  host: z.string(),
  cloneUrl: z.url(),
  /** Of the code host's REST interface, without a slash at its end. */
  apiUrl: z.optional(z.url()),
});
export type GitTokenResult = z.infer<typeof GitTokenResult>;

// POST /api/workspaces/{workspaceId}/callback-token/renew; bearer: the current callback token
export const RenewCallbackToken = z.strictObject({
  nodeId: Ulid,
  nodeToken: z.string().check(z.maxLength(4_096)),
});
export type RenewCallbackToken = z.infer<typeof RenewCallbackToken>;
export const RenewCallbackTokenResult = z.object({
  /** False: not yet due. */
  renewed: z.boolean(),
  token: z.optional(z.string()),
  expiresAt: z.optional(z.int()),
});
export type RenewCallbackTokenResult = z.infer<typeof RenewCallbackTokenResult>;
