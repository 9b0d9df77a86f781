import { describe, expect, it } from 'vitest';
import type { Node } from '../nodes/node.js';
import { isBeingDispatched, proofWithoutNode } from './confirm-deletion.js';
import type { Workspace } from './workspace.js';

const now = new Date('2026-11-21T10:00:00Z');
const sentAt = (secondsAgo: number) => new Date(now.getTime() - secondsAgo * 1000).toISOString();
// Only the fields that a proof looks at.
const workspace = (fields: Partial<Workspace>) => fields as Workspace;
const node = (fields: Partial<Node>) => fields as Node;

describe('a proof that needs no node', () => {
  it('is that the workspace was never sent to one', () => {
    expect(proofWithoutNode(workspace({ dispatchedAt: null }), undefined)).toBe('workspace_never_started');
  });

  it("is EC2's word, and neither a status nor silence", () => {
    const sent = workspace({ dispatchedAt: sentAt(600) });

    expect(proofWithoutNode(sent, node({ terminationConfirmedAt: sentAt(1) }))).toBe(
      'node_runtime_terminated',
    );
    expect(proofWithoutNode(sent, node({ status: 'deleted', lastHeartbeatAt: null }))).toBeUndefined();
    expect(proofWithoutNode(sent, undefined)).toBeUndefined();
  });
});

it.each([
  ['has just been sent', { dispatchedAt: sentAt(5), readyAt: null }, true],
  ['was sent long ago', { dispatchedAt: sentAt(61), readyAt: null }, false],
  ['has reported since', { dispatchedAt: sentAt(5), readyAt: sentAt(1) }, false],
  ['has just been sent again by a restart', { dispatchedAt: sentAt(5), readyAt: sentAt(600) }, true],
  ['was never sent', { dispatchedAt: null, readyAt: null }, false],
])('knows whether a workspace that %s may still be on its way', (_, fields, onItsWay) => {
  expect(isBeingDispatched(workspace(fields), now)).toBe(onItsWay);
});
