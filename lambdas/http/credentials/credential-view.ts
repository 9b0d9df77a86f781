import type { Credential } from '../../domain/records/credentials/credential.js';

/** What its owner sees of it. */
export function credentialView(credential: Credential) {
  const { credentialId, provider, credentialType, credentialKind, maskedKey, createdAt, updatedAt } =
    credential;
  return {
    id: credentialId,
    provider,
    credentialType,
    credentialKind,
    connected: true,
    maskedKey,
    createdAt,
    updatedAt,
  } as const;
}
