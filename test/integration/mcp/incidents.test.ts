import { beforeAll, expect, it } from 'vitest';
import { newId } from '../../../lambdas/shared/ids.js';
import { ToolCalls } from './tool-calls.js';

let tools: ToolCalls;

beforeAll(async () => {
  tools = await ToolCalls.load();
  await tools.as();
});

const claimed = { incidentId: newId(), claimToken: 'claim' };

it.each([
  ['list_incident_queue', { states: ['queued', 'claimed'], limit: 50 }],
  ['get_incident', { incidentId: newId() }],
  ['claim_incident', { incidentId: newId() }],
  ['resolve_incident', { ...claimed, outcome: 'resolved', fixPrUrl: 'https://code.example/pull/1' }],
])('%s states that the deployment has no incidents', async (name, args) => {
  expect((await tools.call(name, args)).value).toMatchObject({
    error: 'INCIDENTS_NOT_CONFIGURED',
    message: expect.stringContaining('feedback project'),
  });
});
