import type { SigningKeys } from '../../shared/signing-keys.js';
import { NodeRefused } from '../nodes/errors.js';
import { type IssuedToken, issueToken, lifetimeOf } from '../tokens/issue-token.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { NodeAddress } from './node-address.js';

/** What a call to a node needs. */
export interface NodeAccess {
  readonly keys: SigningKeys;
  readonly address: NodeAddress;
  readonly now: Date;
  readonly timeoutMs: number;
}

/** The tokens of this process. */
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
 * Ignores the reply that the node does not know the resource, for stops and deletions. Only a
 * reply of the agent counts, not a 404 of a server between.
 */
export function unlessUnknown(error: unknown): void {
  if (!(error instanceof NodeRefused && error.status === 404 && error.reason === 'not_found')) throw error;
}

interface ManagementSubject {
  readonly sub: string;
  readonly node: string;
  readonly workspace: string;
}

/** A few kilobytes each; every function serves many people. */
const maxKept = 200;

/** The node checks a token when the request arrives, by its own clock. */
export const spareSeconds = 60;

/** Management tokens, kept until their last minute: each signature costs money. */
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
 * Time-outs of calls to nodes, in milliseconds. Each is shorter than the time-out of the function
 * that makes it, so that the function can report it.
 */
export const nodeTimeouts = {
  /**
   * The TLS connection of every call: an address without a machine does not refuse, it is silent.
   */
  connect: 4_000,
  /** A person waits for a short action. */
  request: 5_000,
  /** A person waits for a list of files or for git. */
  read: 8_000,
  /** A person waits for the bytes of a file. */
  transfer: 15_000,
  /** A saga step hands work over. */
  handOver: 15_000,
  /** A saga step waits for the result. */
  work: 30_000,
} as const;
