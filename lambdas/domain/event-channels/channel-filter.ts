import { channelSource } from '../event-subscriptions/matches.js';
import { channelEventType, channelSubjectType } from './channel-event.js';

/** Selects the publications of a channel. */
export const channelFilter = (name: string) => ({
  version: 1 as const,
  source: channelSource,
  eventType: channelEventType,
  subjectType: channelSubjectType,
  subjectId: name,
});
