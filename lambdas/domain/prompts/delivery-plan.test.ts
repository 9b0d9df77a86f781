import { describe, expect, it } from 'vitest';
import { aWorkspace } from '../../../test/support/records.js';
import type { AgentSession } from '../agent-sessions/agent-session.js';
import { type Chat, newChat } from '../chats/chat.js';
import { planDelivery } from './delivery-plan.js';
import type { DeliveryTarget } from './load-delivery.js';
import { deliveryStates, messageClasses, newPrompt, type Prompt } from './prompt.js';

const now = new Date('2026-11-21T10:00:00.000Z');
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000).toISOString();
const id = (letter: string) => `01K0000000000000000000000${letter}`;

const prompt = (overrides: Partial<Prompt> = {}): Prompt => ({
  ...newPrompt(
    {
      deliveryId: id('D'),
      chatId: id('C'),
      projectId: id('P'),
      kind: 'prompt',
      sourceKind: 'user_followup',
      senderType: 'human',
      senderId: id('A'),
      messageClass: 'deliver',
      content: 'Fix it',
      promptMessageId: 'm',
      sequence: 1,
    },
    now,
  ),
  ...overrides,
});

const workspace = aWorkspace({ workspaceId: id('W'), generation: 2 });
const session: AgentSession = {
  agentSessionId: id('S'),
  workspaceId: id('W'),
  generation: 2,
  userId: id('A'),
  projectId: id('P'),
  chatId: id('C'),
  status: 'running',
  label: null,
  agentType: 'claude-code',
  createdAt: ago(60),
  updatedAt: ago(60),
  stoppedAt: null,
};
const chat = (overrides: Partial<Chat> = {}): Chat => ({
  ...newChat(
    { chatId: id('C'), projectId: id('P'), userId: id('A'), topic: null, workspaceId: id('W'), taskId: null },
    now,
  ),
  agentSessionId: id('S'),
  ...overrides,
});
const target = (overrides: Partial<DeliveryTarget> = {}): DeliveryTarget => ({
  chat: chat(),
  workspace,
  session,
  isAllowed: true,
  unconfirmed: undefined,
  unqueued: undefined,
  ...overrides,
});
const doing = (activity: 'prompting' | 'idle' | 'error', secondsAgo: number) =>
  target({
    chat: chat({
      activity: {
        activity,
        activityAt: ago(secondsAgo),
        promptStartedAt: null,
        agentType: null,
        restartCount: 0,
        statusError: null,
      },
    }),
  });

const wake = { operationId: id('W'), claimedAt: now.toISOString(), attempt: 1, phase: 'placing' } as const;
const failedWake = (attempts: number, at: Date) => ({
  attempts,
  failedAt: at.toISOString(),
  reason: 'No node has room.',
});
const attempt = { do: 'attempt', isAsleep: false, cancelsFirst: false };
const give = (to: string, reason: string) => ({ do: 'give_up', to, reason });

describe('the plan for a prompt', () => {
  it('in a final state: do nothing', () => {
    for (const deliveryState of deliveryStates.filter(
      (state) => !['queued', 'retry_wait', 'delivering'].includes(state),
    ))
      expect(planDelivery(prompt({ deliveryState }), target(), now)).toEqual({ do: 'nothing' });
  });

  it('being delivered by another worker: wait, and check the node after 30 seconds', () => {
    const begun = (seconds: number) =>
      planDelivery(prompt({ deliveryState: 'delivering', attemptStartedAt: ago(seconds) }), target(), now);

    expect(begun(29)).toEqual({ do: 'wait', until: new Date(now.getTime() + 1_000) });
    expect(begun(30)).toEqual({ do: 'ask_receipt' });
  });

  it('with an attempt in progress: check the node, even without a target or after the deadline', () => {
    const begun = prompt({ deliveryState: 'delivering', attemptStartedAt: ago(40), deadlineAt: ago(1) });

    expect(planDelivery(begun, target({ workspace: undefined }), now)).toEqual({ do: 'ask_receipt' });
  });

  it.each<[string, Partial<DeliveryTarget>, object]>([
    ['an agent that runs', {}, attempt],
    ['a session that has ended', { chat: chat({ status: 'stopped' }) }, give('failed', 'terminal_target')],
    ['a session that has failed', { chat: chat({ status: 'error' }) }, give('failed', 'dead_target')],
    ['no workspace', { workspace: undefined }, give('failed', 'dead_target')],
    ['no agent session', { session: undefined }, give('failed', 'dead_target')],
    [
      'an agent session that was stopped',
      { session: { ...session, status: 'stopped' } },
      give('failed', 'dead_target'),
    ],
    [
      'an agent session of an earlier life of the workspace',
      { session: { ...session, generation: 1 } },
      give('failed', 'workspace_stopped'),
    ],
    [
      'a workspace that is stopped',
      { workspace: { ...workspace, status: 'stopped' } },
      give('failed', 'workspace_stopped'),
    ],
    ['a workspace that recovers', { workspace: { ...workspace, status: 'recovering' } }, attempt],
    [
      'a workspace that sleeps',
      { workspace: { ...workspace, status: 'sleeping' } },
      { ...attempt, isAsleep: true },
    ],
    [
      'a workspace that wakes in its next generation',
      { workspace: { ...workspace, generation: workspace.generation + 1, status: 'running', wake } },
      { ...attempt, isAsleep: true },
    ],
    [
      'a workspace that was stopped while it woke',
      { workspace: { ...workspace, status: 'stopping', wake } },
      give('failed', 'workspace_stopped'),
    ],
    [
      'a workspace whose wake failed, with attempts left',
      { workspace: { ...workspace, status: 'sleeping', wakeFailure: failedWake(2, now) } },
      { ...attempt, isAsleep: true },
    ],
    [
      'a workspace whose last attempt to wake failed',
      { workspace: { ...workspace, status: 'sleeping', wakeFailure: failedWake(3, now) } },
      give('failed', 'wake_failed'),
    ],
    [
      'a workspace whose last attempt to wake failed before the prompt',
      { workspace: { ...workspace, status: 'sleeping', wakeFailure: failedWake(3, new Date(0)) } },
      { ...attempt, isAsleep: true },
    ],
    [
      'an agent that is about to be made',
      { chat: chat({ agentSessionId: null, startDeliveryId: id('E') }) },
      { do: 'wait', until: null },
    ],
    ['no agent at all', { chat: chat({ agentSessionId: null }) }, give('failed', 'dead_target')],
  ])('for %s', (_, overrides, step) => {
    for (const deliveryState of ['queued', 'retry_wait'] as const)
      expect(planDelivery(prompt({ deliveryState }), target(overrides), now)).toEqual(step);
  });

  it('that waited for a wake: attempt at once when the agent is awake', () => {
    const later = new Date(now.getTime() + 30_000).toISOString();
    const waited = prompt({ deliveryState: 'retry_wait', lastError: 'target_asleep', nextAttemptAt: later });

    expect(planDelivery(waited, target(), now)).toEqual(attempt);
    const sleeping = target({ workspace: { ...workspace, status: 'sleeping' } });
    expect(planDelivery(waited, sleeping, now)).toEqual({ do: 'wait', until: new Date(later) });
  });

  it('past its deadline: expire', () => {
    expect(planDelivery(prompt({ deadlineAt: now.toISOString() }), target(), now)).toEqual(
      give('expired', 'deadline_passed'),
    );
  });

  it.each(messageClasses)('of the class %s while the agent works: depends on the class', (messageClass) => {
    const step = planDelivery(prompt({ messageClass }), doing('prompting', 10), now);

    const waits = messageClass === 'notify' || messageClass === 'deliver';
    expect(step).toEqual(waits ? { do: 'wait', until: null } : { ...attempt, cancelsFirst: true });
  });

  it('for an agent that has not reported for five minutes: attempt', () => {
    expect(planDelivery(prompt(), doing('prompting', 301), now)).toEqual(attempt);
  });

  it('with a later retry time: wait until then', () => {
    const nextAttemptAt = new Date(now.getTime() + 9_000);
    const waiting = prompt({
      deliveryState: 'retry_wait',
      lastError: 'node_unreachable',
      nextAttemptAt: nextAttemptAt.toISOString(),
      updatedAt: ago(20),
    });

    expect(planDelivery(waiting, target(), now)).toEqual({ do: 'wait', until: nextAttemptAt });
    expect(planDelivery(waiting, doing('idle', 5), now)).toEqual({ do: 'wait', until: nextAttemptAt });
    expect(planDelivery({ ...waiting, nextAttemptAt: ago(0) }, target(), now)).toEqual(attempt);
  });

  it('waiting for the agent: attempt as soon as the agent is idle', () => {
    const waiting = prompt({
      deliveryState: 'retry_wait',
      lastError: 'busy',
      nextAttemptAt: new Date(now.getTime() + 9_000).toISOString(),
      updatedAt: ago(20),
    });

    expect(planDelivery(waiting, doing('idle', 5), now)).toEqual(attempt);
    expect(planDelivery(waiting, doing('idle', 30), now)).toMatchObject({ do: 'wait' });
  });

  it('interrupted by a later, more urgent prompt: wait until that prompt has ended', () => {
    const interruption = prompt({ messageClass: 'interrupt', sequence: 5 });
    const besides = (sequence: number, messageClass: Prompt['messageClass']) => ({
      ...doing('prompting', 10),
      unconfirmed: prompt({ sequence, messageClass }),
    });

    for (const running of [besides(4, 'preempt_and_replan'), besides(6, 'interrupt'), besides(6, 'deliver')])
      expect(planDelivery(interruption, running, now)).toEqual({ ...attempt, cancelsFirst: true });
    expect(planDelivery(interruption, besides(6, 'preempt_and_replan'), now)).toEqual({
      do: 'wait',
      until: null,
    });
  });

  it('superseded by a replan of its sender: fail', () => {
    const replan = { sourceTaskId: id('T'), sequence: 5 };
    const step = (sourceTaskId: string | null, sequence: number) =>
      planDelivery(prompt({ sourceTaskId, sequence }), target({ chat: chat({ replan }) }), now);

    expect(step(id('T'), 4)).toEqual(give('failed', 'superseded'));
    for (const other of [step(id('T'), 5), step(id('T'), 6), step(id('U'), 4), step(null, 4)])
      expect(other).toEqual(attempt);
  });

  it('in a session with a shutdown prompt: fail, unless the prompt starts the agent', () => {
    const ending = (startDeliveryId?: string) =>
      target({ chat: chat({ shutdownId: id('E'), ...(startDeliveryId ? { startDeliveryId } : {}) }) });

    expect(planDelivery(prompt(), ending(), now)).toEqual(give('failed', 'shut_down'));
    expect(planDelivery(prompt({ deliveryId: id('E') }), ending(), now)).toEqual(attempt);
    expect(planDelivery(prompt(), ending(id('D')), now)).toEqual(attempt);
  });
});
