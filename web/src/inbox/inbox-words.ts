import type { InboxEntry } from '../../../protocol/live.js';

interface Words {
  readonly text: string;
  readonly badge: 'warn' | 'bad' | 'good';
}

const ofRequest: Readonly<Record<string, string>> = {
  permission: 'Asks for permission',
  form: 'Asks you to fill a form',
  url: 'Asks you to open a link',
};

const ofMessage: Readonly<Record<string, string>> = {
  failed: 'Message not delivered',
  expired: 'Message not delivered',
  ambiguous: 'It is not known whether the message arrived',
};

const ofEviction: Readonly<Record<string, string>> = {
  memory_pressure: 'The workspace was stopped, because its node was short of memory or disk',
  oom_kill: 'The workspace was stopped, because it ran out of memory',
};

/** Why an item is in the inbox. */
export function inboxWords({ kind, reason }: Pick<InboxEntry, 'kind' | 'reason'>): Words {
  switch (kind) {
    case 'interaction':
      return { text: ofRequest[reason] ?? 'Asks you', badge: 'warn' };
    case 'question':
      return { text: 'Asks a question', badge: 'warn' };
    case 'message':
      return { text: ofMessage[reason] ?? 'Message not delivered', badge: 'bad' };
    case 'sleep':
      return { text: 'The workspace cannot sleep', badge: 'warn' };
    case 'eviction':
      return { text: ofEviction[reason] ?? 'The workspace was stopped', badge: 'warn' };
    case 'ownership':
      return { text: 'You are offered the ownership of the project', badge: 'warn' };
    case 'task':
      return reason === 'completed' ? { text: 'Completed', badge: 'good' } : { text: 'Failed', badge: 'bad' };
  }
}

/** The API counts up to 100. */
export const countInWords = (count: number): string => (count > 99 ? '99+' : String(count));

/** Items by project, in the order in which each project comes first. */
export const byProject = <Item extends Pick<InboxEntry, 'projectId'>>(
  items: readonly Item[],
): readonly (readonly [projectId: string, items: readonly Item[]])[] => [
  ...Map.groupBy(items, ({ projectId }) => projectId),
];
