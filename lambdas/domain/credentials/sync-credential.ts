import type { Table } from '../../shared/table.js';
import { transact } from '../records/transact.js';
import type { SecretBox } from '../secrets/sealed-secret.js';
import {
  type Credential,
  credentialContext,
  credentialKey,
  credentialReference,
  maskKey,
} from './credential.js';
import { type CredentialUse, credentialUseKey } from './credential-use.js';

export interface RenewedCredential {
  readonly use: CredentialUse;
  readonly token: string;
  readonly now: Date;
}

/**
 * Keeps what an agent's own sign-in renewed while it worked. Only a sign-in is renewed, never a key, and never what all of
 * the deployment share; and only by the session that was given just this one, so that an agent that ends does not bring
 * back what its owner has replaced meanwhile. One table call.
 */
export async function syncCredential(
  { table, secrets }: { readonly table: Table; readonly secrets: SecretBox },
  credential: Credential,
  { use, token, now }: RenewedCredential,
): Promise<boolean> {
  const { owner, provider, credentialKind, generation } = credential;
  if (credentialKind !== 'oauth-token' || owner.kind === 'platform') return false;
  if (use.credentialReference !== credentialReference(credential) || use.generation !== generation)
    return false;
  const context = credentialContext(owner, provider);
  if ((await secrets.open(credential.token, context)) === token) return false;
  const sealed = await secrets.seal(token, context);
  const isAsGiven = { equals: { generation } };
  const { committed } = await transact(table, [
    {
      update: {
        key: credentialKey(owner, provider),
        set: { token: sealed, maskedKey: maskKey(token), updatedAt: now.toISOString() },
        add: { generation: 1 },
        when: isAsGiven,
      },
    },
    {
      update: {
        key: credentialUseKey(use.workspaceId, use.agentSessionId),
        add: { generation: 1 },
        when: isAsGiven,
      },
    },
  ]);
  return committed;
}
