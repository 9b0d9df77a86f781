import type { z } from 'zod/mini';
import {
  audiences,
  LocalForwardClaims,
  ManagementClaims,
  NodeCallbackClaims,
  PreviewClaims,
  renewalRatio,
  TerminalClaims,
  TransferClaims,
  tokenAlgorithm,
  tokenLifetimeSeconds,
  WorkspaceCallbackClaims,
} from '../../../protocol/tokens.js';
import type { SigningKeys } from '../../shared/signing-keys.js';

export interface IssuedToken {
  readonly token: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Signs a token of one kind with the newest key. Its lifetime is that of its kind. */
export async function issueToken<Kind extends TokenKind>(
  keys: SigningKeys,
  kind: Kind,
  { claims, now }: { readonly claims: OwnClaims<Kind>; readonly now: Date },
): Promise<IssuedToken> {
  const issuedAt = Math.floor(now.getTime() / 1000);
  const expiresAt = issuedAt + lifetimeOf(kind);
  const header = { alg: tokenAlgorithm, typ: 'JWT', kid: await keys.signingKeyId() };
  const payload = { ...claims, iss: keys.issuer, aud: audienceOf(kind), iat: issuedAt, exp: expiresAt };

  // Built by hand because the private key stays in KMS, and jose signs only with a key it holds.
  const signingInput = `${encode(header)}.${encode(payload)}`;
  const signature = await keys.sign(Buffer.from(signingInput));
  return { token: `${signingInput}.${Buffer.from(signature).toString('base64url')}`, expiresAt };
}

export const claimsOf = {
  terminal: TerminalClaims,
  transfer: TransferClaims,
  preview: PreviewClaims,
  management: ManagementClaims,
  localForward: LocalForwardClaims,
  nodeCallback: NodeCallbackClaims,
  workspaceCallback: WorkspaceCallbackClaims,
} as const;

export type TokenKind = keyof typeof audiences;
export type Claims<Kind extends TokenKind> = z.infer<(typeof claimsOf)[Kind]>;

/** The claims of the issuer; issuer, audience and times follow from kind and clock. */
export type OwnClaims<Kind extends TokenKind> = Omit<Claims<Kind>, 'iss' | 'aud' | 'iat' | 'exp'>;

export const audienceOf = (kind: TokenKind): string => audiences[kind];
export const lifetimeOf = (kind: TokenKind): number => tokenLifetimeSeconds[kind];

/** The holder of the token should renew it now. */
export function isRenewalDue(
  { iat, exp }: { readonly iat: number; readonly exp: number },
  now: Date,
): boolean {
  return now.getTime() / 1000 >= iat + (exp - iat) * renewalRatio.default;
}
