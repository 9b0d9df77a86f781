import { lazy, memo, Suspense } from 'react';
import { clock } from '../times.js';
import type { ChatPlace } from './chat-place.js';
import { deliveryWords } from './delivery-words.js';
import { SendAgain } from './send-again.js';
import { ToolRow } from './tool-row.js';
import type { Entry } from './transcript.js';

export const loadMarkdown = () =>
  import('./markdown.js').then(({ Markdown: default_ }) => ({ default: default_ }));
const Markdown = lazy(loadMarkdown);

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
          <Content text={entry.content} />
        </details>
      </li>
    );
  return (
    <li className={`message of-${role}`}>
      <p className="quiet small-text">
        {names[role]} · <time dateTime={createdAt}>{clock(createdAt)}</time>
      </p>
      <Content text={entry.content} />
      <Delivery entry={entry} isAsleep={isAsleep} where={where} />
    </li>
  );
}

const names = { user: 'You', assistant: 'Agent', plan: 'Plan', system: 'Berth' } as const;

/** Unchanged messages are not made again while another one grows. */
const Content = memo(({ text }: { readonly text: string }) => (
  <Suspense fallback={<p className="plain-text">{text}</p>}>
    <Markdown text={text} />
  </Suspense>
));

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
