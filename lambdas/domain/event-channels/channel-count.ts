import type { Change } from '../records/changes.js';
import { type ChannelRef, channelCountKey } from './channel.js';
import { channelLimits } from './channel-limits.js';
import { isPairChannel } from './channel-name.js';

const kindOf = (name: string) => (isPairChannel(name) ? 'pair' : 'ordinary');

export const limitOfKind = (name: string): number => channelLimits[kindOf(name)];

const countChange = (projectId: string): Pick<Change, 'key' | 'set'> => ({
  key: channelCountKey(projectId),
  set: { entity: 'event-channel-count', schemaVersion: 1 },
});

/** Refused when the project has as many channels of the kind as it may have. */
export const countChannel = ({ projectId, name }: ChannelRef): Change => ({
  ...countChange(projectId),
  add: { [kindOf(name)]: 1 },
  when: { absentOrBefore: { [kindOf(name)]: limitOfKind(name) } },
});

export const uncountChannel = ({ projectId, name }: ChannelRef): Change => ({
  ...countChange(projectId),
  add: { [kindOf(name)]: -1 },
  when: { exists: true },
});
