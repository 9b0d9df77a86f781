import type { AgentType } from '../../../protocol/agent-sessions.js';
import { Forbidden, NotFound } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import type { AgentSession } from '../agent-sessions/agent-session.js';
import { launchFor } from '../launch/agent-settings.js';
import type { IgnoredSetting, ResolvedLaunch } from '../launch/resolve-launch.js';
import { unconfirmedVariables } from '../launch/shared-variables.js';
import { sharedRedirects } from '../launch/without-redirects.js';
import { capabilityMissing } from '../projects/errors.js';
import { Member, may, memberKey } from '../projects/member.js';
import { isOnlyMember, Project, projectKey } from '../projects/project.js';
import { getItems, type Item } from '../records/batch-items.js';
import {
  Credential,
  credentialKey,
  credentialReference,
  type Provider,
  providerOfAgent,
} from '../records/credentials/credential.js';
import { transact } from '../records/transact.js';
import { Task, taskKey } from '../tasks/task.js';
import type { Workspace } from '../workspaces/workspace.js';
import { personalCredentialsOf } from './personal-credentials.js';
import {
  type SessionCredential,
  sessionAttributionItem,
  sessionCredentialItem,
} from './session-credential.js';
import { findCredential } from './stored-credentials.js';

interface Asked {
  readonly agentType: AgentType;
  readonly session?: AgentSession | undefined;
}

/**
 * The credential for an agent of this type: that of the project, otherwise that of the owner if
 * they allowed it in the project and the launch of the agent does not send it to an address of
 * somebody else. Never a platform credential, because the owner of a workspace can read what it
 * gets. One table call.
 *
 * @throws {NotFound} there is none
 * @throws {capabilityMissing} the workspace's owner may not work in its project any more
 * @throws {credentialNotAllowed | credentialRedirected}
 */
export async function resolveAgentCredential(
  table: Table,
  { userId, projectId, taskId }: Pick<Workspace, 'userId' | 'projectId' | 'taskId'>,
  asked: Asked,
): Promise<Credential> {
  const provider = providerOfAgent[asked.agentType];
  const found = projectId
    ? await findInProject(table, keysIn({ userId, projectId, taskId, provider }), asked)
    : await findCredential(table, { kind: 'user', id: userId }, provider);
  if (!found) throw new NotFound(`Credential for ${provider}`);
  return found;
}

interface InProject {
  readonly userId: string;
  readonly projectId: string;
  readonly taskId: string | undefined;
  readonly provider: Provider;
}

const keysIn = ({ userId, projectId, taskId, provider }: InProject) => ({
  project: projectKey(projectId),
  member: memberKey(projectId, userId),
  shared: credentialKey({ kind: 'project', id: projectId }, provider),
  own: credentialKey({ kind: 'user', id: userId }, provider),
  ...(taskId ? { task: taskKey(projectId, taskId) } : {}),
});

async function findInProject(
  table: Table,
  keys: ReturnType<typeof keysIn>,
  { agentType, session }: Asked,
): Promise<Credential | undefined> {
  const find = await getItems(table, Object.values(keys));
  const project = parsed(Project, find(keys.project));
  const member = parsed(Member, find(keys.member));
  if (!project || !member || !may(member, 'workspace:write')) throw capabilityMissing('workspace:write');
  const shared = parsed(Credential, find(keys.shared));
  if (shared) return shared;
  const own = parsed(Credential, find(keys.own));
  const task = keys.task && parsed(Task, find(keys.task));
  if (own) requireAllowed({ member, project, own, agentType, stored: [session?.launch, task?.launch] });
  return own;
}

interface PersonalUse {
  readonly member: Member;
  readonly project: Project;
  readonly own: Credential;
  readonly agentType: AgentType;
  /** The launches of the session and of the task. */
  readonly stored: readonly (ResolvedLaunch | null | undefined)[];
}

/**
 * The launch is that of the start, and cannot change between the settings of the agent and its
 * credential.
 */
function requireAllowed({ member, project, own: { provider }, agentType, stored }: PersonalUse): void {
  if (!personalCredentialsOf(member, project).allowed)
    throw credentialNotAllowed(provider, project.projectId);
  if (isOnlyMember(project, member.userId)) return;
  const launch = launchFor(agentType, ...stored);
  // An agent of another type that a person selects has the variables of the session.
  const started = stored.find((each) => each) ?? undefined;
  const confirmed = new Set(member.confirmedVariables);
  const settings = [
    ...(launch ? sharedRedirects(launch) : []),
    ...(started ? unconfirmedVariables(started, confirmed) : []),
  ];
  if (settings.length > 0) throw credentialRedirected(provider, settings);
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

/** The project's credential was removed after the start, or the start is older than the rule. */
function credentialRedirected(provider: string, settings: readonly IgnoredSetting[]) {
  const details = settings.map(({ field, from }) => ({
    field,
    message: `Set by the ${from}, which other members can change`,
  }));
  const named = settings.map(({ field, from }) => `${field} (${from})`).join(', ');
  return new Forbidden(
    `Your own ${provider} credential is not used with settings that other members can change and that can redirect it: ${named}. Start the agent again to use your own settings, confirm the names of the variables in the project, or ask an admin to store a credential of the project.`,
    { code: 'CREDENTIAL_REDIRECTED', details },
  );
}
