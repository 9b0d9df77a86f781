import { type NewCredential, storeCredential } from '../../domain/credentials/stored-credentials.js';
import type { CredentialOwner } from '../../domain/records/credentials/credential.js';
import { providerCheck } from '../../edge/provider-check.js';
import { secretBox } from '../../edge/secret-box.js';
import type { Log } from '../../shared/log.js';
import type { Table } from '../../shared/table.js';
import { credentialView } from './credential-view.js';

interface Storing {
  readonly table: Table;
  readonly now: Date;
  readonly newId: () => string;
  readonly log: Log;
  readonly user: { readonly userId: string };
  readonly body: Pick<NewCredential, 'provider' | 'credentialType' | 'credentialKind' | 'token'>;
}

/** The reply is the same whoever owns the credential. */
export async function storeCredentialOf(
  owner: CredentialOwner,
  { table, now, newId, log, user, body }: Storing,
) {
  const { credential, isNew } = await storeCredential(
    { table, secrets: secretBox },
    { ...body, owner, credentialId: `cc-cred-${newId()}`, storedBy: user.userId },
    now,
  );
  const validation = await providerCheck.validate(body, { now, log });
  return {
    status: isNew ? 201 : 200,
    body: { ...credentialView(credential), validation },
  } as const;
}
