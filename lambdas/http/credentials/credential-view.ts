import type { Credential, CredentialOwner } from '../../domain/credentials/credential.js';
import { type NewCredential, storeCredential } from '../../domain/credentials/stored-credentials.js';
import { secretBox } from '../../edge/secret-box.js';
import type { Table } from '../../shared/table.js';

interface Storing {
  readonly table: Table;
  readonly now: Date;
  readonly newId: () => string;
  readonly user: { readonly userId: string };
  readonly body: Pick<NewCredential, 'provider' | 'credentialType' | 'credentialKind' | 'token'>;
}

/** The reply is the same whoever owns the credential. */
export async function storeCredentialOf(owner: CredentialOwner, { table, now, newId, user, body }: Storing) {
  const { credential, isNew } = await storeCredential(
    { table, secrets: secretBox },
    { ...body, owner, credentialId: `cc-cred-${newId()}`, storedBy: user.userId },
    now,
  );
  const validation = {
    valid: true,
    message: 'The format of the token is valid',
    validationMode: 'format',
  } as const;
  return {
    status: isNew ? 201 : 200,
    body: { ...credentialView(credential), validation },
  } as const;
}

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
