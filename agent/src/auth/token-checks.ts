import type { z } from 'zod/mini';
import { forwardTokenHeader, nodeIdHeader, workspaceIdHeader } from '../../../protocol/node-api.js';
import {
  audiences,
  LocalForwardClaims,
  ManagementClaims,
  TerminalClaims,
  TransferClaims,
} from '../../../protocol/tokens.js';
import type { Transfer } from '../../../protocol/workspace-files.js';
import { AgentError } from '../errors.js';
import { type KeySet, KeysNotKnown } from './key-set.js';
import type { SessionEnds } from './session-ends.js';
import { VerifiedTokens } from './verified-tokens.js';

/** What is looked at in a request: its headers, names in lower case. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Which whole file is asked for, or brought, by the words of the address. */
export interface AskedTransfer {
  readonly transfer: Transfer;
  readonly path: string | undefined;
  readonly worktree: string | undefined;
}

/** Decides who calls. Every kind of token has an audience of its own, and none passes as another. */
export class TokenChecks {
  private readonly verified: VerifiedTokens;

  constructor(
    private readonly options: {
      readonly issuer: string;
      readonly nodeId: string;
      /** The time by which tokens are judged; without, that of this machine. */
      readonly now?: () => Date;
    },
    keys: Pick<KeySet, 'find' | 'edition'>,
    private readonly ends: Pick<SessionEnds, 'hasEnded'>,
  ) {
    this.verified = new VerifiedTokens(keys, options.issuer);
  }

  /**
   * The control plane, about this node as a whole: a token that names a workspace is refused. `queryToken` is that of
   * an address, where a route takes it so.
   */
  async node(headers: RequestHeaders, queryToken: string | null = null): Promise<ManagementClaims> {
    const claims = await this.managed(presented(headers, queryToken));
    if (claims.workspace !== undefined) throw new AgentError('forbidden', 'A node-scoped token is needed');
    this.checkRoute(headers, null);
    return claims;
  }

  /** The control plane, about this one workspace. */
  async workspace(headers: RequestHeaders, workspaceId: string): Promise<ManagementClaims> {
    const claims = await this.management(headers);
    if (claims.workspace !== workspaceId)
      throw new AgentError('forbidden', 'The token is not for this workspace');
    this.checkRoute(headers, workspaceId);
    return claims;
  }

  /** The control plane, about some workspace of this node; which one is checked by `workspace`. */
  async management(headers: RequestHeaders): Promise<ManagementClaims> {
    const claims = await this.managed(bearer(headers));
    if (claims.workspace === undefined)
      throw new AgentError('forbidden', 'A token that names a workspace is needed');
    return claims;
  }

  /** A person's client at a terminal: the token comes as bearer, or in the address, as browsers need. */
  async terminal(headers: RequestHeaders, queryToken: string | null): Promise<TerminalClaims> {
    const claims = await this.verify(presented(headers, queryToken), audiences.terminal, TerminalClaims);
    this.checkPerson(headers, claims);
    return claims;
  }

  /** A person's client that the control plane has sent here for one thing. */
  async transfer(headers: RequestHeaders, token: string, asked: AskedTransfer): Promise<TransferClaims> {
    const claims = await this.verify(token, audiences.transfer, TransferClaims);
    this.checkPerson(headers, claims);
    if (claims.transfer !== asked.transfer || claims.path !== asked.path || asked.worktree !== undefined)
      throw new AgentError('forbidden', 'The token is for something else');
    return claims;
  }

  /** A program that forwards one port of a workspace to a person's own machine. */
  async localForward(
    headers: RequestHeaders,
    place: { readonly workspaceId: string; readonly port: number },
  ): Promise<LocalForwardClaims> {
    const token = headers[forwardTokenHeader];
    if (typeof token !== 'string') throw new AgentError('unauthorized', 'A local-forward token is needed');
    const claims = await this.verify(token, audiences.localForward, LocalForwardClaims);
    if (claims.node !== this.options.nodeId)
      throw new AgentError('forbidden', 'The token is for another node');
    if (claims.workspace !== place.workspaceId || claims.remotePort !== place.port)
      throw new AgentError('forbidden', 'The token is for another port');
    if (claims.session !== undefined && this.ends.hasEnded(claims.session))
      throw new AgentError('unauthorized', 'The session has ended');
    this.checkRoute(headers, claims.workspace);
    return claims;
  }

  private async managed(token: string): Promise<ManagementClaims> {
    const claims = await this.verify(token, audiences.management, ManagementClaims);
    if (claims.node !== this.options.nodeId)
      throw new AgentError('forbidden', 'The token is for another node');
    return claims;
  }

  private async verify<Schema extends z.ZodMiniType>(
    token: string,
    audience: string,
    schema: Schema,
  ): Promise<z.infer<Schema>> {
    try {
      const now = this.options.now?.() ?? new Date();
      const payload = await this.verified.payloadOf(token, audience, now);
      return schema.parse(payload);
    } catch (cause) {
      if (cause instanceof KeysNotKnown)
        throw new AgentError('unavailable', 'The keys of the control plane are not known yet', { cause });
      // Why a token is refused is nobody's business but the log's.
      throw new AgentError('unauthorized', 'The token is not valid', { cause });
    }
  }

  private checkPerson(headers: RequestHeaders, claims: TerminalClaims | TransferClaims): void {
    if (claims.node !== this.options.nodeId)
      throw new AgentError('forbidden', 'The token is for another node');
    if (this.ends.hasEnded(claims.session)) throw new AgentError('unauthorized', 'The session has ended');
    this.checkRoute(headers, claims.workspace);
  }

  /** A proxy that routed the request here says where it meant to go; a mismatch is its mistake, not ours to serve. */
  private checkRoute(headers: RequestHeaders, workspaceId: string | null): void {
    const node = headers[nodeIdHeader];
    if (node !== undefined && node !== this.options.nodeId)
      throw new AgentError('forbidden', 'The request was meant for another node');
    const workspace = headers[workspaceIdHeader];
    if (workspace !== undefined && workspace !== workspaceId)
      throw new AgentError('forbidden', 'The request was meant for another workspace');
  }
}

/** A header goes before the address. */
function presented(headers: RequestHeaders, queryToken: string | null): string {
  return headers.authorization === undefined && queryToken ? queryToken : bearer(headers);
}

function bearer(headers: RequestHeaders): string {
  const header = headers.authorization;
  const match = typeof header === 'string' ? /^Bearer ([\w.~+/=-]+)$/i.exec(header) : null;
  if (!match?.[1]) throw new AgentError('unauthorized', 'A bearer token is needed');
  return match[1];
}
