import type { CredentialOwner } from '../../domain/credentials/credential.js';
import { type NewCredential, storeCredential } from '../../domain/credentials/store-credential.js';
import { countRequest } from '../../domain/rate-limits/count-request.js';
import { rateLimits } from '../../domain/rate-limits/rate-limits.js';
import { rateLimitHeaders } from '../../edge/rate-limit-headers.js';
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

/** The reply is the same whoever owns the credential; counted is who stores it. */
export async function storeFor(owner: CredentialOwner, { table, now, newId, user, body }: Storing) {
  const window = await countRequest(table, rateLimits.CREDENTIAL_UPDATE, { id: user.userId, now });
  const { credential, isNew } = await storeCredential(
    { table, secrets: secretBox },
    { ...body, owner, credentialId: `cc-cred-${newId()}`, storedBy: user.userId },
    now,
  );
  const validation = { valid: true, message: 'Its form is right', validationMode: 'format' } as const;
  return {
    status: isNew ? 201 : 200,
    headers: rateLimitHeaders(window),
    body: { ...credentialView(credential), validation },
  } as const;
}
