import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import type { Write } from '../records/transact.js';

/** The managed subscription that takes the messages of a pair channel for one of its chats now. */
export const PairMember = z.object({
  projectId: Ulid,
  channel: z.string(),
  chatId: Ulid,
  subscriptionId: Ulid,
});
export type PairMember = z.infer<typeof PairMember>;

export const pairMemberKey = ({
  projectId,
  channel,
  chatId,
}: Pick<PairMember, 'projectId' | 'channel' | 'chatId'>) => ({
  pk: `PROJECT#${projectId}#PAIR#${channel}`,
  sk: chatId,
});

/** Longer than a managed subscription is kept. */
const keptSeconds = 40 * 24 * 60 * 60;

/** Names another subscription, if the present one is as it was read. */
export const pairMemberPut = (member: PairMember, seen: PairMember | undefined, now: Date): Write => ({
  put: {
    ...pairMemberKey(member),
    entity: 'pair-member',
    schemaVersion: 1,
    expiresAt: Math.floor(now.getTime() / 1_000) + keptSeconds,
    ...member,
  },
  when: seen ? { equals: { subscriptionId: seen.subscriptionId } } : { exists: false },
});
