import { issueMcpToken, type McpTokenDraft } from '../../../lambdas/domain/mcp-tokens/issue-mcp-token.js';
import { type Member, memberItem } from '../../../lambdas/domain/projects/member.js';
import { projectItem } from '../../../lambdas/domain/projects/project.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { aWorkspace, putWorkspace } from '../../support/records.js';
import { aProject, putItem } from '../people/a-project.js';

/** An agent in a running workspace of a project, with the token that it was given. */
export async function anAgent(table: Table, now: Date, overrides: Partial<McpTokenDraft> = {}) {
  const userId = overrides.userId ?? newId();
  const project = aProject({ userId, ...(overrides.projectId ? { projectId: overrides.projectId } : {}) });
  const { projectId } = project;
  const workspace = await putWorkspace(table, aWorkspace({ userId, projectId }));
  const member: Member = {
    ...{ projectId, userId, role: 'maintainer', status: 'active', project },
    joinedAt: now.toISOString(),
  };
  await putItem(table, projectItem(project));
  await putItem(table, memberItem(member));
  const { workspaceId, generation } = workspace;
  const draft: McpTokenDraft = {
    ...{ projectId, userId, workspaceId, generation },
    ...{ chatSessionId: newId(), agentSessionId: newId(), taskId: null, taskMode: null },
    ...overrides,
  };
  return {
    ...{ project, member, workspace, draft },
    secret: await issueMcpToken(table, draft, now),
    put: {
      project: (change: Partial<typeof project>) => putItem(table, projectItem({ ...project, ...change })),
      member: (change: Partial<Member>) => putItem(table, memberItem({ ...member, ...change })),
      workspace: (change: Partial<Workspace>) => putWorkspace(table, { ...workspace, ...change }),
    },
  };
}
