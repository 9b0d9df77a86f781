import { expect, inject, it } from 'vitest';
import { Person } from '../support/person.js';
import { until } from '../support/until.js';
import { TaskWalk } from './task-walk.js';

const { url } = inject('cloud');

/** More often than a node starts an agent again by itself. */
const crashes = 8;

it('makes an agent that has failed for good run again with the next message', async () => {
  const person = await Person.signIn(url, 'hubot');
  const walk = await TaskWalk.begin(person, 'octo/hello', 'Again');
  const { taskId, sessionId } = await walk.submit('Begin', { taskMode: 'conversation' });
  await walk.until(taskId, 'its agent rests', ({ executionStep }) => executionStep === 'awaiting_followup');
  const at = `/api/projects/${walk.projectId}/sessions/${sessionId}`;
  const tell = async (content: string) => {
    const { status, text } = await person.post(`${at}/prompt`, { content });
    expect(status, text).toBe(202);
  };
  const stateOnce = (what: string, look: (state: Record<string, unknown>) => boolean) =>
    until(what, async () => {
      const { body, text } = await person.get(at);
      if (body.session.queuedPrompts === 0 && look(body.state)) return body.state;
      throw new Error(text);
    });

  let state = await stateOnce('the agent rests', ({ activity }) => activity === 'idle');
  for (let count = 0; state.activity === 'idle' && count < crashes; count += 1) {
    const { restartCount: before } = state;
    await tell(`Crash ${count} [[crash 1]]`);
    state = await stateOnce(
      'the agent was started again, or has failed',
      ({ activity, restartCount }) =>
        activity === 'error' || (activity === 'idle' && Number(restartCount) > before),
    );
  }
  expect(state.activity).toBe('error');
  await until('people are told that nobody knows how far the first crash came', async () => {
    const { body, text } = await person.get(`${at}/messages`);
    const messages: readonly { content: string; delivery: { state: string } | null }[] = body.messages;
    const crashed = messages.find(({ content }) => content.includes('Crash 0'));
    if (crashed?.delivery?.state === 'ambiguous') return true;
    throw new Error(text);
  });
  await tell('Are you back? [[say back again]]');

  await until('it answers', async () => {
    const { body, text } = await person.get(`${at}/messages?order=desc&limit=5`);
    const answers: readonly { role: string; content: string }[] = body.messages;
    if (answers.some(({ role, content }) => role === 'assistant' && content.includes('back again')))
      return true;
    throw new Error(text);
  });
  await stateOnce('it rests', ({ activity }) => activity === 'idle');
  await walk.cancel(taskId);
});
