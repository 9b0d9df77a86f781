import type { AgentType } from '../../../protocol/agent-sessions.js';
import { InvalidRequest } from '../../shared/errors.js';
import { Project, projectKey, projectLayer } from '../projects/project.js';
import type { Find } from '../records/batch-items.js';
import type { Key } from '../records/changes.js';
import type { Workspace } from '../workspaces/workspace.js';
import { fullTrust, launchTrust, noTrust } from './launch-trust.js';
import { launchKeys, loadedLayers, userLayer, userSettingsKey } from './load-layers.js';
import { type ResolvedLaunch, resolveLaunch } from './resolve-launch.js';

/** What a person names when they create an agent session. */
interface SessionLaunchRequest {
  readonly agentType?: AgentType | undefined;
  readonly agentProfileId?: string | undefined;
  readonly skillId?: string | undefined;
}

type Of = Pick<Workspace, 'projectId' | 'userId'>;

const namedBy = ({ agentProfileId: profileId, skillId }: SessionLaunchRequest) => ({ profileId, skillId });

/** The records of the layers, for a caller that reads them with others. */
export const sessionLaunchKeys = (
  { projectId, userId }: Of,
  request: SessionLaunchRequest,
): readonly Key[] =>
  projectId === null
    ? [userSettingsKey(userId)]
    : [projectKey(projectId), ...launchKeys({ projectId, userId, ...namedBy(request) })];

/**
 * The settings of a person's agent session, from the layers of a task: request, profile, skill,
 * project, person, platform.
 *
 * @throws {InvalidRequest} no such profile or skill, or the workspace has no project
 */
export function sessionLaunch(
  find: Find,
  { projectId, userId }: Of,
  request: SessionLaunchRequest,
): ResolvedLaunch {
  const named = { request: request.agentType ? { agentType: request.agentType } : {} };
  if (projectId === null) {
    requireNoProfile(request);
    return resolveLaunch({ ...named, user: userLayer(find(userSettingsKey(userId))) }, fullTrust);
  }
  const item = find(projectKey(projectId));
  const project = item && Project.parse(item);
  const layers = {
    ...named,
    ...(project ? { project: projectLayer(project) } : {}),
    ...loadedLayers(find, { projectId, userId, ...namedBy(request) }),
  };
  return resolveLaunch(layers, project ? launchTrust(find, { userId }, project) : noTrust);
}

function requireNoProfile({ agentProfileId, skillId }: SessionLaunchRequest): void {
  const message = 'The workspace belongs to no project, and profiles and skills belong to projects';
  const details = [
    ...(agentProfileId ? [{ field: 'agentProfileId', message }] : []),
    ...(skillId ? [{ field: 'skillId', message }] : []),
  ];
  if (details.length > 0) throw new InvalidRequest(message, details);
}
