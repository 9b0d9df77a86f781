import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { rateWindowKey, windowStart } from '../../../lambdas/domain/rate-limits/count-request.js';
import { rateLimits } from '../../../lambdas/domain/rate-limits/rate-limits.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { putItem } from '../../support/project.js';
import { ToolCalls } from './tool-calls.js';

let tools: ToolCalls;

// The limits read it when they are loaded.
vi.hoisted(() => {
  process.env.LIMIT_FACTOR = '2';
});

beforeAll(async () => {
  tools = await ToolCalls.load();
});

afterAll(() => {
  delete process.env.LIMIT_FACTOR;
});

const publish = async () => {
  const args = { channel: 'gates', message: 'Paint it', idempotencyKey: newId() };
  return (await tools.call('publish_channel_event', args)).value;
};

it('multiplies the publications of a project by the factor of the deployment', async () => {
  const limit = rateLimits.CHANNEL_PUBLISH;
  const start = windowStart(limit, new Date());
  const { projectId } = tools.agent.project;
  const windows = [start, start + limit.windowSeconds].map((at) => rateWindowKey(limit, projectId, at));
  for (const window of windows) await putItem(tools.table, { ...window, count: 239 });

  expect(await publish()).toMatchObject({ outcome: 'created' });
  for (const window of windows) await putItem(tools.table, { ...window, count: 240 });
  expect(await publish()).toMatchObject({
    ...{ error: 'RATE_LIMIT_EXCEEDED', message: expect.stringContaining('limit 240') },
  });
});

it('multiplies the calls of an agent by the factor of the deployment', async () => {
  const { headers } = await tools.send('ping');

  expect(headers['x-ratelimit-limit']).toBe('240');
});

it('multiplies requests that are counted inside, but neither tokens of git nor bytes', () => {
  const { CREDENTIAL_USAGE, GIT_TOKEN, UPLOAD_BYTES } = rateLimits;

  expect([CREDENTIAL_USAGE.limit, GIT_TOKEN.limit, UPLOAD_BYTES.limit]).toEqual([240, 1, 4 * 1_024 ** 3]);
});
