// PATCH /api/projects/{projectId}
import { changeProject } from '../../domain/projects/change-project.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { change } from './contract.js';
import { projectView } from './project-view.js';

export const handler = capabilityRoute(change, async ({ body, project, member, table, now }) => {
  const { name, description, defaultBranch, version, ...said } = body;
  const { defaultAgentType, defaultModel, defaultEffort, defaultPermissionMode, ...rest } = said;
  const { defaultWorkspaceProfile, defaultDevcontainerConfigName, defaultTaskMode, ...settings } = rest;
  const changed = await changeProject(table, project, {
    change: {
      name,
      description,
      defaultBranch,
      version,
      settings: {
        ...settings,
        agentType: defaultAgentType,
        model: defaultModel,
        effort: defaultEffort,
        permissionMode: defaultPermissionMode,
        workspaceProfile: defaultWorkspaceProfile,
        devcontainerConfigName: defaultDevcontainerConfigName,
        taskMode: defaultTaskMode,
      },
    },
    now,
  });
  return { status: 200, body: projectView(changed, member) };
});
