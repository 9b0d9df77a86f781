import { expect, it } from 'vitest';
import { groupOf, inWords, workspaceOfChat } from './task-state.js';

it.each([
  ['draft', null, 'drafts', 'Draft'],
  ['queued', 'waiting_for_node_capacity', 'working', 'Waiting for a node'],
  ['in_progress', 'running', 'working', 'The agent works'],
  ['in_progress', 'awaiting_followup', 'needs-you', 'The agent waits for you'],
  ['sleeping', 'awaiting_followup', 'needs-you', 'Sleeps until your next message'],
  ['failed', 'agent_session', 'done', 'Failed'],
  ['completed', null, 'done', 'Completed'],
] as const)('lists a task that is %s at %s under %s: %s', (status, executionStep, group, words) => {
  expect(groupOf({ status, executionStep })).toBe(group);
  expect(inWords({ status, executionStep })).toBe(words);
});

it.each([
  ['queued', null],
  ['delegated', null],
  ['in_progress', 'w'],
  ['sleeping', 'w'],
  ['completed', 'w'],
] as const)('reaches the files of a task that is %s through its chat: %s', (status, expected) => {
  expect(workspaceOfChat({ status, workspaceId: 'w' })).toBe(expected);
});
