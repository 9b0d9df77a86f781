import type { CredentialOwner } from '../../domain/credentials/credential.js';
import { type NewCredential, storeCredential } from '../../domain/credentials/store-credential.js';
import { secretBox } from '../../edge/secret-box.js';
import type { Table } from '../../shared/table.js';
import { credentialView } from './credential-view.js';

interface Storing {
  readonly table: Table;
  readonly now: Date;
  readonly newId: () => string;
  readonly user: { readonly userId: string };
  readonly body: Pick<NewCredential, 'provider' | 'credentialType' | 'credentialKind' | 'token'>;
}

/** The reply is the same whoever owns the credential. */
export async function storeFor(owner: CredentialOwner, { table, now, newId, user, body }: Storing) {
  const { credential, isNew } = await storeCredential(
    { table, secrets: secretBox },
    { ...body, owner, credentialId: `cc-cred-${newId()}`, storedBy: user.userId },
    now,
  );
  const validation = { valid: true, message: 'Its form is right', validationMode: 'format' } as const;
  return {
    status: isNew ? 201 : 200,
    body: { ...credentialView(credential), validation },
  } as const;
}
