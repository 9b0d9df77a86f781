import type { z } from 'zod/mini';
import {
  audiences,
  LocalForwardClaims,
  ManagementClaims,
  NodeCallbackClaims,
  TerminalClaims,
  TransferClaims,
  tokenLifetimeSeconds,
  WorkspaceCallbackClaims,
} from '../../../protocol/tokens.js';

export const claimsOf = {
  terminal: TerminalClaims,
  transfer: TransferClaims,
  management: ManagementClaims,
  localForward: LocalForwardClaims,
  nodeCallback: NodeCallbackClaims,
  workspaceCallback: WorkspaceCallbackClaims,
} as const;

export type TokenKind = keyof typeof audiences;
export type Claims<Kind extends TokenKind> = z.infer<(typeof claimsOf)[Kind]>;

/** What the issuer of a token says; the rest (issuer, audience, times) follows from kind and clock. */
export type OwnClaims<Kind extends TokenKind> = Omit<Claims<Kind>, 'iss' | 'aud' | 'iat' | 'exp'>;

export const audienceOf = (kind: TokenKind): string => audiences[kind];
export const lifetimeOf = (kind: TokenKind): number => tokenLifetimeSeconds[kind];
