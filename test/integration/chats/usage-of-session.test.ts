import { beforeAll, beforeEach, expect, it } from 'vitest';
import { chatItem, newChat } from '../../../lambdas/domain/chats/chat.js';
import { sessionCredentialItem } from '../../../lambdas/domain/credentials/session-credential.js';
import { memberItem } from '../../../lambdas/domain/projects/member.js';
import { projectItem } from '../../../lambdas/domain/projects/project.js';
import type { CredentialOwner } from '../../../lambdas/domain/records/credentials/credential.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { type CallCount, callBudget, countCalls } from '../../support/count-calls.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, loadRoute } from '../../support/invoke.js';
import { aProject, putItem } from '../../support/project.js';
import { aPerson, type Person } from '../../support/project-members.js';
import { emptyTable } from '../../support/table.js';

let table: Table;
let calls: CallCount;
let invoke: Invoke;
let owner: Person;
let viewer: Person;
const at = '2026-11-21T10:00:00.000Z';
const project = aProject();
const ids = { projectId: project.projectId, workspaceId: newId(), agentSessionId: newId() };

beforeAll(async () => {
  table = await emptyTable();
  Object.assign(process.env, functionEnv, { TABLE_NAME: table.name });
  ({ table } = await import('../../../lambdas/shared/clients/documents.js'));
  invoke = await loadRoute('credentials/usage-of-session');
  calls = countCalls(table.client);
  [owner, viewer] = [await aPerson(table), await aPerson(table)];
  await putItem(table, projectItem(project));
  for (const [{ userId }, role] of [[owner, 'owner'] as const, [viewer, 'viewer'] as const]) {
    const { projectId } = project;
    await putItem(table, memberItem({ projectId, userId, role, status: 'active', project, joinedAt: at }));
  }
});

let sessionId: string;
beforeEach(async () => {
  sessionId = newId();
  const { projectId, workspaceId, agentSessionId } = ids;
  const of = { chatId: sessionId, projectId, userId: owner.userId, workspaceId };
  const chat = newChat({ ...of, topic: null, taskId: null }, new Date(at));
  await putItem(table, chatItem({ ...chat, agentSessionId }));
});

const windows = [
  { windowType: 'weekly', provider: 'anthropic', source: 's', status: 'allowed' as const, observedAt: at },
];

async function given(credential: CredentialOwner): Promise<void> {
  const { workspaceId, agentSessionId } = ids;
  const use = { workspaceId, agentSessionId, provider: 'anthropic' as const, owner: credential };
  const reference = { credentialReference: 'cc_credentials:cc-cred-1', generation: 1 };
  await putItem(table, sessionCredentialItem({ ...use, ...reference, usedAt: at, windows }));
}

async function ask({ cookies }: Person) {
  calls.reset();
  const reply = await invoke({ params: { projectId: project.projectId, sessionId }, cookies });
  expect(calls.names.length, calls.names.join()).toBeLessThanOrEqual(callBudget.GET);
  return reply;
}

it('of a credential of the project is shown to every member, with its owner', async () => {
  await given({ kind: 'project', id: project.projectId });

  expect(await ask(viewer)).toMatchObject({
    status: 200,
    body: {
      ...{ agentSessionId: ids.agentSessionId, provider: 'anthropic', credentialSource: 'project' },
      ...{ usedAt: at, windows },
    },
  });
});

it('of a person’s own credential is shown to that person only', async () => {
  await given({ kind: 'user', id: owner.userId });

  expect((await ask(owner)).body).toMatchObject({ credentialSource: 'user', windows });
  expect((await ask(viewer)).body).toMatchObject({ credentialSource: 'user', windows: [] });
});

it('is nothing before an agent was given a credential', async () => {
  const { projectId } = project;
  const of = { chatId: sessionId, projectId, userId: owner.userId, workspaceId: null };
  await putItem(table, chatItem(newChat({ ...of, topic: null, taskId: null }, new Date(at))));

  expect((await ask(owner)).body).toEqual({
    ...{ agentSessionId: null, provider: null, credentialSource: null, usedAt: null, windows: [] },
  });
});
