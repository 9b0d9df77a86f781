import type { Table } from '../../shared/table.js';
import { memberKey, whileMay } from '../projects/member.js';
import { projectKey } from '../projects/project.js';
import { transact, type Write } from '../records/transact.js';
import type { SecretBox } from '../secrets/sealed-secret.js';
import type { Workspace } from '../workspaces/workspace.js';
import {
  type Credential,
  type CredentialOwner,
  credentialContext,
  credentialKey,
  credentialReference,
  maskKey,
} from './credential.js';
import { type CredentialUse, credentialUseKey } from './credential-use.js';
import { findCredential } from './find-credential.js';

type By = Pick<Workspace, 'userId' | 'projectId'>;

export interface RenewedCredential {
  readonly use: CredentialUse;
  readonly token: string;
  readonly now: Date;
}

/**
 * Stores the sign-in that an agent renewed, in place of the one its session was given. The content is the workspace's word,
 * so it replaces only what the workspace's owner could replace themselves: their own sign-in, or the project's while they
 * hold `secret:write` in it. A key, a platform credential and a credential that changed since are left alone. Two table calls.
 */
export async function syncCredential(
  { table, secrets }: { readonly table: Table; readonly secrets: SecretBox },
  by: By,
  { use, token, now }: RenewedCredential,
): Promise<boolean> {
  const { owner, provider } = use;
  const rights = rightsToReplace(owner, by);
  const credential = rights && (await findCredential(table, owner, provider));
  if (!credential || !isAsGiven(credential, use)) return false;
  const context = credentialContext(owner, provider);
  if ((await secrets.open(credential.token, context)) === token) return false;
  const sealed = await secrets.seal(token, context);
  const when = { equals: { generation: use.generation } };
  const { committed } = await transact(table, [
    {
      update: {
        key: credentialKey(owner, provider),
        set: { token: sealed, maskedKey: maskKey(token), storedBy: by.userId, updatedAt: now.toISOString() },
        add: { generation: 1 },
        when,
      },
    },
    {
      update: { key: credentialUseKey(use.workspaceId, use.agentSessionId), add: { generation: 1 }, when },
    },
    ...rights,
  ]);
  return committed;
}

/** What must hold at the moment of the write; undefined where nothing could allow it. */
function rightsToReplace(owner: CredentialOwner, { userId, projectId }: By): readonly Write[] | undefined {
  if (owner.kind === 'user') return owner.id === userId ? [] : undefined;
  if (owner.kind === 'platform' || owner.id !== projectId) return undefined;
  return [
    { check: memberKey(projectId, userId), when: whileMay('secret:write') },
    { check: projectKey(projectId), when: { equals: { status: 'active' } } },
  ];
}

const isAsGiven = (credential: Credential, use: CredentialUse): boolean =>
  credential.credentialKind === 'oauth-token' &&
  credentialReference(credential) === use.credentialReference &&
  credential.generation === use.generation;
