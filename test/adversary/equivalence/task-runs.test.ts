import { beforeAll, beforeEach, expect, it } from 'vitest';
import { rateLimits } from '../../../lambdas/domain/rate-limits/rate-limits.js';
import { TwoMembers } from './two-members.js';

// Tasks that agents submit count against the hourly limit of their person, as the person's own do.

const { limit } = rateLimits.TASK_RUN;

let loaded: TwoMembers;
let two: TwoMembers;

beforeAll(async () => {
  loaded = await TwoMembers.load(['tasks/submit']);
});
beforeEach(async () => {
  two = await loaded.again();
});

const submit = (headers: Readonly<Record<string, string>> = {}) =>
  two.http(two.bob, 'tasks/submit', { body: { message: 'Paint the gate' }, headers });
const dispatch = (idempotencyKey: string) =>
  two.tool(two.bob, 'dispatch_task', { description: 'Paint the gate', idempotencyKey });
const counted = async () => (await two.counters(two.bob)).get('TASK_RUN') ?? 0;

it('leaves a person what their agents have not used of the limit', async () => {
  await dispatch('one');
  await dispatch('two');

  const { status, headers } = await submit();

  expect(status).toBe(202);
  expect(headers['x-ratelimit-remaining']).toBe(String(limit - 3));
});

it('counts no repeat of a submission, by a person or by an agent', async () => {
  await dispatch('one');
  await dispatch('one');
  await submit({ 'idempotency-key': 'one' });
  await submit({ 'idempotency-key': 'one' });

  expect(await counted()).toBe(2);
});

it('refuses a tool once the person has spent the limit, and starts nothing', async () => {
  await two.spend('TASK_RUN', two.bob);
  const before = await two.records(`PROJECT#${two.project.projectId}`);

  const answer = await dispatch('one');

  expect(answer).toMatchObject({ refused: true, value: { error: 'RATE_LIMIT_EXCEEDED' } });
  expect(await two.records(`PROJECT#${two.project.projectId}`)).toEqual(before);
});
