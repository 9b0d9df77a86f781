import type { AgentType } from '../../../protocol/agent-sessions.js';
import { Forbidden, NotFound } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { capabilityMissing } from '../projects/errors.js';
import { Member, may, memberKey } from '../projects/member.js';
import { Project, projectKey } from '../projects/project.js';
import { getItems, type Item } from '../records/batch-items.js';
import { transact } from '../records/transact.js';
import type { Workspace } from '../workspaces/workspace.js';
import {
  Credential,
  credentialKey,
  credentialReference,
  type Provider,
  providerOfAgent,
} from './credential.js';
import { personalCredentialsOf } from './personal-credentials.js';
import {
  type SessionCredential,
  sessionAttributionItem,
  sessionCredentialItem,
} from './session-credential.js';
import { findCredential } from './stored-credentials.js';

/**
 * The credential for an agent of this type: that of the project, otherwise that of the owner if
 * they allowed it in the project. Never a platform credential, because the owner of a workspace
 * can read what it gets. One table call.
 *
 * @throws {NotFound} there is none
 * @throws {capabilityMissing} the workspace's owner may not work in its project any more
 * @throws {credentialNotAllowed}
 */
export async function resolveAgentCredential(
  table: Table,
  { userId, projectId }: Pick<Workspace, 'userId' | 'projectId'>,
  agentType: AgentType,
): Promise<Credential> {
  const provider = providerOfAgent[agentType];
  const found = projectId
    ? await findInProject(table, keysIn({ userId, projectId, provider }))
    : await findCredential(table, { kind: 'user', id: userId }, provider);
  if (found === 'not-allowed') throw credentialNotAllowed(provider, String(projectId));
  if (!found) throw new NotFound(`Credential for ${provider}`);
  return found;
}

interface InProject {
  readonly userId: string;
  readonly projectId: string;
  readonly provider: Provider;
}

const keysIn = ({ userId, projectId, provider }: InProject) => ({
  project: projectKey(projectId),
  member: memberKey(projectId, userId),
  shared: credentialKey({ kind: 'project', id: projectId }, provider),
  own: credentialKey({ kind: 'user', id: userId }, provider),
});

async function findInProject(
  table: Table,
  keys: ReturnType<typeof keysIn>,
): Promise<Credential | 'not-allowed' | undefined> {
  const find = await getItems(table, Object.values(keys));
  const project = parsed(Project, find(keys.project));
  const member = parsed(Member, find(keys.member));
  if (!project || !member || !may(member, 'workspace:write')) throw capabilityMissing('workspace:write');
  const shared = parsed(Credential, find(keys.shared));
  if (shared) return shared;
  const own = parsed(Credential, find(keys.own));
  return own && !personalCredentialsOf(member, project).allowed ? 'not-allowed' : own;
}

const parsed = <Parsed>(schema: { parse(item: Item): Parsed }, item: Item | undefined): Parsed | undefined =>
  item && schema.parse(item);

/**
 * Notes the credential for the session, and for its project. One table call. The last session wins,
 * because it is the running one.
 */
export async function recordCredentialUse(
  table: Table,
  { owner, provider, generation, credentialId }: Credential,
  by: Pick<SessionCredential, 'workspaceId' | 'agentSessionId'> & {
    readonly projectId: string | null;
    readonly now: Date;
  },
): Promise<void> {
  const use: SessionCredential = {
    workspaceId: by.workspaceId,
    agentSessionId: by.agentSessionId,
    provider,
    owner,
    credentialReference: credentialReference({ credentialId }),
    generation,
    usedAt: by.now.toISOString(),
    windows: [],
  };
  await transact(table, [
    { put: sessionCredentialItem(use), when: {} },
    ...(by.projectId ? [{ put: sessionAttributionItem(by.projectId, use), when: {} }] : []),
  ]);
}

/** The person has a credential and has not allowed it in this project. */
const credentialNotAllowed = (provider: string, projectId: string) =>
  new Forbidden(
    `Your own ${provider} credential is not allowed in this project, and the project has none. Allow your own credentials with PUT /api/projects/${projectId}/personal-credentials, or ask an admin to store a credential of the project.`,
    { code: 'CREDENTIAL_NOT_ALLOWED_IN_PROJECT' },
  );
