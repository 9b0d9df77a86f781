// The same as first-task.sh with the typed client: a task from its message to its end.
//
// BERTH_URL=http://localhost:8787 BERTH_SESSION=<value of your session's cookie> npx tsx
// examples/first-task.ts
//
// BERTH_REPOSITORY, BERTH_TASK, BERTH_FOLLOW_UP and BERTH_AGENT_KEY as there.
import { setTimeout as sleep } from 'node:timers/promises';
import { BerthClient } from 'berth/client';

const {
  BERTH_URL: url = 'http://localhost:8787',
  BERTH_SESSION: session = '',
  BERTH_AGENT_KEY: agentKey,
  BERTH_REPOSITORY: repository = 'octo/hello',
  BERTH_TASK:
    message = 'Add a section "Greeting" to the README that says hello, commit it, and push the branch.',
  BERTH_FOLLOW_UP: followUp = 'Thank you. Say in one sentence what you have changed.',
} = process.env;
const berth = new BerthClient({ url, session });
/** The newest message that the socket sent. */
let received = 0;

const projectId = await findOrCreateProject();
if (agentKey) {
  const body = { provider: 'anthropic', credentialType: 'agent-api-key', token: agentKey } as const;
  await berth.call('POST /api/credentials', { body });
  // In a project with other members your own key is used only after you allowed it there.
  await berth.call('PUT /api/projects/{projectId}/personal-credentials', { params: { projectId } });
}

const { taskId, sessionId, branchName } = await berth.call('POST /api/projects/{projectId}/tasks/submit', {
  params: { projectId },
  body: { message },
  idempotencyKey: crypto.randomUUID(),
});
console.log(`Task ${taskId} will be worked on in the branch ${branchName}`);
await untilAnswered();
await report();

await berth.call('POST /api/projects/{projectId}/sessions/{sessionId}/prompt', {
  params: { projectId, sessionId },
  body: { content: followUp },
});
await untilAnswered();
await report();

const { untracked, unstaged } = await berth.call(
  'GET /api/projects/{projectId}/sessions/{sessionId}/git/status',
  {
    params: { projectId, sessionId },
  },
);
console.log(`${untracked.length + unstaged.length} files were changed and not committed`);
await berth.call('POST /api/projects/{projectId}/tasks/{taskId}/close', { params: { projectId, taskId } });
console.log('Finished');

async function findOrCreateProject(): Promise<string> {
  for await (const project of berth.list('GET /api/projects', 'projects'))
    if (project.repository === repository) return project.id;
  for await (const { fullName, installationId } of berth.list(
    'GET /api/codehost/repositories',
    'repositories',
  ))
    if (fullName === repository) {
      const body = { name: repository, repository, installationId };
      return (await berth.call('POST /api/projects', { body })).id;
    }
  throw new Error(`${repository} is no repository that you can open: install the app on it first`);
}

/** Until the agent has answered our newest message, and its turn has ended. */
async function untilAnswered(): Promise<void> {
  const params = { projectId, sessionId };
  for (;;) {
    const task = await berth.call('GET /api/projects/{projectId}/tasks/{taskId}', {
      params: { projectId, taskId },
    });
    if (task.status === 'failed') throw new Error(task.errorMessage ?? 'The task has failed');
    const { deliveries } = await berth.call('GET /api/projects/{projectId}/sessions/{sessionId}/deliveries', {
      params,
    });
    const { messages } = await berth.call('GET /api/projects/{projectId}/sessions/{sessionId}/messages', {
      params,
      query: { after: String(deliveries[0]?.sequence ?? 0), roles: 'assistant' },
    });
    const { state } = await berth.call('GET /api/projects/{projectId}/sessions/{sessionId}/state', {
      params,
    });
    if (messages.length > 0 && state.activity === 'idle') return;
    await sleep(1_000);
  }
}

/** The messages since its last report. */
async function report(): Promise<void> {
  const messages = berth.list('GET /api/projects/{projectId}/sessions/{sessionId}/messages', 'messages', {
    params: { projectId, sessionId },
    query: { after: String(received), compact: 'true' },
  });
  for await (const { role, content, lastSequence } of messages) {
    console.log(`${role}: ${content}`);
    received = lastSequence;
  }
}
