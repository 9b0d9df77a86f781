import { KeySet } from '../auth/key-set.js';
import { SessionEnds } from '../auth/session-ends.js';
import { TokenChecks } from '../auth/token-checks.js';
import type { Foundation } from './foundation.js';

export interface AuthServices {
  readonly keys: KeySet;
  readonly sessionEnds: SessionEnds;
  readonly tokens: TokenChecks;
}

export function composeAuth({ config, storage, controlPlane, log }: Foundation): AuthServices {
  const { nodeId, controlPlaneUrl: issuer, identity } = config;
  const keys = new KeySet(`${issuer}/.well-known/jwks.json`, identity.keySetTimeoutMs, log);
  const sessionEnds = new SessionEnds(storage.database, () => new Date());
  const now = controlPlane.client.clock.now;
  return { keys, sessionEnds, tokens: new TokenChecks({ issuer, nodeId, now }, keys, sessionEnds) };
}
