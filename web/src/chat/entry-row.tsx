import { clock } from '../times.js';
import type { ChatPlace } from './chat-place.js';
import { deliveryWords } from './delivery-words.js';
import { MessageText } from './message-text.js';
import { SendAgain } from './send-again.js';
import { ToolRow } from './tool-row.js';
import type { Entry } from './transcript.js';

interface EntryRowProps {
  readonly entry: Entry;
  /** The workspace sleeps, and a message wakes it. */
  readonly isAsleep: boolean;
  readonly where: ChatPlace;
}

/** One message, or what is shown as one. */
export function EntryRow({ entry, isAsleep, where }: EntryRowProps) {
  const { role, createdAt } = entry.message;
  if (role === 'tool') return <ToolRow entry={entry} where={where} />;
  if (role === 'thinking')
    return (
      <li>
        <details className="folded">
          <summary>Thoughts</summary>
          <MessageText text={entry.content} />
        </details>
      </li>
    );
  return (
    <li className={`message of-${role}`}>
      <p className="quiet small-text">
        {names[role]} · <time dateTime={createdAt}>{clock(createdAt)}</time>
      </p>
      <MessageText text={entry.content} />
      <Delivery entry={entry} isAsleep={isAsleep} where={where} />
    </li>
  );
}

const names = { user: 'You', assistant: 'Agent', plan: 'Plan', system: 'Berth' } as const;

function Delivery({ entry, isAsleep, where }: EntryRowProps) {
  const { delivery } = entry.message;
  const words = delivery && deliveryWords(delivery, isAsleep);
  if (!delivery || words === null) return null;
  const mayBeSent = delivery.state === 'ambiguous' || delivery.state === 'failed';
  return (
    <p className={`small-text ${mayBeSent ? 'bad-text' : 'quiet'}`}>
      {words} {mayBeSent && <SendAgain content={entry.content} where={where} />}
    </p>
  );
}
