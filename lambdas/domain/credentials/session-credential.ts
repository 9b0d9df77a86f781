import { GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { UsageWindow } from '../../../protocol/usage-windows.js';
import type { Table } from '../../shared/table.js';
import { memberKey, whileMay } from '../projects/member.js';
import { projectKey } from '../projects/project.js';
import {
  type Credential,
  CredentialOwner,
  credentialContext,
  credentialKey,
  credentialReference,
  maskKey,
  providers,
} from '../records/credentials/credential.js';
import { transact, type Write } from '../records/transact.js';
import type { SecretBox } from '../secrets/sealed-secret.js';
import type { Workspace } from '../workspaces/workspace.js';
import { findCredential } from './stored-credentials.js';

/** The credential that an agent session got last: its usage and its renewals count to it. */
export const SessionCredential = z.object({
  workspaceId: Ulid,
  agentSessionId: z.string(),
  provider: z.enum(providers),
  owner: CredentialOwner,
  credentialReference: z.string(),
  generation: z.int(),
  usedAt: z.iso.datetime(),
  /** The newest rate-limit figures of each window. */
  windows: z._default(z.array(UsageWindow), []),
});

export type SessionCredential = z.infer<typeof SessionCredential>;

export const sessionCredentialKey = (workspaceId: string, agentSessionId: string) => ({
  pk: `WORKSPACE#${workspaceId}`,
  sk: `CREDENTIAL#${agentSessionId}`,
});

/** A session whose agent has not fetched its credential for so long has ended. */
const keptSeconds = 90 * 24 * 60 * 60;

const expiryOf = ({ usedAt }: Pick<SessionCredential, 'usedAt'>): number =>
  Math.floor(Date.parse(usedAt) / 1000) + keptSeconds;

export const sessionCredentialItem = (use: SessionCredential) => ({
  ...sessionCredentialKey(use.workspaceId, use.agentSessionId),
  entity: 'session-credential',
  schemaVersion: 1,
  expiresAt: expiryOf(use),
  ...use,
});

/** Finds the same by its project. */
export const sessionAttributionKey = (projectId: string, agentSessionId: string) => ({
  pk: `PROJECT#${projectId}`,
  sk: `CREDENTIALOF#${agentSessionId}`,
});

export const SessionAttribution = z.object({ owner: CredentialOwner, credentialReference: z.string() });
export type SessionAttribution = z.infer<typeof SessionAttribution>;

export const sessionAttributionItem = (projectId: string, use: SessionCredential) => ({
  ...sessionAttributionKey(projectId, use.agentSessionId),
  entity: 'session-attribution',
  schemaVersion: 1,
  expiresAt: expiryOf(use),
  owner: use.owner,
  credentialReference: use.credentialReference,
});

/** One table call. */
export async function findSessionCredential(
  table: Table,
  { workspaceId, agentSessionId }: Pick<SessionCredential, 'workspaceId' | 'agentSessionId'>,
): Promise<SessionCredential | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({
      TableName: table.name,
      Key: sessionCredentialKey(workspaceId, agentSessionId),
      ConsistentRead: true,
    }),
  );
  return Item && SessionCredential.parse(Item);
}

type By = Pick<Workspace, 'userId' | 'projectId'>;

interface RenewedCredential {
  readonly use: SessionCredential;
  readonly token: string;
  readonly now: Date;
}

/**
 * Stores a sign-in that an agent renewed in place of the one that its session got. It replaces
 * only what the owner of the workspace could replace: their own sign-in, or that of the project
 * while they hold `secret:write`. Two table calls.
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
      update: {
        key: sessionCredentialKey(use.workspaceId, use.agentSessionId),
        add: { generation: 1 },
        when,
      },
    },
    ...rights,
  ]);
  return committed;
}

/** Conditions of the write; undefined when nothing can allow it. */
function rightsToReplace(owner: CredentialOwner, { userId, projectId }: By): readonly Write[] | undefined {
  if (owner.kind === 'user') return owner.id === userId ? [] : undefined;
  if (owner.kind === 'platform' || owner.id !== projectId) return undefined;
  return [
    { check: memberKey(projectId, userId), when: whileMay('secret:write') },
    { check: projectKey(projectId), when: { equals: { status: 'active' } } },
  ];
}

const isAsGiven = (credential: Credential, use: SessionCredential): boolean =>
  credential.credentialKind === 'oauth-token' &&
  credentialReference(credential) === use.credentialReference &&
  credential.generation === use.generation;
