import type { InputOf } from '../../../client/berth-client.js';
import { oneOf, placementStrategies } from '../launch/choices.js';
import { type Launch, minuteMs, numberOf, readLaunch } from '../launch/launch-form.js';
import { launchNames } from './launch-names.js';

type Body = NonNullable<InputOf<'PATCH /api/projects/{projectId}'>['body']>;

/** The form of a project as the change that it asks for. An empty field removes a setting. */
export function readProject(data: FormData, before: Launch): Body {
  const {
    agentType,
    model,
    effort,
    permissionMode,
    workspaceProfile,
    devcontainerConfigName,
    taskMode,
    ...same
  } = readLaunch(data, launchNames, before);
  return {
    ...same,
    name: String(data.get('name')),
    description: String(data.get('description')) || null,
    defaultBranch: String(data.get('defaultBranch')),
    defaultAgentType: agentType ?? null,
    defaultModel: model ?? null,
    defaultEffort: effort ?? null,
    defaultPermissionMode: permissionMode ?? null,
    defaultWorkspaceProfile: workspaceProfile ?? null,
    defaultDevcontainerConfigName: devcontainerConfigName ?? null,
    defaultTaskMode: taskMode ?? null,
    maxConcurrentTasks: numberOf(data.get('maxConcurrentTasks')),
    maxDispatchDepth: numberOf(data.get('maxDispatchDepth')),
    maxSubTasksPerTask: numberOf(data.get('maxSubTasksPerTask')),
    maxWorkspacesPerNode: numberOf(data.get('maxWorkspacesPerNode')),
    workspaceIdleTimeoutMs: inMs(data.get('workspaceIdleTimeoutMs')),
    warmNodeTimeoutMs: inMs(data.get('warmNodeTimeoutMs')),
    placementStrategy: oneOf(placementStrategies, data.get('placementStrategy')),
  };
}

function inMs(minutes: FormDataEntryValue | null): number | null {
  const given = numberOf(minutes);
  return given === null ? null : Math.round(given * minuteMs);
}
