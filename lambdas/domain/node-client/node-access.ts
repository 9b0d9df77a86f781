import type { SigningKeys } from '../../shared/signing-keys.js';
import { NodeRefused } from '../nodes/errors.js';
import { type IssuedToken, issueToken, lifetimeOf } from '../tokens/issue-token.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { NodeAddress } from './node-address.js';

/** All that it takes to call a node. */
export interface NodeAccess {
  readonly keys: SigningKeys;
  readonly address: NodeAddress;
  readonly now: Date;
  readonly timeoutMs: number;
}

/** Of this process, by who signs them. */
const tokens = new WeakMap<SigningKeys, ManagementTokens>();

/** A token for calls about one workspace of the node. */
export function managementToken(
  { keys, address, now }: NodeAccess,
  { workspaceId, userId }: Pick<Workspace, 'workspaceId' | 'userId'>,
): Promise<string> {
  const own = tokens.get(keys) ?? new ManagementTokens(keys);
  tokens.set(keys, own);
  return own.of({ sub: userId, node: address.nodeId, workspace: workspaceId }, now);
}

/**
 * For what is to be gone from a node: that the node does not know it is as good. Only the agent's own word counts; a 404
 * of anything else between is no answer of the agent.
 */
export function unlessUnknown(error: unknown): void {
  if (!(error instanceof NodeRefused && error.status === 404 && error.reason === 'not_found')) throw error;
}

export interface ManagementSubject {
  readonly sub: string;
  readonly node: string;
  readonly workspace: string;
}

/** A few kilobytes each, and every function serves many people. */
const maxKept = 200;

/** A node looks at a token when a request arrives, by a clock of its own. */
export const spareSeconds = 60;

/**
 * Tokens for calls to nodes. Each signature is paid for, so one is used again by this process, for the same node, workspace
 * and person, until its last minute.
 */
export class ManagementTokens {
  private readonly kept = new Map<string, IssuedToken>();

  constructor(private readonly keys: SigningKeys) {}

  async of(subject: ManagementSubject, now: Date): Promise<string> {
    const key = [subject.node, subject.workspace, subject.sub].join();
    const known = this.kept.get(key);
    if (known && isFresh(known, now)) return known.token;
    const issued = await issueToken(this.keys, 'management', { claims: { ...subject }, now });
    if (this.kept.size >= maxKept) this.kept.clear();
    this.kept.set(key, issued);
    return issued.token;
  }
}

function isFresh({ expiresAt }: IssuedToken, now: Date): boolean {
  const left = expiresAt - now.getTime() / 1_000;
  return left >= spareSeconds && left <= lifetimeOf('management');
}

/**
 * How long calls to a node may take, in milliseconds, by who waits for them. Each ends well before the function that
 * makes it (lambdas/route-row.ts), so that it is the function that tells what happened.
 */
export const nodeTimeouts = {
  /** Until TLS stands, for every call: an address where nobody is does not refuse, it is silent. */
  connect: 4_000,
  /** A person waits for a short deed of the node. */
  request: 5_000,
  /** A person waits for a list of files or for git, which may look at many. */
  read: 8_000,
  /** A person waits for the bytes of a file. */
  transfer: 15_000,
  /** A saga's step hands work over. */
  handOver: 15_000,
  /** A saga's step waits for the node to have done it. */
  work: 30_000,
} as const;
