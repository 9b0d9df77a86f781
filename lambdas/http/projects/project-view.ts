import { capabilitiesOf, type Member } from '../../domain/projects/member.js';
import type { Project } from '../../domain/projects/project.js';

/** A project as a member of it sees it. */
export function projectView(
  { projectId, version = 0, settings = {}, ...project }: Project,
  { role }: Member,
) {
  return {
    ...project,
    id: projectId,
    version,
    repoProvider: 'github' as const,
    role,
    capabilities: [...capabilitiesOf[role]],
    defaultAgentType: said(settings.agentType),
    defaultModel: said(settings.model),
    defaultEffort: said(settings.effort),
    defaultPermissionMode: said(settings.permissionMode),
    opencodeProvider: said(settings.opencodeProvider),
    opencodeBaseUrl: said(settings.opencodeBaseUrl),
    agentDefaults: said(settings.agentDefaults),
    systemPromptAppend: said(settings.systemPromptAppend),
    defaultWorkspaceProfile: said(settings.workspaceProfile),
    defaultDevcontainerConfigName: said(settings.devcontainerConfigName),
    defaultTaskMode: said(settings.taskMode),
    taskExecutionTimeoutMs: said(settings.taskExecutionTimeoutMs),
    resourceRequirements: said(settings.resourceRequirements),
    maxConcurrentTasks: said(settings.maxConcurrentTasks),
    maxDispatchDepth: said(settings.maxDispatchDepth),
    maxSubTasksPerTask: said(settings.maxSubTasksPerTask),
    placementStrategy: said(settings.placementStrategy),
    maxWorkspacesPerNode: said(settings.maxWorkspacesPerNode),
    workspaceIdleTimeoutMs: said(settings.workspaceIdleTimeoutMs),
    warmNodeTimeoutMs: said(settings.warmNodeTimeoutMs),
    raiseMemoryAfterOom: said(settings.raiseMemoryAfterOom),
  };
}

const said = <Value>(value: Value | null | undefined): Value | null => value ?? null;
