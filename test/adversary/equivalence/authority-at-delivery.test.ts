import { describe, expect, it } from 'vitest';
import type { Chat } from '../../../lambdas/domain/chats/chat.js';
import { projectItem } from '../../../lambdas/domain/projects/project.js';
import type { PromptRequest } from '../../../lambdas/domain/prompts/accept-prompt.js';
import { changeItem } from '../../../lambdas/domain/records/change-item.js';
import { userKey } from '../../../lambdas/domain/users/user.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { putMembership } from '../../integration/prompts/a-chat.js';
import { deliveryStage } from '../../integration/prompts/delivery-stage.js';
import { aProject, putItem } from '../../support/project.js';
import { signIn } from '../../support/sign-in.js';

const stage = deliveryStage();

const suspend = (userId: string) =>
  changeItem(stage.table, { key: userKey(userId), set: { status: 'suspended' }, when: { exists: true } });

/** Each way in which a person loses the right to prompt a session of their own. */
const losses: Readonly<Record<string, (chat: Chat) => Promise<unknown>>> = {
  'was removed': (chat) => putMembership(stage.table, chat, { status: 'removed' }),
  'is suspended': (chat) => putMembership(stage.table, chat, { status: 'suspended' }),
  'is suspended everywhere': ({ userId }) => signIn(stage.table, { userId }).then(() => suspend(userId)),
  'became a viewer': (chat) => putMembership(stage.table, chat, { role: 'viewer' }),
  'is in a detached project': ({ projectId }) =>
    putItem(stage.table, projectItem(aProject({ projectId, status: 'detached' }))),
};

/** Each kind of sender. */
const prompts: Readonly<Record<string, Partial<PromptRequest>>> = {
  'a person': {},
  'an urgent message of a person': { messageClass: 'interrupt' },
  'an agent': {
    ...{ senderType: 'agent', sourceKind: 'agent_mailbox', sourceTaskId: newId() },
    ...{ ackRequired: true, ackTimeoutMs: 1_000 },
  },
  'a wake-up': { senderType: 'system', senderId: null, sourceKind: 'parent_wakeup' },
};

describe.each(Object.keys(losses))('a queued prompt of a person who %s', (loss) => {
  it.each(Object.keys(prompts))('is not delivered when it comes from %s', async (sender) => {
    const deliveryId = await stage.send(prompts[sender]);
    await losses[loss]?.(await stage.chat());

    await stage.wake();

    expect(stage.node.taken).toEqual([]);
    expect(await stage.record(deliveryId)).toMatchObject({
      deliveryState: 'failed',
      terminalReason: 'not_allowed',
    });
    expect(await stage.shown()).toMatchObject([{ state: 'failed', reason: 'not_allowed' }]);
    expect(await stage.chat()).toMatchObject({ queuedPrompts: 0 });
  });
});

it('a prompt that waits for a retry is not delivered after the loss', async () => {
  await stage.reports('prompting');
  const deliveryId = await stage.send();
  await stage.wake();
  await putMembership(stage.table, await stage.chat(), { role: 'viewer' });
  await stage.reports('idle');

  await stage.wake();

  expect(stage.node.taken).toEqual([]);
  expect(await stage.record(deliveryId)).toMatchObject({ terminalReason: 'not_allowed' });
});
