import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, expect, inject, it } from 'vitest';
import { readJournal } from '../support/acp-harness/journal.js';
import { deleteWorkspace } from '../support/delete-workspace.js';
import { limitMs } from '../support/limit-ms.js';
import { ownAccount } from '../support/own-account.js';
import { Person } from '../support/person.js';
import { until } from '../support/until.js';
import { TaskWalk } from './task-walk.js';

const { url, stateDir, harnessFolder } = inject('cloud');
const person = new Person(url, ownAccount().cookies);
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

it('sleeps, wakes on another node by a message, and continues after its end and a restart', {
  timeout: limitMs(400_000),
}, async () => {
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

  await walk.untilAsleep(workspace);
  expect((await person.get(`${walk.path}/${taskId}`)).body.status).toBe('sleeping');
  expect((await person.post(`${workspace}/sleep`)).body).toMatchObject({
    status: 'sleeping',
    chatSessionId: sessionId,
  });
  await walk.removeNode(nodeId);

  expect(await walk.answerTo(sessionId, `[[sh ${state}]]`, /sh /)).toBe(before);
  const woken = (await person.get(workspace)).body;
  expect(woken).toMatchObject({ status: 'running' });
  expect((await person.get(`${walk.path}/${taskId}`)).body.status).toBe('in_progress');
  expect(woken.nodeId).not.toBe(nodeId);
  expect(await walk.answerTo(sessionId, '[[sh git push -q origin HEAD]]', /sh /)).toBe('sh 0: ');

  const journal = readJournal(join(harnessFolder, 'journal.jsonl'));
  const received = journal.filter(({ event, text }) => event === 'prompt' && text?.includes(state));
  const own = received[0]?.sessionId;
  expect(received.map((entry) => entry.sessionId)).toEqual([own, own]);
  const loads = () =>
    readJournal(join(harnessFolder, 'journal.jsonl')).filter(
      (entry) => entry.event === 'load' && entry.sessionId === own,
    ).length;
  expect(loads()).toBeGreaterThan(0);
  const repository = join(stateDir, 'code-host/repositories/octo/notes.git');
  const log = execFileSync('git', ['-C', repository, 'log', '-1', '--format=%s', branchName]);
  expect(log.toString().trim()).toBe('Committed');

  await person.post(`${walk.path}/${taskId}/close`);
  await walk.untilStatus(workspace, 'sleeping');
  expect(await walk.answerTo(sessionId, '[[sh git log -1 --format=%s]]', /sh /)).toBe('sh 0: Committed\n');
  expect((await person.get(`${walk.path}/${taskId}`)).body.status).toBe('completed');

  const loadsBefore = loads();
  await person.post(`${workspace}/stop`);
  await walk.untilStatus(workspace, 'stopped');
  expect((await person.post(`${workspace}/restart`)).status).toBe(202);
  await walk.untilStatus(workspace, 'running');
  await until('the conversation continues', async () => {
    const { session } = (await person.get(`/api/projects/${walk.projectId}/sessions/${sessionId}`)).body;
    return session.status === 'active' || undefined;
  });
  expect(await walk.answerTo(sessionId, '[[sh cat committed.txt]]', /sh /)).toBe('sh 0: committed\n');
  expect(loads()).toBeGreaterThan(loadsBefore);

  await deleteWorkspace(person, workspace);
});
