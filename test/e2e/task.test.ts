import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { LiveMessage } from '../../protocol/live.js';
import { LiveClient, wordsIn } from '../support/live-client.js';
import { ownAccount } from '../support/own-account.js';
import { Person } from '../support/person.js';
import { until } from '../support/until.js';
import { TaskWalk } from './task-walk.js';

const { url, stateDir } = inject('cloud');
const person = new Person(url, ownAccount().cookies);
let walk: TaskWalk;

beforeAll(async () => {
  walk = await TaskWalk.begin(person, 'octo/notes', 'Notes');
});

async function upload(filename: string, content: string) {
  const file = { filename, size: content.length, contentType: 'text/plain' };
  const { status, body, text } = await person.post(`${walk.path}/request-upload`, file);
  expect(status, text).toBe(201);
  const sent = await fetch(body.uploadUrl, { method: body.method, headers: body.headers, body: content });
  expect(sent.status).toBe(200);
  return { ...file, uploadId: String(body.uploadId) };
}

describe('a task', () => {
  it('goes from a message to a pushed branch, and its workspace is removed', async () => {
    const message =
      'Say goodbye\n' +
      [
        '[[sh echo bye >> hello.sh && git commit -qam Bye]]',
        '[[sh git push -q origin HEAD]]',
        '[[sh cat ../.private/note.txt]]',
        '[[say It says goodbye]]',
      ].join('');
    const attachments = [await upload('note.txt', 'from a person')];
    const { taskId, branchName, sessionId } = await walk.submit(message, { attachments });

    const worked = await walk.until(
      taskId,
      'the agent has worked',
      ({ status, errorMessage, executionStep, finalAssistantMessage }) => {
        if (status === 'failed') throw new Error(String(errorMessage));
        // The idle state may be reported before the last message.
        return executionStep === 'awaiting_followup' && String(finalAssistantMessage).endsWith('goodbye');
      },
    );
    expect(worked.finalAssistantMessage).toMatch(/^sh 0: .*sh 0: .*sh 0: from a person.*It says goodbye$/s);
    const repository = join(stateDir, 'code-host/repositories/octo/notes.git');
    const log = execFileSync('git', ['-C', repository, 'log', '-1', '--format=%s %an', branchName]);
    expect(log.toString().trim()).toMatch(/^Bye /);

    const closed = await person.post(`${walk.path}/${taskId}/close`);
    expect(closed, closed.text).toMatchObject({ status: 200, body: { status: 'completed' } });
    const done = await walk.until(taskId, 'its work is put away', ({ finalizedAt }) => finalizedAt !== null);
    const workspace = await until('its workspace sleeps', async () => {
      const { body } = await person.get(`/api/workspaces/${done.workspaceId}`);
      return body.status === 'sleeping' ? body : undefined;
    });
    expect(workspace.branch).toBe(branchName);
    const session = await person.get(`/api/projects/${walk.projectId}/sessions/${sessionId}`);
    expect(session.body.session).toMatchObject({ taskId, status: 'sleeping' });
    const { body } = await person.get(`${walk.path}/${taskId}/events`);
    expect(body.events.map(({ toStatus }: { toStatus: string }) => toStatus).reverse()).toEqual([
      'queued',
      'delegated',
      'in_progress',
      'completed',
    ]);
  });

  it('sends viewers the same words as the list of messages', async () => {
    const { taskId, sessionId } = await walk.submit('Begin');
    await walk.until(
      taskId,
      'its agent rests',
      ({ executionStep, finalAssistantMessage }) =>
        executionStep === 'awaiting_followup' && finalAssistantMessage !== null,
    );
    const chat = `/api/projects/${walk.projectId}/sessions/${sessionId}`;
    const { lastSequence } = (await person.get(chat)).body.session;
    using live = await LiveClient.connect(url, person.cookieHeader);
    await live.subscribeTo(`chat:${sessionId}`);

    const sent = await person.post(`${chat}/prompt`, { content: 'Talk [[tool Read]][[say Good morning]]' });
    expect(sent.status, sent.text).toBe(202);

    const said = await until('the agent has answered', async () => {
      const { messages } = (await person.get(`${chat}/messages?after=${lastSequence}`)).body;
      return messages.at(-1)?.content.includes('Good morning') && messages.at(-1).role === 'assistant'
        ? messages
        : undefined;
    });
    const reported = await until('all of it is reported', () => {
      const words = new Map(live.messages.flatMap(wordsIn).map((message) => [message.sequence, message]));
      return words.has(said.at(-1).sequence) ? [...words.values()] : undefined;
    });
    const contents = (messages: readonly LiveMessage[]) =>
      messages.map(({ id, sequence, role, content }) => ({ id, sequence, role, content }));
    expect(contents(reported)).toEqual(contents(said));
    expect(reported.map(({ role }) => role)).toEqual(expect.arrayContaining(['user', 'tool', 'assistant']));
    await walk.cancel(taskId);
  });

  it('is completed by its agent, with summary and evidence', async () => {
    const completion = {
      summary: 'It says goodbye',
      evidence: { testsRun: [{ command: 'sh hello.sh', passed: true }] },
    };
    const { taskId } = await walk.submit(
      `Finish\n[[mcp get_instructions]][[mcp complete_task ${JSON.stringify(completion)}]]`,
    );

    const done = await walk.until(taskId, 'its agent has completed it', ({ status }) => {
      if (status === 'failed') throw new Error('failed');
      return status === 'completed';
    });

    expect(done).toMatchObject({
      outputSummary: 'It says goodbye',
      completionEvidence: { ...completion.evidence, verifications: [] },
    });
    await walk.until(taskId, 'its work is put away', ({ finalizedAt }) => finalizedAt !== null);
  });

  it('is woken once when the task that it waits for has ended', async () => {
    const other = await person.post(walk.path, { title: 'Another' });
    expect(other.status, other.text).toBe(201);
    const wait = JSON.stringify({ taskIds: [other.body.id], waitKey: 'other', condition: 'any' });
    const { taskId, sessionId } = await walk.submit(`Wait\n[[mcp wait_for_subtasks ${wait}]]`);
    await walk.until(taskId, 'its agent has ended its turn', ({ executionStep, status }) => {
      if (status === 'failed') throw new Error('failed');
      return executionStep === 'awaiting_followup';
    });

    const ended = await person.post(`${walk.path}/${other.body.id}/status`, { toStatus: 'cancelled' });
    expect(ended.status, ended.text).toBe(200);

    const woken = await walk.until(taskId, 'its agent was woken', ({ finalAssistantMessage }) =>
      String(finalAssistantMessage).includes('echo: Your wait'),
    );
    expect(woken.finalAssistantMessage).toContain(`- ${other.body.id}: cancelled`);
    const { body } = await person.get(`/api/projects/${walk.projectId}/sessions/${sessionId}/messages`);
    const wakes = body.messages.filter(
      ({ role, content }: { role: string; content: string }) =>
        role === 'user' && content.startsWith('Your wait'),
    );
    expect(wakes).toMatchObject([{ delivery: { state: 'delivered' } }]);
    await person.post(`${walk.path}/${taskId}/close`);
  });
});
