import * as z from 'zod/mini';
import { Ulid } from './ids.js';

/**
 * What a node gets at birth. User data is a `#cloud-config` document whose body is JSON (which
 * is YAML): `write_files` puts `bootEnvPath` on the machine, and the agent's unit reads it as its
 * EnvironmentFile. The bootstrap token in it is single-use and short-lived; no lasting secret is in
 * user data.
 */
export const bootEnvPath = '/etc/svc/node.env';

/** A machine with it and without `bootEnvPath` reads its image whole and waits for its stop. */
export const warmPath = '/etc/svc/warm';

export const bootstrapTokenLifetimeSeconds = 15 * 60;

/**
 * Variables of `bootEnvPath`, one `NAME=value` a line; no value holds a space, a quote or a line
 * break.
 */
export const BootEnv = z.object({
  NODE_ID: Ulid,
  CONTROL_PLANE_URL: z.url(),
  /** Where the agent's own requests go; without it, CONTROL_PLANE_URL. */
  CALLBACK_URL: z.optional(z.url()),
  /** Issuer of the tokens that the node verifies; without it, CONTROL_PLANE_URL. */
  JWT_ISSUER: z.optional(z.url()),
  BOOTSTRAP_TOKEN: z.string(),
  /** The authority of the certificate for the node's address; without it, the node orders none. */
  ACME_DIRECTORY: z.optional(z.url()),
  ACME_CONTACT: z.optional(z.string()),
  ACME_PROFILE: z.optional(z.string()),
  /** PEM in Base64. */
  ACME_TRUST_ANCHORS: z.optional(z.string()),
});
export type BootEnv = z.infer<typeof BootEnv>;

/**
 * POST /api/bootstrap. `redemptionId` is made by the agent and kept on its disk before the first
 * attempt, so that it may ask again after a lost answer; the same token under another
 * `redemptionId` is refused.
 */
export const BootstrapRequest = z.strictObject({
  nodeId: Ulid,
  token: z.string().check(z.minLength(32), z.maxLength(128)),
  redemptionId: z.string().check(z.regex(/^[0-9a-f]{32}$/)),
});
export type BootstrapRequest = z.infer<typeof BootstrapRequest>;

export const BootstrapResponse = z.object({
  /**
   * Callback token of the node; the agent keeps it in CALLBACK_TOKEN_FILE, readable by root only.
   */
  callbackToken: z.string(),
  expiresAt: z.int(),
});
export type BootstrapResponse = z.infer<typeof BootstrapResponse>;
