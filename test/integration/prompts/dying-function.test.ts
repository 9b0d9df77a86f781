import { describe, expect, it } from 'vitest';
import { acceptPrompt } from '../../../lambdas/domain/prompts/accept-prompt.js';
import { aPrompt, messagesOf, queueOf } from './a-chat.js';
import { deliveryStage } from './delivery-stage.js';
import { Died, deathsAt } from './dying-client.js';

const stage = deliveryStage();

describe('a function that dies', () => {
  it.each(deathsAt(1, 2))(
    '$when write $write of a delivery leaves it to be delivered once',
    async (death) => {
      const deliveryId = await stage.send({ content: 'once' });
      stage.dying.die(death);
      await expect(stage.deliver(deliveryId)).rejects.toThrow(Died);
      stage.dying.die(undefined);

      // The next wake-ups: of the queue, then of the sweep.
      for (let wakeUp = 0; wakeUp < 3; wakeUp += 1) {
        await stage.deliver(deliveryId);
        stage.later(31);
      }

      expect(stage.node.taken).toEqual(['once']);
      expect(await stage.record(deliveryId)).toMatchObject({ deliveryState: 'delivered' });
      expect(await stage.chat()).toMatchObject({ queuedPrompts: 0 });
      expect(await queueOf(stage.table, stage.chatId)).toEqual([]);
    },
  );

  it.each(['before', 'after'] as const)('%s accepting a prompt stores all of it or nothing', async (when) => {
    const asked = aPrompt();
    const accept = async () => acceptPrompt(stage.table, asked, { chat: await stage.chat(), now: stage.now });
    stage.dying.die({ write: 1, when });
    await expect(accept()).rejects.toThrow(Died);
    stage.dying.die(undefined);

    expect(await messagesOf(stage.table, stage.chatId)).toHaveLength(when === 'after' ? 1 : 0);
    // The caller sends it again.
    expect(await accept()).toMatchObject({ deliveryId: asked.deliveryId, sequence: 1 });
    expect(await messagesOf(stage.table, stage.chatId)).toHaveLength(1);
    expect(await stage.chat()).toMatchObject({ queuedPrompts: 1 });
  });
});
