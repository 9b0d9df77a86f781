import type { RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { expect, it } from 'vitest';
import { permissionQuestion, permissionResponse } from '../../interactions/acp-permissions.js';
import { decidePermission } from './permission-policy.js';
import { SeenToolCalls } from './seen-tool-calls.js';

const options: RequestPermissionRequest['options'] = [
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'once', name: 'Once', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];
const selected = (optionId: string) => ({ outcome: { outcome: 'selected', optionId } });
const cancelled = { outcome: { outcome: 'cancelled' } };
const request = (overrides: object = {}): RequestPermissionRequest => ({
  sessionId: 's',
  toolCall: { toolCallId: 'call-1' },
  options,
  ...overrides,
});

it.each([
  ['bypassPermissions', selected('once')],
  ['plan', selected('no')],
  ['dontAsk', selected('no')],
  ['default', null],
  ['acceptEdits', null],
  [null, null],
  ['unknown', null],
])('decides in the mode %s without a person, or not at all', (mode, expected) => {
  expect(decidePermission(request(), mode)).toEqual(expected);
});

it('cancels what a mode would decide with an option that is not offered', () => {
  expect(decidePermission(request({ options: options.slice(0, 1) }), 'plan')).toEqual(cancelled);
});

it('refuses after the deadline and at a decline, and cancels otherwise', () => {
  const declined = { kind: 'answered', answer: { kind: 'declined' }, by: 'viewer' } as const;
  expect(permissionResponse(request(), { kind: 'ended', reason: 'expired' })).toEqual(selected('no'));
  expect(permissionResponse(request(), declined)).toEqual(selected('no'));
  expect(permissionResponse(request(), { kind: 'ended', reason: 'session_stopped' })).toEqual(cancelled);
  expect(permissionResponse({ options: [] }, { kind: 'ended', reason: 'expired' })).toEqual(cancelled);
});

it('shows a title in one line, never the input, and options with different ids', () => {
  const many = Array.from({ length: 20 }, (_, index) => ({ ...options[1], optionId: `o${index % 18}` }));
  const toolCall = { toolCallId: 'c', title: 'rm\n -r  /', kind: 'execute', rawInput: { key: 'secret' } };
  const question = permissionQuestion(request({ toolCall, options: many }));

  expect(question).toMatchObject({ detail: { permissionName: 'rm -r /' }, safeSummary: { optionCount: 16 } });
  expect(JSON.stringify(question)).not.toContain('secret');
  expect(permissionQuestion(request({ options: [] }))).toBeNull();
});

const codexCall = (server: string, meta: object = { is_mcp_tool_call: true }) => ({
  sessionId: 's',
  update: {
    sessionUpdate: 'tool_call',
    toolCallId: 'call-1',
    title: `mcp.${server}.complete_task`,
    rawInput: { server, tool: 'complete_task' },
    _meta: meta,
  },
});
const codexRequest = request({ _meta: { is_mcp_tool_approval: true } });
const claudeRequest = (name: string, source = 'dynamic') =>
  request({ toolCall: { toolCallId: 'c', _meta: { claudeCode: { mcpServer: { name, source } } } } });

it('knows the tools of the control plane by the server that the harness names', () => {
  const calls = new SeenToolCalls(new Set(['svc-mcp']));
  expect(calls.isOwn(claudeRequest('svc-mcp'))).toBe(true);
  expect(calls.isOwn(claudeRequest('other'))).toBe(false);
  expect(calls.isOwn(claudeRequest('svc-mcp', 'project'))).toBe(false);
  expect(calls.isOwn(codexRequest)).toBe(false);
  calls.observe(codexCall('other'));
  expect(calls.isOwn(codexRequest)).toBe(false);
  calls.observe(codexCall('svc-mcp'));
  expect(calls.isOwn(codexRequest)).toBe(true);
  expect(calls.titled(codexRequest).toolCall.title).toBe('mcp.svc-mcp.complete_task');
  // A command whose title or input only looks like it.
  expect(calls.isOwn(request())).toBe(false);
  calls.observe(codexCall('svc-mcp', {}));
  expect(calls.isOwn(codexRequest)).toBe(false);
});
