import { expect, it } from 'vitest';
import { EventContent } from './event-content.js';
import { newEvent } from './project-event.js';

const content = {
  ...{
    source: 'builds',
    eventType: 'failed',
    subject: { type: 'build', id: '42' },
    severity: 'error' as const,
  },
  ...{ deliveryKey: 'run 7', occurredAt: '2026-11-27T10:00:00.000Z' },
};

const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));

it.each([
  ['source', { source: 'ä'.repeat(81) }],
  ['subject', { subject: { type: 'build', id: '' } }],
  ['severity', { severity: 'bad' }],
  ['deliveryKey', { deliveryKey: 'x'.repeat(513) }],
  ['metadata', { metadata: { text: 'ä'.repeat(4_100) } }],
  ['metadata', { metadata: { a: { b: { c: { d: {} } } } } }],
  ['metadata', { metadata: keys(65) }],
  ['metadata', { metadata: { list: Array(65).fill(1) } }],
  ['display', { display: { summary: 'x'.repeat(4_096) } }],
  ['display', { display: { labels: Array(13).fill('x') } }],
  ['display', { display: { url: 'javascript:alert(1)' } }],
  ['rawPayloadRef', { rawPayloadRef: { uri: 'x'.repeat(512) } }],
  ['occurredAt', { occurredAt: 'today' }],
])('an event is refused for its %s (%#)', (field, change) => {
  const { error } = EventContent.safeParse({ ...content, ...change });
  expect(error?.issues[0]?.path[0]).toBe(field);
});

it('an event at its limits is accepted', () => {
  const metadata = { ...keys(63), a: { b: { c: Array(64).fill(1) } } };
  expect(EventContent.safeParse({ ...content, metadata, source: 'ä'.repeat(80) }).success).toBe(true);
});

it('the fingerprint is of the content, in any order, without its times', () => {
  const print = (change: object) => newEvent('P', { ...content, ...change }, new Date()).payloadFingerprint;
  const metadata = { a: 1, b: [1, 2] };
  expect(print({ metadata, occurredAt: '2026-11-28T10:00:00.000Z' })).toBe(
    print({ metadata: { b: [1, 2], a: 1 } }),
  );
  expect(print({ metadata })).not.toBe(print({ metadata: { a: 1, b: [2, 1] } }));
  expect(print({ payloadFingerprint: 'given' })).toBe('given');
});
