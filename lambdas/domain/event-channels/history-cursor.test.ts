import { expect, it } from 'vitest';
import { derivedId } from '../../shared/derived-id.js';
import type { Channel } from './channel.js';
import { historyCursor, openHistoryCursor, placeOfCursor } from './history-cursor.js';

const now = new Date('2026-11-21T12:00:00.000Z');
const later = (ms: number) => new Date(now.getTime() + ms);
const channel: Channel = {
  channelId: derivedId('generation'),
  projectId: derivedId('project'),
  ...{ name: 'gates', lifetimeCount: 7 },
  createdAt: now.toISOString(),
  lastPublishedAt: now.toISOString(),
};
const window = { after: 2, until: 5 };
const cursor = historyCursor(channel, window, now);

it('opens the window that it was made for, within an hour', () => {
  expect(openHistoryCursor(channel, cursor, now)).toEqual(window);
  expect(openHistoryCursor(channel, cursor, later(3_599_999))).toEqual(window);
  expect(() => openHistoryCursor(channel, cursor, later(3_600_000))).toThrow('expired');
  expect(placeOfCursor(cursor)).toEqual({ c: channel.channelId, after: 2 });
  expect(cursor.length).toBeLessThanOrEqual(512);
});

it('without a cursor is the whole history at that time', () => {
  expect(openHistoryCursor(channel, undefined, now)).toEqual({ after: 0, until: 7 });
});

it('expires with its generation, and is invalid in another project', () => {
  const next = { ...channel, channelId: derivedId('next') };

  expect(() => openHistoryCursor(next, cursor, now)).toThrow('expired');
  expect(() => openHistoryCursor({ ...channel, projectId: derivedId('other') }, cursor, now)).toThrow(
    'The request is invalid',
  );
});

it.each([
  { after: 6, until: 5 },
  { after: 2, until: 8 },
])('is invalid with a window that the channel does not have: %j', (wrong) => {
  expect(() => openHistoryCursor(channel, historyCursor(channel, wrong, now), now)).toThrow(
    'The request is invalid',
  );
});
