import { beforeAll, beforeEach, expect, it } from 'vitest';
import { newId } from '../../../lambdas/shared/ids.js';
import { ToolCalls } from './tool-calls.js';

// The limits of channels, as a deployment sets them.

let tools: ToolCalls;

beforeAll(async () => {
  Object.assign(process.env, {
    PROJECT_EVENT_CHANNEL_MESSAGE_MAX_BYTES: '10',
    PROJECT_EVENT_CHANNEL_MAX_CHANNELS: '2',
    PROJECT_EVENT_CHANNEL_HISTORY_MAX_PAGE: '2',
    RATE_LIMIT_CHANNEL_PUBLISH: '4',
    PROJECT_EVENT_WAKE_ENABLED: 'true',
    AGENT_MESSAGE_CHANNELS_ENABLED: 'true',
    AGENT_MESSAGE_CHANNEL_MAX_CHANNELS: '1',
  });
  tools = await ToolCalls.load();
});

beforeEach(async () => {
  await tools.as();
});

const publish = async (more: object = {}) =>
  (
    await tools.call('publish_channel_event', {
      ...{ channel: 'gates', message: 'Paint it', idempotencyKey: newId() },
      ...more,
    })
  ).value;

it('bounds message, channels and page by its settings', async () => {
  expect(await publish({ message: 'x'.repeat(10) })).toMatchObject({ sequence: 1 });
  const { body } = await tools.send('tools/call', {
    name: 'publish_channel_event',
    arguments: { channel: 'gates', message: 'x'.repeat(11), idempotencyKey: 'k' },
  });
  expect(body).toMatchObject({ error: { code: -32_602 } });
  await publish({ channel: 'doors' });
  expect(await publish({ channel: 'walls' })).toMatchObject({ error: 'EVENT_CHANNEL_LIMIT_REACHED' });

  const page = await tools.send('tools/call', {
    name: 'get_channel_history',
    arguments: { channel: 'gates', limit: 3 },
  });
  expect(page.body).toMatchObject({ error: { code: -32_602 } });
});

it('bounds the publications of a minute by its setting', async () => {
  // The minute may turn once between them.
  const outcomes = [];
  for (let count = 0; count < 9; count += 1) outcomes.push((await publish()).error ?? 'created');

  expect(outcomes).toContain('RATE_LIMIT_EXCEEDED');
});

it('bounds the pair channels of a project by its setting', async () => {
  const send = async () =>
    (
      await tools.call('send_durable_message', {
        targetTaskId: (await tools.another()).draft.taskId,
        message: 'Mend it',
      })
    ).value;

  expect(await send()).toMatchObject({ accepted: true });
  expect(await send()).toMatchObject({ error: 'EVENT_CHANNEL_LIMIT_REACHED', outcome: 'capacity' });
});
