import { describe, expect, it } from 'vitest';
import type { Chat } from '../chats/chat.js';
import { isChatBusy, isChatWorking } from './workspace-chats.js';

const now = new Date('2026-11-23T12:00:00Z');
const activityAt = now.toISOString();
const chat = (fields: Partial<Chat>): Chat => ({ queuedPrompts: 0, ...fields }) as Chat;
const reported = (activity: 'idle' | 'prompting') => ({ activity, activityAt }) as Chat['activity'];
const unconfirmedId = '01K00000000000000000000001';

describe('the work of a chat', () => {
  it.each([
    ['nothing', {}, false, false],
    ['a waiting prompt', { queuedPrompts: 1 }, true, true],
    ['a turn', { activity: reported('prompting') }, true, true],
    ['an unconfirmed prompt of a turn', { unconfirmedId, activity: reported('prompting') }, true, true],
    ['an unconfirmed prompt without a report', { unconfirmedId }, true, true],
    ['an unconfirmed prompt of an ended turn', { unconfirmedId, activity: reported('idle') }, false, true],
  ] as const)('with %s', (_, fields, isWorking, isBusy) => {
    expect({
      isWorking: isChatWorking(chat(fields), now),
      isBusy: isChatBusy(chat(fields), now),
    }).toEqual({ isWorking, isBusy });
  });
});
