import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { channelEnvironment } from './channel-limits.js';
import { parseSettings } from './settings.js';

const all = {
  ...{ messageBytes: 1, channels: 2, pairChannels: 3, publicationsPerMinute: 4 },
  ...{ matchesPerEvent: 5, wakeCooldownMs: 6, historyPage: 7 },
  ...{ messageSubscriptions: 8, rotationGraceMs: 9 },
};

it('gives functions each limit that the deployment sets, under the name that they read', () => {
  const { channelLimits } = parseSettings({ superadmins: '1', channelLimits: JSON.stringify(all) });
  const given = channelEnvironment(channelLimits);

  expect(Object.values(given)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9'].toSorted());
  // infra imports no code of functions.
  const reader = readFileSync('lambdas/shared/channel-settings.ts', 'utf8');
  const read = [...reader.matchAll(/^ {2}([A-Z_]+): count/gm)].map(([, name]) => name);
  expect(Object.keys(given).toSorted()).toEqual(read.toSorted());
});

it('gives nothing where the standard applies', () => {
  expect(channelEnvironment({})).toEqual({});
});
