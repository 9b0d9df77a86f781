import type { LaunchNames } from '../launch/launch-form.js';

/** As the request calls the launch settings of a project. */
export const launchNames: LaunchNames = {
  agentType: 'defaultAgentType',
  model: 'defaultModel',
  effort: 'defaultEffort',
  permissionMode: 'defaultPermissionMode',
  workspaceProfile: 'defaultWorkspaceProfile',
  devcontainerConfigName: 'defaultDevcontainerConfigName',
  taskMode: 'defaultTaskMode',
};
