import type { InputOf } from '../../../client/berth-client.js';
import { readAgentDefaults } from '../launch/agent-defaults.js';
import { oneOf, placementStrategies } from '../launch/choices.js';
import { type Launch, msOf, numberOf, readLaunch } from '../launch/launch-form.js';
import { launchNames } from './launch-names.js';

export type ProjectChange = NonNullable<InputOf<'PATCH /api/projects/{projectId}'>['body']>;

/** The form of a project as the change that it asks for. An empty field removes a setting. */
export function readProject(data: FormData, before: Launch): ProjectChange {
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
    agentDefaults: readAgentDefaults(data),
    defaultAgentType: agentType,
    defaultModel: model,
    defaultEffort: effort,
    defaultPermissionMode: permissionMode,
    defaultWorkspaceProfile: workspaceProfile,
    defaultDevcontainerConfigName: devcontainerConfigName,
    defaultTaskMode: taskMode,
    maxConcurrentTasks: numberOf(data.get('maxConcurrentTasks')),
    maxDispatchDepth: numberOf(data.get('maxDispatchDepth')),
    maxSubTasksPerTask: numberOf(data.get('maxSubTasksPerTask')),
    maxWorkspacesPerNode: numberOf(data.get('maxWorkspacesPerNode')),
    workspaceIdleTimeoutMs: msOf(data.get('workspaceIdleTimeoutMs')),
    warmNodeTimeoutMs: msOf(data.get('warmNodeTimeoutMs')),
    placementStrategy: oneOf(placementStrategies, data.get('placementStrategy')),
    raiseMemoryAfterOom: yesOrNo(data.get('raiseMemoryAfterOom')),
  };
}

/** Null: neither was chosen. */
function yesOrNo(value: FormDataEntryValue | null): boolean | null {
  if (value === 'yes') return true;
  return value === 'no' ? false : null;
}
