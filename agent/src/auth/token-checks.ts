import type { z } from 'zod/mini';
import { forwardTokenHeader, nodeIdHeader, workspaceIdHeader } from '../../../protocol/node-api.js';
import { tokenOfProtocols } from '../../../protocol/socket-token.js';
import {
  audiences,
  LocalForwardClaims,
  ManagementClaims,
  PreviewClaims,
  TerminalClaims,
  TransferClaims,
} from '../../../protocol/tokens.js';
import type { Transfer } from '../../../protocol/workspace-files.js';
import { AgentError } from '../errors.js';
import { type KeySet, KeysNotKnown } from './key-set.js';
import type { SessionEnds } from './session-ends.js';
import { VerifiedTokens } from './verified-tokens.js';

/** Headers of a request, names in lower case. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The file transfer that an address requests. */
export interface RequestedTransfer {
  readonly transfer: Transfer;
  readonly path: string | undefined;
  readonly worktree: string | undefined;
}

/** Verifies tokens. Every kind of token has its own audience and is accepted only as that kind. */
export class TokenChecks {
  private readonly verified: VerifiedTokens;

  constructor(
    private readonly options: {
      readonly issuer: string;
      readonly nodeId: string;
      /** The clock for expiry; default: this machine's. */
      readonly now?: () => Date;
    },
    keys: Pick<KeySet, 'find' | 'edition'>,
    private readonly ends: Pick<SessionEnds, 'hasEnded'>,
  ) {
    this.verified = new VerifiedTokens(keys, options.issuer);
  }

  /**
   * The control plane, for the node as a whole: a token that names a workspace is refused.
   * `queryToken` is the token of the address, on routes that accept it.
   */
  async node(headers: RequestHeaders, queryToken: string | null = null): Promise<ManagementClaims> {
    const claims = await this.managed(presented(headers, queryToken));
    if (claims.workspace !== undefined)
      throw new AgentError('forbidden', 'The token names a workspace. Use a node-scoped token.');
    this.checkRoute(headers, null);
    return claims;
  }

  /** The control plane, for this workspace. */
  async workspace(headers: RequestHeaders, workspaceId: string): Promise<ManagementClaims> {
    const claims = await this.management(headers);
    if (claims.workspace !== workspaceId)
      throw new AgentError('forbidden', 'The token is not for this workspace');
    this.checkRoute(headers, workspaceId);
    return claims;
  }

  /** The control plane, for any one workspace of this node. */
  async management(headers: RequestHeaders): Promise<ManagementClaims> {
    const claims = await this.managed(bearer(headers));
    if (claims.workspace === undefined)
      throw new AgentError('forbidden', 'The token names no workspace. Use a token for the workspace.');
    return claims;
  }

  /** A person's client: by bearer token, by subprotocol of a socket, or by the address. */
  async terminal(headers: RequestHeaders, queryToken: string | null): Promise<TerminalClaims> {
    const other = tokenOfProtocols(headers['sec-websocket-protocol']) ?? queryToken;
    const claims = await this.verify(presented(headers, other), audiences.terminal, TerminalClaims);
    this.checkPerson(headers, claims);
    return claims;
  }

  /** A person's client that the control plane redirected here for one file or upload. */
  async transfer(
    headers: RequestHeaders,
    token: string,
    requested: RequestedTransfer,
  ): Promise<TransferClaims> {
    const claims = await this.verify(token, audiences.transfer, TransferClaims);
    this.checkPerson(headers, claims);
    if (
      claims.transfer !== requested.transfer ||
      claims.path !== requested.path ||
      requested.worktree !== undefined
    )
      throw new AgentError('forbidden', 'The token is for another file');
    return claims;
  }

  /** A person's browser that opens one port of a workspace. `UsedTokens` limits it to one use. */
  async preview(
    headers: RequestHeaders,
    token: string,
    place: { readonly workspaceId: string; readonly port: number | null },
  ): Promise<PreviewClaims> {
    const claims = await this.verify(token, audiences.preview, PreviewClaims);
    this.checkPerson(headers, claims);
    if (claims.workspace !== place.workspaceId || claims.port !== place.port)
      throw new AgentError('forbidden', 'The token is for another port');
    return claims;
  }

  /** A program that forwards one port of a workspace to a person's machine. */
  async localForward(
    headers: RequestHeaders,
    place: { readonly workspaceId: string; readonly port: number },
  ): Promise<LocalForwardClaims> {
    const token = headers[forwardTokenHeader];
    if (typeof token !== 'string') throw new AgentError('unauthorized', 'A local-forward token is required');
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
        throw new AgentError(
          'unavailable',
          'The node has not loaded the keys of the control plane yet. Try again later.',
          { cause },
        );
      // The reason goes only to the log.
      throw new AgentError('unauthorized', 'The token is not valid', { cause });
    }
  }

  private checkPerson(
    headers: RequestHeaders,
    claims: TerminalClaims | TransferClaims | PreviewClaims,
  ): void {
    if (claims.node !== this.options.nodeId)
      throw new AgentError('forbidden', 'The token is for another node');
    if (this.ends.hasEnded(claims.session)) throw new AgentError('unauthorized', 'The session has ended');
    this.checkRoute(headers, claims.workspace);
  }

  /** The proxy names the node and workspace that it routes to; a mismatch is a routing error. */
  private checkRoute(headers: RequestHeaders, workspaceId: string | null): void {
    const node = headers[nodeIdHeader];
    if (node !== undefined && node !== this.options.nodeId)
      throw new AgentError('forbidden', 'The request was routed for another node');
    const workspace = headers[workspaceIdHeader];
    if (workspace !== undefined && workspace !== workspaceId)
      throw new AgentError('forbidden', 'The request was routed for another workspace');
  }
}

/** The Authorization header takes precedence. */
function presented(headers: RequestHeaders, other: string | null): string {
  return headers.authorization === undefined && other ? other : bearer(headers);
}

function bearer(headers: RequestHeaders): string {
  const header = headers.authorization;
  const match = typeof header === 'string' ? /^Bearer ([\w.~+/=-]+)$/i.exec(header) : null;
  if (!match?.[1]) throw new AgentError('unauthorized', 'A bearer token is required');
  return match[1];
}
