import { beforeAll, expect, it } from 'vitest';
import { findAgentSession } from '../../../lambdas/domain/agent-sessions/find-sessions.js';
import { endings } from '../../../lambdas/domain/endings/endings.js';
import { endLostSessions } from '../../../lambdas/domain/tasks/workspace-loss.js';
import { claimIdleStop } from '../../../lambdas/domain/workspaces/idle-stop.js';
import { failAfterNodeLoss, failOnNode } from '../../../lambdas/domain/workspaces/running-failure.js';
import { claimStop } from '../../../lambdas/domain/workspaces/stopping.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { SleepStage } from './sleep-stage.js';

let stage: SleepStage;

beforeAll(async () => {
  stage = await SleepStage.start();
});

const now = new Date();
const nodeOf = ({ nodeId }: Workspace) => nodeId ?? '';

it.each<[string, string, (workspace: Workspace) => Promise<unknown>]>([
  [
    'a person',
    'stopped_by_person',
    ({ workspaceId, userId }) => claimStop(stage.table, { workspaceId, userId, now }),
  ],
  [
    'the end of a membership',
    'membership_ended',
    ({ workspaceId, userId }) =>
      claimStop(stage.table, { workspaceId, userId, because: endings.memberLeft, now }),
  ],
  ['a time without use', 'idle', (workspace) => claimIdleStop(stage.table, workspace, now)],
  ['the loss of its node', 'node_lost', (workspace) => failAfterNodeLoss(stage.table, workspace, now)],
  [
    'a failure on its node',
    'errored',
    (workspace) =>
      failOnNode(
        stage.table,
        { ...workspace, nodeId: nodeOf(workspace), wake: undefined, eviction: undefined },
        { errorMessage: 'The disk is full.', now },
      ),
  ],
])('a workspace that %s ended says so, and its chat and agent session too', async (_, kind, end) => {
  const sleeper = await stage.sleeper();
  const { workspaceId } = sleeper.workspace;

  await end(sleeper.workspace);
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  await endLostSessions({ table: stage.table, now, log, wake: async () => {} } as never, workspaceId);

  const endedBecause = { kind, text: expect.any(String), at: now.toISOString() };
  expect(await stage.row(sleeper)).toMatchObject({ endedBecause });
  expect(await stage.chat(sleeper)).toMatchObject({ endedBecause });
  const session = await findAgentSession(stage.table, workspaceId, sleeper.agentSessionId);
  expect(session).toMatchObject({ status: 'suspended', endedBecause });
});

it.each([
  ['idle', 'idle'],
  ['task', 'task_ended'],
  ['person', 'stopped_by_person'],
] as const)('a workspace that sleeps by %s says so, and nothing once it keeps running', async (by, kind) => {
  const sleeper = await stage.sleeper();
  const claim = await stage.claim(sleeper, by);
  await stage.captured(sleeper, claim);

  await stage.run('begin-sleep', sleeper, claim, { isFallback: false });
  expect(await stage.row(sleeper)).toMatchObject({ status: 'sleeping', endedBecause: { kind } });
  expect(await stage.chat(sleeper)).toMatchObject({ status: 'sleeping', endedBecause: { kind } });
  await stage.run('keep-running', sleeper, claim);

  expect((await stage.row(sleeper))?.endedBecause).toBeUndefined();
  expect((await stage.chat(sleeper)).endedBecause).toBeUndefined();
});
