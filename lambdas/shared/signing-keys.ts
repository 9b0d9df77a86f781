/** The public half of an Ed25519 key, as in `/.well-known/jwks.json` (RFC 8037). */
export interface PublicJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  /** RFC 7638 thumbprint. */
  readonly kid: string;
  readonly alg: 'EdDSA';
  readonly use: 'sig';
}

/** What signs the system's JWTs and what they are verified with. */
export interface SigningKeys {
  /** Issuer of every token: the control plane's own address. */
  readonly issuer: string;
  publicKeys(): Promise<readonly PublicJwk[]>;
  signingKeyId(): Promise<string>;
  sign(message: Uint8Array): Promise<Uint8Array>;
}
