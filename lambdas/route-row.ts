import type { Capability } from './domain/projects/member.js';
import type { RateLimitName } from './domain/rate-limits/rate-limits.js';
import type { SagaName } from './saga-names.js';

/**
 * Who may call a route. The edge reads the row of its function from the environment (`ROUTE`) and
 * enforces its kind before the handler runs. A handler cannot loosen it.
 */
export type Authorisation =
  /** Anybody, without proof. */
  | { readonly kind: 'public' }
  /**
   * A signed-in person. `owns` names the record in the path that must be the person's own. The
   * handler checks `owns` (404 for others); the edge does not. The OpenAPI document is made from
   * it.
   */
  | { readonly kind: 'session'; readonly owns?: 'workspace' | 'node' }
  /**
   * A member of `{projectId}` with this capability: 404 for outsiders, 403 for members without it.
   * In a detached project members can only read, except by routes with `evenDetached`.
   */
  | { readonly kind: 'capability'; readonly capability: Capability; readonly evenDetached?: true }
  | { readonly kind: 'superadmin' }
  /** The node `{nodeId}` itself, by its callback token. */
  | { readonly kind: 'nodeCallback' }
  /** The present generation of `{workspaceId}`, by its callback token. */
  | { readonly kind: 'workspaceCallback' }
  /**
   * The present generation of the workspace in the token, about a session of that workspace: 404
   * for others.
   */
  | { readonly kind: 'agentCallback' }
  /** A node, or a workspace on the node, by its callback token. */
  | { readonly kind: 'anyCallback' }
  /** An agent, by the MCP token of its session. */
  | { readonly kind: 'mcp' }
  /**
   * The handler checks a proof of its own, such as a one-time token or an OAuth state. Its file
   * says why.
   */
  | { readonly kind: 'own' };

/**
 * What a function may use; `infra` turns each grant into least-privilege statements and environment
 * variables.
 */
export type Grant =
  | 'table:read'
  | 'table:write'
  /** Sign JWTs with the newest signing key. */
  | 'tokens:sign'
  /** Read the public halves of the signing keys (to verify a token, or to publish them). */
  | 'tokens:verify'
  /** Encrypt or decrypt stored secrets with the data key. */
  | 'secrets:seal'
  | 'secrets:open'
  /** The code host application's client secret and private key. */
  | 'codehost:app'
  /** The secrets with which the code host signs webhooks. */
  | 'codehost:webhook'
  /** The secret that the key of push messages is made of. */
  | 'push:key'
  | 'artifacts:read'
  /** Ask model providers whether they accept a key. */
  | 'providers:ask'
  /** Presign uploads of task attachments; read attachments. */
  | 'uploads:write'
  | 'uploads:read'
  /** Content that is too long for a message: presign its upload, keep it, read it. */
  | 'content:upload'
  | 'content:keep'
  | 'content:read'
  | 'content:delete'
  /** Objects of resource history. */
  | 'history:write'
  | 'history:read'
  /** Changes of ended tasks: store them, read them, delete them. */
  | 'changes:write'
  | 'changes:read'
  | 'changes:delete'
  /** Objects of snapshots: presign their upload and store the manifest, read, delete. */
  | 'snapshots:write'
  | 'snapshots:read'
  | 'snapshots:delete'
  /** Start this saga. */
  | `saga:${SagaName}`
  /** Send wake-ups to the prompt worker. */
  | 'prompts:wake-up'
  /** Upsert and delete node records in the nodes' hosted zone; nothing when there is none. */
  | 'dns:write'
  /** Answer a waiting saga step by its task token. */
  | 'sagas:answer';

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: `/${string}`;
  /**
   * File below `lambdas/http`, without `.ts`. Its contract is the export of that name in
   * `<area>/contract.ts`.
   */
  readonly file: `${string}/${string}`;
  readonly auth: Authorisation;
  readonly grants: readonly Grant[];
  /**
   * How often a caller may call the route. A test demands a limit of each route that writes, signs,
   * waits or costs money.
   */
  readonly limit?: RateLimitName;
  /**
   * The route waits for an answer of a node, or transfers the bytes of a file: see
   * `longestHoldSeconds`.
   */
  readonly readsNode?: 'answer' | 'bytes';
  /** Nodes and probes call the route at the API's own address, without CloudFront. */
  readonly isDirect?: true;
}

/** Answers requests that match no route. */
export interface FallbackRoute extends Omit<Route, 'method'> {
  readonly method: 'ANY';
}

export const anyone = { kind: 'public' } as const;
export const person = { kind: 'session' } as const;
export const workspaceOwner = { kind: 'session', owns: 'workspace' } as const;
export const nodeOwner = { kind: 'session', owns: 'node' } as const;
export const node = { kind: 'nodeCallback' } as const;
export const workspace = { kind: 'workspaceCallback' } as const;
export const own = { kind: 'own' } as const;
export const superadmin = { kind: 'superadmin' } as const;

/**
 * CloudFront adds this header to each request, and replaces a header of that name that the viewer
 * sent.
 */
export const originSecretHeader = 'x-svc-origin-secret';

const kindsWithToken: readonly Authorisation['kind'][] = [
  'nodeCallback',
  'workspaceCallback',
  'agentCallback',
  'anyCallback',
  'mcp',
];

/**
 * Whether a route answers without the origin secret: its caller has a token, or the row has
 * `isDirect`.
 */
export const isReachedDirectly = ({ auth, isDirect }: Pick<Route, 'auth' | 'isDirect'>): boolean =>
  isDirect === true || kindsWithToken.includes(auth.kind);

/**
 * The timeout of a route's function in seconds. A call of a node or of the code host takes at most
 * 5 s; four table calls of some 10 ms leave a cold start its second. A node that reads files or
 * asks git has 8 s, and 15 s where it transfers the bytes of a file, with 4 s for the connection in
 * front of each.
 */
export function longestHoldSeconds({ readsNode }: Pick<Route, 'readsNode'>): number {
  if (readsNode === 'bytes') return 25;
  return readsNode === 'answer' ? 15 : 10;
}
