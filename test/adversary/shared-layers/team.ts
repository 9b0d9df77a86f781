import { agentSessionItem } from '../../../lambdas/domain/agent-sessions/agent-session.js';
import { deleteCredential, storeCredential } from '../../../lambdas/domain/credentials/stored-credentials.js';
import type { LaunchSettings } from '../../../lambdas/domain/launch/launch-layer.js';
import { storeUserSettings } from '../../../lambdas/domain/launch/load-layers.js';
import { createProfile } from '../../../lambdas/domain/profiles/create-and-delete.js';
import { memberItem } from '../../../lambdas/domain/projects/member.js';
import { projectItem } from '../../../lambdas/domain/projects/project.js';
import {
  type CredentialOwner,
  providerOfAgent,
} from '../../../lambdas/domain/records/credentials/credential.js';
import { submitTask } from '../../../lambdas/domain/tasks/submit-task.js';
import type { Task } from '../../../lambdas/domain/tasks/task.js';
import { issueToken } from '../../../lambdas/domain/tokens/issue-token.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { AgentType } from '../../../protocol/agent-sessions.js';
import { loadRoutes } from '../../support/loaded-routes.js';
import { aProject, putItem } from '../../support/project.js';
import { limits, placedWorkspace } from '../../support/records.js';
import { signIn } from '../../support/sign-in.js';
import { signingKeys } from '../../support/wrong-tokens.js';

export const routes = await loadRoutes(
  ['agent-settings', 'agent-key', 'runtime-assets'].map((name) => `callbacks/${name}`),
);
const { table } = routes;
const { secretBox: secrets } = await import('../../../lambdas/edge/secret-box.js');

export type SharedLayer = 'profile' | 'skill' | 'project';
export const sharedLayers = ['profile', 'skill', 'project'] as const satisfies readonly SharedLayer[];

export const tokens = { own: 'sk-of-the-victim-000', project: 'sk-of-the-project-00' } as const;

export interface Written {
  readonly settings?: LaunchSettings;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A member with consent, in a project whose shared layers somebody else writes. */
export async function aTeam() {
  const victim = await signIn(table);
  const { userId } = victim;
  const project = aProject({ memberCount: 2 });
  const { projectId, createdAt: joinedAt } = project;
  await putItem(table, projectItem(project));
  const member = { projectId, userId, role: 'maintainer', status: 'active', project, joinedAt } as const;
  await putItem(table, memberItem({ ...member, personalCredentialsAllowedAt: joinedAt }));

  const store = (owner: CredentialOwner, agentType: AgentType, token: string) =>
    storeCredential(
      { table, secrets },
      {
        ...{ owner, provider: providerOfAgent[agentType], credentialId: `cc-cred-${newId()}`, token },
        ...{ credentialType: 'agent-api-key', credentialKind: 'api-key', storedBy: userId },
      },
      new Date(),
    );

  return {
    userId,
    projectId,
    victim,
    storeOwn: (agentType: AgentType) => store({ kind: 'user', id: userId }, agentType, tokens.own),
    storeOfProject: (agentType: AgentType) =>
      store({ kind: 'project', id: projectId }, agentType, tokens.project),
    storeOfPlatform: (agentType: AgentType) => store({ kind: 'platform' }, agentType, 'sk-of-platform-0000'),
    removeOfProject: (agentType: AgentType) =>
      deleteCredential(table, { kind: 'project', id: projectId }, providerOfAgent[agentType]),
    setOwn: (settings: LaunchSettings) => storeUserSettings(table, { userId, settings, now: new Date() }),
    /** A task of the victim with what somebody else wrote in one layer. */
    submit: async (layer: SharedLayer, written: Written, request: LaunchSettings): Promise<Task> => {
      const { settings = {}, environment = {} } = written;
      const named = layer === 'project' ? {} : await write(layer, { projectId, settings, environment });
      const { task } = await submitTask(
        table,
        {
          project: layer === 'project' ? { ...project, settings } : project,
          ...{ userId, message: 'Fix it', request, offer: limits.offer, newId, ...named },
          actor: { actorType: 'user', actorId: userId },
        },
        new Date(),
      );
      if (!task) throw new Error('The task was not created');
      return task;
    },
  };
}

async function write(
  kind: 'profile' | 'skill',
  { projectId, settings, environment }: Required<Written> & { readonly projectId: string },
) {
  const { agentDefaults: _, ...plain } = settings;
  const draft = { kind, profileId: newId(), projectId, name: newId(), description: null, createdBy: newId() };
  const { profileId } = await createProfile(
    { table, secrets },
    { ...draft, settings: plain, environment },
    new Date(),
  );
  return kind === 'profile' ? { agentProfileId: profileId } : { skillId: profileId };
}

/** What the node of the task's agent is given, or an agent of the type `asked` in its session. */
export async function agentOf(
  { taskId, projectId, userId, launch }: Task,
  agentType = typeOf(launch),
  asked = agentType,
) {
  const { workspace } = await placedWorkspace(table, { status: 'running', userId, projectId, taskId });
  const { workspaceId, nodeId, generation } = workspace;
  const agentSessionId = newId();
  const at = new Date().toISOString();
  await putItem(
    table,
    agentSessionItem({
      ...{ agentSessionId, workspaceId, generation, userId, projectId, chatId: taskId, agentType },
      ...{ status: 'running', label: null, stoppedAt: null, createdAt: at, updatedAt: at },
    }),
  );
  const claims = { sub: workspaceId, node: nodeId ?? '', generation };
  const { token } = await issueToken(signingKeys(), 'workspaceCallback', { claims, now: new Date() });
  const request = { params: { workspaceId }, headers: { authorization: `Bearer ${token}` } };
  return {
    settings: () =>
      routes.call('callbacks/agent-settings', { ...request, body: { agentType: asked, agentSessionId } }),
    key: () =>
      routes.call('callbacks/agent-key', {
        ...request,
        body: { agentType: asked, sessionId: agentSessionId },
      }),
    // docs/table.md gives its calls, which are more than those of other reads.
    assets: () => routes.send('callbacks/runtime-assets', { ...request, query: { agentSessionId } }),
  };
}

function typeOf(launch: Task['launch']): AgentType {
  if (!launch) throw new Error('The task has no launch');
  return launch.agentType.value;
}
