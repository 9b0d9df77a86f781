import { randomUUID } from 'node:crypto';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { bootLogItem } from '../../../lambdas/domain/boot-log/boot-log.js';
import { storeCredential } from '../../../lambdas/domain/credentials/stored-credentials.js';
import { type Interaction, interactionItem } from '../../../lambdas/domain/interactions/interaction.js';
import { storeUserSettings } from '../../../lambdas/domain/launch/load-layers.js';
import { createProfile } from '../../../lambdas/domain/profiles/create-and-delete.js';
import type { Project } from '../../../lambdas/domain/projects/project.js';
import { changeItem } from '../../../lambdas/domain/records/change-item.js';
import type { CredentialOwner } from '../../../lambdas/domain/records/credentials/credential.js';
import { type Snapshot, snapshotItem } from '../../../lambdas/domain/snapshots/snapshot.js';
import { countSubmitted } from '../../../lambdas/domain/tasks/task-limits.js';
import { issueToken } from '../../../lambdas/domain/tokens/issue-token.js';
import { placedOn, slotOf, workspaceItem } from '../../../lambdas/domain/workspaces/workspace.js';
import { hashText } from '../../../lambdas/shared/hash-text.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { anAgent } from '../../integration/mcp/an-agent.js';
import { aProject, putItem } from '../../support/project.js';
import { aNode, aWorkspace, putNode } from '../../support/records.js';
import { signIn } from '../../support/sign-in.js';
import { signingKeys } from '../../support/wrong-tokens.js';

export type Tenant = Awaited<ReturnType<typeof aTenant>>;

/** A person with a node, a workspace, a running task in it, and every kind of stored record. */
export async function aTenant(table: Table, project: Project, role: 'admin' | 'maintainer') {
  const now = new Date();
  const { userId } = await signIn(table);
  const agent = await anAgent(table, now, { project, userId, task: { run: 1 } });
  await agent.put.project({ memberCount: 3 });
  await agent.put.member({ role });
  const { workspaceId, agentSessionId = '', chatSessionId: chatId } = agent.draft;
  const nodeId = newId();
  const [claimId, projectId] = [newId(), project.projectId];
  const at = now.toISOString();
  const workspace = aWorkspace({
    ...{ workspaceId, userId, projectId, taskId: chatId },
    sleep: { claimId, claimedAt: at, by: 'person', phase: 'capturing', from: 'running' },
    ...{ nodeId, nodeUrl: 'https://127.0.0.1:1' },
  });
  await putNode(table, aNode({ nodeId, userId, slots: new Set([slotOf(workspace)]) }));
  await putItem(table, { ...workspaceItem(workspace), ...placedOn(nodeId, workspaceId) });
  const leader = { workspaceId, projectId, userId, chatSessionId: chatId, agentSessionId };
  await putItem(table, aCapture(leader, { operationId: claimId, at }));
  await changeItem(table, countSubmitted(project.projectId, chatId, 100));
  await store(table, { kind: 'user', id: userId });
  await storeUserSettings(table, { userId, settings: { effort: 'high' }, now });
  const link = aLink({ chatId, projectId, workspaceId, agentSessionId }, now);
  await putItem(table, interactionItem(link));
  const entryId = newId();
  const entry = {
    step: 'clone',
    status: 'completed',
    message: 'Cloned',
    timestamp: now.toISOString(),
  } as const;
  await putItem(table, bootLogItem({ workspaceId, generation: 1, entryId, entry }, now));
  const claims = { sub: workspaceId, node: nodeId, generation: 1 };
  const tokens = [
    (await issueToken(signingKeys(), 'workspaceCallback', { claims, now })).token,
    (await issueToken(signingKeys(), 'nodeCallback', { claims: { sub: nodeId }, now })).token,
  ] as const;
  const ids = {
    userId,
    projectId,
    workspaceId,
    nodeId,
    agentSessionId,
    chatId,
    taskId: chatId,
    entryId,
    claimId,
    interactionId: link.interactionId,
  };
  return { ...ids, artifact: 'wip', tokens };
}

/** Of the link that the agent of each tenant asks its person to open. */
export const linkNames = {
  generation: '0d3f7f0e-8d3c-4a39-9a51-5f4c8a1b2c3d',
  runtimeIdentity: 'run-1',
  elicitationId: 'e-1',
} as const;

function aLink(
  ids: Pick<Interaction, 'chatId' | 'projectId' | 'workspaceId' | 'agentSessionId'>,
  now: Date,
): Interaction {
  const { elicitationId, ...waiter } = linkNames;
  const at = now.toISOString();
  return {
    ...{ ...ids, ...waiter, interactionId: randomUUID(), kind: 'url', state: 'pending' },
    ...{ payloadHash: '0'.repeat(64), elicitationHash: hashText(elicitationId) },
    deadlineAt: new Date(now.getTime() + 3_600_000).toISOString(),
    ...{ attempts: 0, version: 1, createdAt: at, updatedAt: at },
  };
}

/** The record of a workspace that is captured. */
function aCapture(
  leader: Pick<Snapshot, 'workspaceId' | 'projectId' | 'userId' | 'chatSessionId' | 'agentSessionId'>,
  { operationId, at: startedAt }: { readonly operationId: string; readonly at: string },
) {
  const capture = { generation: 1, operationId, startedAt, lastSequences: {}, authorized: {} };
  return snapshotItem({
    ...{ ...leader, snapshotId: newId(), runtime: 'vm', status: 'pending', degradation: 'none' },
    ...{ baseCommit: null, captureGeneration: 1, oldestGeneration: 1, captureError: null, version: 1 },
    ...{ createdAt: startedAt, updatedAt: startedAt },
    capture,
  });
}

/** A project with credentials and a profile, of another person than those who join it. */
export async function aSharedProject(table: Table): Promise<Project> {
  const project = aProject({ projectId: newId() });
  const { projectId, userId: createdBy } = project;
  await store(table, { kind: 'project', id: projectId });
  const { secretBox: secrets } = await import('../../../lambdas/edge/secret-box.js');
  const profile = {
    kind: 'profile',
    profileId: newId(),
    projectId,
    name: newId(),
    description: null,
  } as const;
  await putItem(table, { pk: `PROJECT#${projectId}`, sk: 'PROJECT', ...project });
  await createProfile(
    { table, secrets },
    { ...profile, createdBy, settings: {}, environment: { TEAM_TOKEN: 'team-secret' } },
    new Date(),
  );
  return project;
}

export async function store(table: Table, owner: CredentialOwner): Promise<void> {
  const { secretBox: secrets } = await import('../../../lambdas/edge/secret-box.js');
  for (const provider of ['anthropic', 'openai'] as const)
    await storeCredential(
      { table, secrets },
      {
        ...{ owner, provider, credentialId: `cc-cred-${newId()}`, credentialType: 'agent-api-key' },
        ...{ credentialKind: 'oauth-token', token: `{"refresh":"of-${newId()}"}`, storedBy: newId() },
      },
      new Date(),
    );
}

/** All items but this tenant's own and those of a declared kind, by key. */
export async function recordsOfOthers(
  table: Table,
  tenant: Tenant,
  declared: readonly string[] = [],
): Promise<Record<string, unknown>> {
  const items = await everything(table);
  const others = items.filter((item) => !isOwn(item, tenant) && !declared.includes(String(item.entity)));
  return Object.fromEntries(others.map((item) => [`${item.pk} ${item.sk}`, withoutOwn(item, tenant)]));
}

/** The project counts everybody's running tasks in one set. */
function withoutOwn(item: Record<string, unknown>, { taskId }: Tenant): Record<string, unknown> {
  const { activeTaskIds } = item;
  if (!(activeTaskIds instanceof Set)) return item;
  return { ...item, activeTaskIds: [...activeTaskIds].filter((id) => id !== taskId).toSorted() };
}

async function everything(table: Table): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const page = await table.client.send(
      new ScanCommand({
        TableName: table.name,
        ConsistentRead: true,
        ...(ExclusiveStartKey ? { ExclusiveStartKey } : {}),
      }),
    );
    found.push(...(page.Items ?? []));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return found;
}

function isOwn({ pk, sk }: Record<string, unknown>, tenant: Tenant): boolean {
  const { userId, projectId, workspaceId, nodeId, chatId, taskId } = tenant;
  const resources = [workspaceId, chatId, taskId].map((id) => `RESOURCES#${id}`);
  const partitions = [
    ...resources,
    `USER#${userId}`,
    `WORKSPACE#${workspaceId}`,
    `NODE#${nodeId}`,
    `CHAT#${chatId}`,
  ];
  if ([...partitions, `TASK#${taskId}`].includes(String(pk))) return true;
  if (String(pk).startsWith('RATE#')) {
    // Counted for a node, an agent session, a workspace or one of its generations
    // (`<id>.<generation>`).
    const counted = String(pk).split('#').at(-1)?.split('.')[0];
    return [workspaceId, nodeId, tenant.agentSessionId].includes(counted ?? '');
  }
  const records = [`WORKSPACE#${workspaceId}`, `NODE#${nodeId}`, `TASK#${projectId}.${taskId}`];
  if (pk === 'PENDINGRECONCILE') return records.includes(String(sk));
  const ownInProject = [`TASK#${taskId}`, `CREDENTIALOF#${tenant.agentSessionId}`];
  return pk === `PROJECT#${projectId}` && ownInProject.includes(String(sk));
}
