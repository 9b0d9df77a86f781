import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, inject, it } from 'vitest';
import { readJournal } from '../support/acp-harness/journal.js';
import { Person } from '../support/person.js';
import { until } from '../support/until.js';
import { TaskWalk } from './task-walk.js';

const { url, stateDir, octo, harnessFolder } = inject('cloud');
const person = new Person(url, octo);
let walk: TaskWalk;

beforeAll(async () => {
  walk = await TaskWalk.begin(person, 'octo/notes', 'Sleeping notes');
});

/** Work in every state that git knows, and a file that git ignores not. */
const work = [
  'git config user.email me@example.test && git config user.name Me',
  'echo stashed >> hello.sh && git stash -q',
  'echo committed > committed.txt && git add . && git commit -qm Committed',
  'echo staged > staged.txt && git add staged.txt && echo changed >> staged.txt',
  'mkdir -p folder && printf "\\\\000\\\\001" > folder/untracked.bin && ln -s ../hello.sh folder/link',
  'chmod +x folder/untracked.bin && echo note > ~/note.txt',
].join(' && ');
const state = [
  'git rev-parse --abbrev-ref HEAD && git log -1 --format=%H && git status --porcelain && git stash list --format=%s',
  'git diff | git hash-object --stdin && git diff --cached | git hash-object --stdin',
  'ls -l folder | cut -c1-10 && git hash-object folder/untracked.bin && cat ~/note.txt',
].join(' && ');

async function answerTo(sessionId: string, content: string) {
  const chat = `/api/projects/${walk.projectId}/sessions/${sessionId}`;
  const { lastSequence } = (await person.get(chat)).body.session;
  const sent = await person.post(`${chat}/prompt`, { content });
  expect(sent.status, sent.text).toBe(202);
  const said = await until(
    `the answer to ${content}`,
    async () => {
      const { messages } = (await person.get(`${chat}/messages?after=${lastSequence}`)).body;
      const text = messages
        .filter(({ role }: { role: string }) => role === 'assistant')
        .map((message: { content: string }) => message.content)
        .join('');
      return text.includes('sh ') ? text : undefined;
    },
    180_000,
  );
  return { sent: sent.body, said: String(said) };
}

async function untilStatus(workspace: string, status: string): Promise<void> {
  await until(`the workspace is ${status}`, async () => {
    const { body, text } = await person.get(workspace);
    if (body.status === status) return true;
    throw new Error(text);
  });
}

it('sleeps, wakes on another node by a message, and continues after its end and a restart', async () => {
  const { taskId, sessionId, branchName } = await walk.submit(`Begin\n[[sh ${work}]][[sh ${state}]]`, {
    taskMode: 'conversation',
  });
  const task = await walk.until(taskId, 'its agent rests', ({ executionStep, finalAssistantMessage }) => {
    return executionStep === 'awaiting_followup' && /sh \d.*sh \d/s.test(String(finalAssistantMessage));
  });
  const before = String(task.finalAssistantMessage)
    .split(/(?=sh \d)/)
    .at(-1);
  const workspace = `/api/workspaces/${task.workspaceId}`;
  const { nodeId } = (await person.get(workspace)).body;

  // The report that the agent rests may come after its last message.
  await until('the sleep begins', async () => {
    const { status, text } = await person.post(`${workspace}/sleep`);
    if (status === 200 || status === 202) return true;
    await delay(1_000);
    throw new Error(text);
  });
  await untilStatus(workspace, 'sleeping');
  expect((await person.get(`${walk.path}/${taskId}`)).body.status).toBe('sleeping');
  expect((await person.post(`${workspace}/sleep`)).body).toMatchObject({
    status: 'sleeping',
    chatSessionId: sessionId,
  });
  expect((await person.delete(`/api/nodes/${nodeId}`)).status).toBe(202);
  await until('the node is removed', async () => {
    const { status, body, text } = await person.get(`/api/nodes/${nodeId}`);
    if (status === 404 || body.status === 'deleted') return true;
    throw new Error(text);
  });

  const { said } = await answerTo(sessionId, `[[sh ${state}]]`);
  expect(said).toBe(before);
  const woken = (await person.get(workspace)).body;
  expect(woken).toMatchObject({ status: 'running' });
  expect((await person.get(`${walk.path}/${taskId}`)).body.status).toBe('in_progress');
  expect(woken.nodeId).not.toBe(nodeId);
  const pushed = await answerTo(sessionId, '[[sh git push -q origin HEAD]]');
  expect(pushed.said).toBe('sh 0: ');

  const journal = readJournal(join(harnessFolder, 'journal.jsonl'));
  const received = journal.filter(({ event, text }) => event === 'prompt' && text?.includes(state));
  expect(received.map((entry) => entry.sessionId)).toEqual([received[0]?.sessionId, received[0]?.sessionId]);
  expect(journal.some(({ event, sessionId: id }) => event === 'load' && id === received[0]?.sessionId)).toBe(
    true,
  );
  const repository = join(stateDir, 'code-host/repositories/octo/notes.git');
  const log = execFileSync('git', ['-C', repository, 'log', '-1', '--format=%s', branchName]);
  expect(log.toString().trim()).toBe('Committed');

  await person.post(`${walk.path}/${taskId}/close`);
  await untilStatus(workspace, 'sleeping');
  expect((await answerTo(sessionId, '[[sh git log -1 --format=%s]]')).said).toBe('sh 0: Committed\n');
  expect((await person.get(`${walk.path}/${taskId}`)).body.status).toBe('completed');

  await person.post(`${workspace}/stop`);
  await untilStatus(workspace, 'stopped');
  expect((await person.post(`${workspace}/restart`)).status).toBe(202);
  await untilStatus(workspace, 'running');
  await until('the conversation continues', async () => {
    const { session } = (await person.get(`/api/projects/${walk.projectId}/sessions/${sessionId}`)).body;
    return session.status === 'active' || undefined;
  });
  expect((await answerTo(sessionId, '[[sh cat committed.txt]]')).said).toBe('sh 0: committed\n');
  const loaded = readJournal(join(harnessFolder, 'journal.jsonl')).filter(({ event }) => event === 'load');
  expect(loaded.at(-1)?.sessionId).toBe(received[0]?.sessionId);

  // Other files of this cloud remove the nodes of this person.
  await person.delete(workspace);
  await until(
    'the workspace is deleted',
    async () => (await person.get(workspace)).status === 404 || undefined,
  );
}, 400_000);
