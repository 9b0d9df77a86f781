import { beforeEach, describe, expect, it } from 'vitest';
import { acceptPrompt } from '../../../lambdas/domain/prompts/accept-prompt.js';
import { listDueChats } from '../../../lambdas/domain/prompts/queue.js';
import { finishShutdown } from '../../../lambdas/domain/prompts/shutdown.js';
import { findTask } from '../../../lambdas/domain/tasks/load-task.js';
import { newTask, type Task, taskItem } from '../../../lambdas/domain/tasks/task.js';
import { rootLog } from '../../../lambdas/shared/log.js';
import { putItem } from '../../support/project.js';
import { signingKeys } from '../../support/wrong-tokens.js';
import { aPrompt } from './a-chat.js';
import { deliveryStage } from './delivery-stage.js';
import { Died } from './dying-client.js';

const stage = deliveryStage();

const last = aPrompt({ messageClass: 'shutdown_with_final_prompt', content: 'Push what you have' });
const send = async () => acceptPrompt(stage.table, last, { chat: await stage.chat(), now: stage.now });

/** Handles wake-ups as the worker does, until none sends another one. */
async function ringOut(): Promise<void> {
  for (;;) {
    const next = await stage.wake();
    if (next.endsChat) await close();
    if (!next.now) return;
  }
}

const close = () =>
  finishShutdown(
    {
      table: stage.table,
      keys: signingKeys(),
      now: stage.now,
      log: rootLog,
      sagas: { startEndRun: async () => true },
    },
    stage.chatId,
  );

async function putTask(change: Partial<Task> = {}): Promise<void> {
  const { chatId: taskId, projectId, userId, workspaceId } = await stage.chat();
  const task = newTask({ taskId, projectId, userId, title: 'Mend the gate', workspaceId }, stage.now);
  await putItem(stage.table, taskItem({ ...task, status: 'in_progress', ...change }));
}

async function taskStatus() {
  const { projectId } = await stage.chat();
  return (await findTask(stage.table, projectId, stage.chatId))?.status;
}

const isDue = async () =>
  (await listDueChats(stage.table, new Date(stage.now.getTime() + 3_600_000))).includes(stage.chatId);

beforeEach(() => putTask());

describe('a shutdown prompt', () => {
  it('cancels the running turn, states to the agent that it is the last message, and cancels the task after its own turn', async () => {
    await stage.send({ content: 'long work' });
    await stage.wake();
    await send();

    await ringOut();
    expect(stage.node.cancelled).toEqual(['long work']);
    expect(stage.node.taken.at(-1)).toMatch(/^Push what you have\n\n.*the last message/);
    expect(await taskStatus()).toBe('in_progress');
    expect(await isDue()).toBe(true);

    stage.node.endTurn();
    await ringOut();
    expect(await taskStatus()).toBe('cancelled');
    expect(await isDue()).toBe(false);
  });

  it('is the last prompt that the chat accepts, and a repeat returns the same one', async () => {
    const first = await send();

    await expect(stage.send()).rejects.toMatchObject({ code: 'SESSION_SHUTTING_DOWN' });
    expect(await send()).toEqual(first);
  });

  it('makes waiting prompts fail with the reason shut_down', async () => {
    stage.node.isBusy = true;
    stage.node.isStarted = true;
    const waiting = await stage.send({ content: 'and then this' });
    await send();

    await ringOut();

    expect(stage.node.taken).toEqual([expect.stringContaining('Push what you have')]);
    const reason = 'shut_down';
    expect(await stage.record(waiting)).toMatchObject({ deliveryState: 'failed', terminalReason: reason });
  });

  it('keeps a task completed that its agent has completed', async () => {
    await send();
    await ringOut();
    await putTask({ status: 'completed', outputSummary: 'Pushed' });
    stage.node.endTurn();

    await ringOut();

    expect(await taskStatus()).toBe('completed');
    expect(await isDue()).toBe(false);
  });

  it('cancels the task when it cannot be delivered', async () => {
    await send();
    stage.later(3_700);

    await ringOut();
    await ringOut();

    expect(stage.node.taken).toEqual([]);
    expect(await taskStatus()).toBe('cancelled');
  });

  it('cancels nothing while its node cannot be asked', async () => {
    await send();
    await ringOut();
    stage.node.endTurn();
    stage.node.losing = [/prompt-receipts/];

    await ringOut();
    expect(await taskStatus()).toBe('in_progress');
    await ringOut();
    expect(await taskStatus()).toBe('cancelled');
  });

  const deaths = [1, 2, 3, 4].flatMap((write) =>
    (['before', 'after'] as const).map((when) => ({ write, when })),
  );

  it.each(deaths)('has its full effect when functions die $when write $write', async (death) => {
    await send();
    stage.dying.die(death);
    const wakeUps = (async () => {
      await ringOut();
      stage.node.endTurn();
      await ringOut();
    })();
    await expect(wakeUps).rejects.toThrow(Died);
    stage.dying.die(undefined);

    for (let sweep = 0; sweep < 5; sweep += 1) {
      await ringOut();
      stage.node.endTurn();
      stage.later(60);
    }

    expect(stage.node.taken).toHaveLength(1);
    expect(await taskStatus()).toBe('cancelled');
    expect(await isDue()).toBe(false);
  });
});
