import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { ResourceToolSpan } from '../../../protocol/resource-history.js';
import { ToolSpans } from './tool-spans.js';

const idOf = (toolCallId: string) => createHash('sha256').update(toolCallId).digest('hex').slice(0, 16);
const call = (toolCallId: string, more: object = {}) => ({ toolCallId, ...more });

it('has the times, kind, name and concurrency of calls, and only a hash of their ids', () => {
  const spans = new ToolSpans();
  spans.record('s', call('a', { kind: 'execute', name: 'Bash', status: 'pending' }), 100);
  spans.record('s', call('b', { kind: 'read' }), 110);
  spans.record('s', call('a', { status: 'in_progress' }), 120);
  spans.record('s', call('b', { status: 'completed' }), 130);
  spans.record('s', call('a', { status: 'failed' }), 140);

  const taken = spans.take(200);

  expect(taken).toEqual([
    { id: idOf('b'), kind: 'read', startedAt: 110, endedAt: 130, concurrency: 2 },
    { id: idOf('a'), kind: 'execute', toolName: 'Bash', startedAt: 100, endedAt: 140, concurrency: 1 },
  ]);
  expect(spans.take(300)).toEqual([]);
});

it('keeps nothing of titles, inputs, outputs and paths, and bounds names', () => {
  const spans = new ToolSpans();
  const fed = Object.fromEntries(
    ['title', 'rawInput', 'rawOutput', 'content', 'locations', '_meta'].map((name) => [name, `leak-${name}`]),
  );
  const named = {
    kind: 'leak-kind' as 'other',
    name: `Ba\nsh${'x'.repeat(300)}`,
    status: 'completed' as const,
  };

  spans.record('s', { ...call('leak-id', named), ...fed }, 1);

  const [span] = spans.take(2);
  expect(JSON.stringify(span)).not.toContain('leak');
  expect(span).toMatchObject({ kind: 'other', startedAt: 1, endedAt: 1 });
  expect(span?.toolName).toBe(`Bash${'x'.repeat(252)}`);
  expect(ResourceToolSpan.parse(span)).toEqual(span);
});

it('has a call that still runs in each chunk, as approximate', () => {
  const spans = new ToolSpans();
  spans.record('s', call('a'), 1);

  expect(spans.take(50)).toEqual([
    { id: idOf('a'), kind: 'acp_tool_call', startedAt: 1, endedAt: 50, concurrency: 1, approximate: true },
  ]);
  spans.record('s', call('a', { status: 'completed' }), 70);
  expect(spans.take(80)).toMatchObject([{ id: idOf('a'), startedAt: 1, endedAt: 70 }]);
});

it('closes the calls of a session whose turn ended', () => {
  const spans = new ToolSpans();
  spans.record('one', call('a'), 1);
  spans.record('other', call('a'), 2);

  spans.endSession('one', 5);

  expect(spans.take(9)).toMatchObject([
    { startedAt: 1, endedAt: 5, approximate: true },
    { startedAt: 2, endedAt: 9, approximate: true },
  ]);
  expect(spans.take(12)).toMatchObject([{ startedAt: 2 }]);
});
