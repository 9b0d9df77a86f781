import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod/mini';
import type { Random } from '../../agent/random.js';
import type { ChannelHistory, Sent } from './channel-history.js';
import { expectResult, type ToolClient } from './tool-client.js';

const Published = z.object({ event: z.object({ id: z.string() }), sequence: z.number() });

interface Publishing {
  readonly publisher: string;
  readonly channels: readonly string[];
  readonly client: ToolClient;
  readonly history: ChannelHistory;
  readonly random: Random;
}

/**
 * Publishes so many messages one after the other, some with several calls at once, some with
 * another message under the same key, which must be refused.
 */
export async function publishMessages(publishing: Publishing, count: number): Promise<void> {
  const { publisher, channels, history, random } = publishing;
  for (let number = 1; number <= count; number += 1) {
    const channel = random.pick(channels) ?? '';
    const key = `publication-${number}`;
    const message = `message ${publisher} ${number};`;
    const sent: Sent = { publisher, channel, message, acknowledged: [] };
    history.sent.push(sent);
    const times = random.chance(0.15) ? random.between(2, 3) : 1;
    const one = () => publishOnce(publishing, sent, key);
    await Promise.all(Array.from({ length: times }, one));
    if (random.chance(0.03)) await reuseKey(publishing, sent, key);
    // An agent that never got the first answer may repeat it much later.
    if (random.chance(0.03)) await one();
    await wait(random.between(0, 400));
  }
}

async function publishOnce({ client }: Publishing, sent: Sent, idempotencyKey: string): Promise<void> {
  const { channel, message } = sent;
  const answer = await client.call('publish_channel_event', { channel, message, idempotencyKey }, true);
  const { event, sequence } = expectResult(Published, answer);
  sent.acknowledged.push({ eventId: event.id, sequence });
}

async function reuseKey({ client, history }: Publishing, sent: Sent, idempotencyKey: string): Promise<void> {
  const { channel } = sent;
  const message = `other ${sent.message}`;
  const { refused } = await client.call('publish_channel_event', { channel, message, idempotencyKey });
  if (refused !== 'CONFLICT') throw new Error(`Another message with a used key was answered ${refused}`);
  history.refused.push(message);
}
