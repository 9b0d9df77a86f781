import * as z from 'zod/mini';
import { Ulid } from './ids.js';
import { transfers } from './workspace-files.js';

/**
 * Every JWT of the system: who it is meant for, what it claims, how long it lives. The control
 * plane signs with an Ed25519 key in KMS (`alg` EdDSA); whoever receives one verifies it against
 * `/.well-known/jwks.json`, with the control plane's address as issuer. A token of one kind is
 * never accepted as another: each kind has an audience of its own.
 */
export const audiences = {
  /** A person's client, at the terminal of one workspace. */
  terminal: 'workspace-terminal',
  /** A person's client that was sent to the node with one file to carry. */
  transfer: 'workspace-transfer',
  /** A person's browser that opens one port of a workspace, once. */
  preview: 'workspace-preview',
  /** The control plane, at a node: node-scoped without `workspace`, workspace-scoped with it. */
  management: 'node-management',
  /** A program on a person's own machine, at one port of a workspace. */
  localForward: 'local-forward',
  /** A node, at the control plane. */
  nodeCallback: 'node-callback',
  /** One generation of a workspace, at the control plane. */
  workspaceCallback: 'workspace-callback',
} as const;

export const tokenLifetimeSeconds = {
  terminal: 60 * 60,
  transfer: 60,
  preview: 60,
  management: 5 * 60,
  localForward: 5 * 60,
  nodeCallback: 24 * 60 * 60,
  workspaceCallback: 24 * 60 * 60,
} as const;

/** The signing algorithm, and the only one accepted: `none` and every other is refused. */
export const tokenAlgorithm = 'EdDSA';

/**
 * The text of a signed token. Decoders also take texts with whitespace and padding, which nobody
 * issues.
 */
export const tokenForm = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** A callback token is renewed once this part of its life has passed. */
export const renewalRatio = { default: 0.5, min: 0.1, max: 0.9 } as const;

const registered = { iss: z.string(), iat: z.int(), exp: z.int() };

export const TerminalClaims = z.object({
  ...registered,
  aud: z.literal(audiences.terminal),
  /** User id. */
  sub: Ulid,
  workspace: Ulid,
  node: Ulid,
  /** The generation of the workspace that the token was asked for. */
  generation: z.int(),
  /** Hash of the sign-in session, so that its end can end the sockets opened with it. */
  session: z.string(),
});
export type TerminalClaims = z.infer<typeof TerminalClaims>;

export const TransferClaims = z.object({
  ...registered,
  aud: z.literal(audiences.transfer),
  /** User id. */
  sub: Ulid,
  workspace: Ulid,
  node: Ulid,
  generation: z.int(),
  /** Hash of the sign-in session with which it ends. */
  session: z.string(),
  transfer: z.enum(transfers),
  /** Of what is read; an upload says itself where it goes. */
  path: z.optional(z.string()),
});
export type TransferClaims = z.infer<typeof TransferClaims>;

/** A page's service worker can read it, so it is worth no more than the preview that it opens. */
export const PreviewClaims = z.object({
  ...registered,
  aud: z.literal(audiences.preview),
  /** The node accepts each id once. */
  jti: Ulid,
  /** User id. */
  sub: Ulid,
  workspace: Ulid,
  node: Ulid,
  generation: z.int(),
  /** Hash of the sign-in session with which it and its cookie end. */
  session: z.string(),
  port: z.int().check(z.gte(1), z.lte(65_535)),
});
export type PreviewClaims = z.infer<typeof PreviewClaims>;

export const ManagementClaims = z.object({
  ...registered,
  aud: z.literal(audiences.management),
  sub: z.string(),
  node: Ulid,
  /** Absent on a node-scoped token, which no workspace route accepts. */
  workspace: z.optional(Ulid),
});
export type ManagementClaims = z.infer<typeof ManagementClaims>;

export const LocalForwardClaims = z
  .object({
    ...registered,
    aud: z.literal(audiences.localForward),
    type: z.literal('local-forward'),
    /** User id, twice. */
    sub: Ulid,
    userId: Ulid,
    node: Ulid,
    workspace: Ulid,
    /** The generation of the workspace that it is for; any without it. */
    generation: z.optional(z.int()),
    /** Of the workspace's service. */
    remotePort: z.int().check(z.gte(1), z.lte(65_535)),
    mode: z.literal('http'),
    /** Host and port under which the person's own machine offers it. */
    localAuthority: z
      .string()
      .check(z.maxLength(300), z.regex(/^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i)),
    /** Hash of the sign-in session with which it ends. */
    session: z.optional(z.string()),
  })
  .check(z.refine(({ sub, userId }) => sub === userId, 'sub and userId differ'));
export type LocalForwardClaims = z.infer<typeof LocalForwardClaims>;

export const NodeCallbackClaims = z.object({
  ...registered,
  aud: z.literal(audiences.nodeCallback),
  /** Node id. */
  sub: Ulid,
});
export type NodeCallbackClaims = z.infer<typeof NodeCallbackClaims>;

export const WorkspaceCallbackClaims = z.object({
  ...registered,
  aud: z.literal(audiences.workspaceCallback),
  /** Workspace id. */
  sub: Ulid,
  node: Ulid,
  /** The generation it was issued for; the control plane refuses a token of an older one. */
  generation: z.int(),
});
export type WorkspaceCallbackClaims = z.infer<typeof WorkspaceCallbackClaims>;
