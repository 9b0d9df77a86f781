import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { workspaceId } from '../../../test/support/agent-state.js';
import { type Answer, DeliveryFixture, settings } from '../../../test/support/delivery-fixture.js';
import { omittedContent } from './message-delivery.js';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => vi.useRealTimers());

const soon = () => vi.advanceTimersByTimeAsync(4_000);

it('sends messages of a short time in one request, and deletes them once stored', async () => {
  const fixture = new DeliveryFixture();
  for (let index = 0; index < 3; index++) fixture.write();
  await vi.advanceTimersByTimeAsync(1_900);
  const early = fixture.controlPlane.requests.length;

  await soon();

  expect(early).toBe(0);
  expect(fixture.controlPlane.requests.map(({ ids }) => ids)).toEqual([['chat-1', 'chat-2', 'chat-3']]);
  expect(fixture.outbox.count(workspaceId)).toBe(0);
});

it('sends at once when a batch is full or a turn has ended', async () => {
  const fixture = new DeliveryFixture();
  for (let index = 0; index < 7; index++) fixture.write();
  await vi.advanceTimersByTimeAsync(10);
  const full = fixture.controlPlane.contents;
  fixture.deliveries.wake(workspaceId, { now: true });
  await vi.advanceTimersByTimeAsync(250);

  expect(full).toEqual(['1', '2', '3', '4', '5']);
  expect(fixture.controlPlane.contents).toHaveLength(7);
});

it('sends at most four requests a second', async () => {
  const fixture = new DeliveryFixture();
  for (let index = 0; index < 200; index++) fixture.write();
  await vi.advanceTimersByTimeAsync(3_000);

  expect(fixture.controlPlane.requests.length).toBeGreaterThan(8);
  expect(fixture.controlPlane.requests.length).toBeLessThanOrEqual(13);
});

const act = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('write' as const), chat: fc.constantFrom('one', 'two') }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('answers' as const),
      answer: fc.constantFrom<Answer>('ok', 'lost', 'away', 'unauthorized', 'forbidden', 'unlinked', 'stale'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 20_000 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'crash' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'renew' as const }) },
);

it('delivers every message once and in order, over losses, refusals and restarts', async () => {
  let tokens = 1;
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 60 }), async (acts) => {
      const fixture = new DeliveryFixture();
      fixture.controlPlane.latencyMs = 300;
      const wanted: Record<string, string[]> = { one: [], two: [] };
      for (const step of acts) {
        if (step.kind === 'write') {
          fixture.write(step.chat, `${step.chat} ${wanted[step.chat]?.length}`);
          wanted[step.chat]?.push(`${step.chat} ${wanted[step.chat]?.length}`);
        } else if (step.kind === 'answers') fixture.controlPlane.answerTo = () => step.answer;
        else if (step.kind === 'wait') await vi.advanceTimersByTimeAsync(step.ms);
        else if (step.kind === 'crash') fixture.crash();
        else fixture.state.renewToken(`token-${++tokens}`);
      }
      fixture.controlPlane.answerTo = () => 'ok';
      fixture.state.renewToken(`token-${++tokens}`);
      await vi.advanceTimersByTimeAsync(120_000);

      for (const [chat, contents] of Object.entries(wanted)) {
        const stored = fixture.controlPlane.stored.get(chat) ?? [];
        expect(stored.map(({ content }) => content)).toEqual(contents);
        expect(stored.map(({ sequence }) => sequence)).toEqual(contents.map((_, index) => index + 1));
      }
      expect(fixture.outbox.count(workspaceId)).toBe(0);
      vi.clearAllTimers();
    }),
    { numRuns: 60 },
  );
});

it('pauses while the token is refused, reports it once, and continues with the next token', async () => {
  const fixture = new DeliveryFixture();
  fixture.controlPlane.answerTo = (_, token) => (token === 'token-1' ? 'unauthorized' : 'ok');
  fixture.write();
  await vi.advanceTimersByTimeAsync(settings.authRenewalWaitMs + 60_000);
  const attempts = fixture.controlPlane.requests.length;
  const reported = fixture.events.map(({ type }) => type);
  fixture.write();

  fixture.state.renewToken('token-2');
  await soon();

  expect(attempts).toBe(1);
  expect(reported).toEqual(['messages.credential_wait']);
  expect(fixture.controlPlane.contents).toEqual(['1', '2']);
});

it('retries at once when the token was replaced during the request', async () => {
  const fixture = new DeliveryFixture();
  fixture.controlPlane.answerTo = (_, token) => {
    fixture.state.renewToken('token-2');
    return token === 'token-1' ? 'unauthorized' : 'ok';
  };
  fixture.write();

  await vi.advanceTimersByTimeAsync(settings.batchWaitMs);

  expect(fixture.controlPlane.requests.map(({ token }) => token)).toEqual(['token-1', 'token-2']);
});

it('backs off, reports lasting failures, and drops nothing', async () => {
  const fixture = new DeliveryFixture();
  const at: number[] = [];
  const began = Date.now();
  fixture.controlPlane.answerTo = () => {
    at.push(Date.now() - began);
    return 'away';
  };
  fixture.write();
  await vi.advanceTimersByTimeAsync(70_000);
  const gaps = at.slice(1).map((time, index) => time - (at[index] ?? 0));

  await vi.advanceTimersByTimeAsync(settings.retryMaxElapsedMs);

  expect(gaps).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000]);
  expect(fixture.events.map(({ type }) => type)).toEqual(['messages.not_delivered']);
  expect(fixture.outbox.count(workspaceId)).toBe(1);
});

it('drops only the invalid message of a refused batch, and reports its id', async () => {
  const fixture = new DeliveryFixture();
  fixture.controlPlane.answerTo = ({ messages }) =>
    messages.some(({ content }) => content === '2') ? 'invalid' : 'ok';
  for (let index = 0; index < 4; index++) fixture.write();

  await soon();

  expect(fixture.controlPlane.contents).toEqual(['1', '3', '4']);
  expect(fixture.events).toMatchObject([{ type: 'messages.refused', detail: { messageIds: ['chat-2'] } }]);
});

it('replaces a message that is too large by a placeholder', async () => {
  const fixture = new DeliveryFixture();
  fixture.controlPlane.answerTo = ({ messages }) =>
    messages.some(({ content }) => content.length > 100) ? 'too_large' : 'ok';
  fixture.write();
  fixture.write('chat', 'x'.repeat(200));
  fixture.write();

  await soon();

  expect(fixture.controlPlane.contents).toEqual(['1', omittedContent, '2']);
});

it('stops a full chat, reports it, and continues with other chats', async () => {
  const fixture = new DeliveryFixture();
  fixture.controlPlane.answerTo = ({ messages }) => (messages[0]?.sessionId === 'chat' ? 'full' : 'ok');
  fixture.write('chat');
  fixture.write('other');

  await soon();
  fixture.write('chat');
  await soon();

  expect([...fixture.controlPlane.stored.keys()]).toEqual(['other']);
  expect(fixture.events).toMatchObject([{ type: 'messages.chat_closed', detail: { dropped: 1 } }]);
  expect(fixture.outbox.count(workspaceId)).toBe(0);
});

it('tries once more before it ends, and keeps undelivered messages', async () => {
  const fixture = new DeliveryFixture();
  fixture.write();
  await fixture.deliveries[Symbol.asyncDispose]();
  const delivered = fixture.controlPlane.contents;
  fixture.crash();
  fixture.controlPlane.answerTo = () => 'away';
  fixture.write();

  await fixture.deliveries[Symbol.asyncDispose]();

  expect(delivered).toEqual(['1']);
  expect(fixture.outbox.count(workspaceId)).toBe(1);
});

it('waits a limited time for the last messages of a deleted workspace', async () => {
  const fixture = new DeliveryFixture();
  fixture.write();
  await fixture.deliveries.removeWorkspace(workspaceId);
  const delivered = fixture.controlPlane.contents;
  fixture.controlPlane.latencyMs = 60_000;
  fixture.write();

  const removal = fixture.deliveries.removeWorkspace(workspaceId);
  await vi.advanceTimersByTimeAsync(60_000);
  await removal;

  expect(delivered).toEqual(['1']);
  expect(fixture.outbox.count(workspaceId)).toBe(0);
});
