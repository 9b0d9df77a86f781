import { lazy, Suspense, useDeferredValue, useMemo } from 'react';
import { Failure } from '../ui/failure.js';
import type { ChatFeed } from './chat-feed.js';
import type { ChatPlace } from './chat-place.js';
import { Plan } from './plan.js';
import { PromptBox } from './prompt-box.js';
import { entriesOf } from './transcript.js';
import { TurnView } from './turn-view.js';
import { turnsOf } from './turns.js';
import { type OpenChat, useChat } from './use-chat.js';
import { useFollowedEnd } from './use-followed-end.js';

const Requests = lazy(() => import('../requests/requests.js').then((file) => ({ default: file.Requests })));

/** A screen shows fewer. The turns before them are shown after the first paint. */
const newestTurns = 4;

/** The conversation with an agent, as it goes on. */
export function ChatPanel({ feed }: { readonly feed: ChatFeed }) {
  const chat = useChat(feed);
  const { place: where } = feed;
  return (
    <section className="chat" aria-label="Conversation" tabIndex={-1} data-pane>
      {chat.session || chat.error !== undefined ? (
        <Conversation chat={chat} where={where} />
      ) : (
        <p className="loading">Loading …</p>
      )}
    </section>
  );
}

interface ConversationProps {
  readonly chat: OpenChat;
  readonly where: ChatPlace;
}

function Conversation({ chat, where }: ConversationProps) {
  const entries = useMemo(() => entriesOf(chat.transcript), [chat.transcript]);
  const isWorking = chat.activity === 'prompting' || chat.activity === 'recovering';
  const turns = useMemo(() => turnsOf(entries, isWorking), [entries, isWorking]);
  const waiting = entries.filter(({ message }) => message.delivery?.state === 'queued');
  const isAsleep = chat.session?.status === 'sleeping';
  const isPainted = useDeferredValue(true, false);
  const { scroller, content, isAtEnd, fresh, toEnd } = useFollowedEnd(entries.length);
  return (
    <>
      <Plan entry={entries.findLast(({ message }) => message.role === 'plan')} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls what has the focus */}
      <section className="chat-scroll" ref={scroller} tabIndex={0} aria-label="Messages">
        <div ref={content}>
          {chat.hasEarlier && (
            <button type="button" className="small" onClick={() => void chat.feed.earlier()}>
              Show earlier messages
            </button>
          )}
          <ol className="plain entries">
            {(isPainted ? turns : turns.slice(-newestTurns)).map((turn) => (
              <TurnView key={turn.key} turn={turn} where={where} isAsleep={isAsleep} />
            ))}
          </ol>
          <Activity chat={chat} />
          {chat.error !== undefined && <Failure error={chat.error} retry={() => chat.feed.open()} />}
        </div>
      </section>
      {!isAtEnd && (
        <button type="button" className="small to-end" onClick={toEnd}>
          {fresh > 0 ? `${fresh} new` : 'To the newest message'}
        </button>
      )}
      {waiting.length > 0 && <Waiting texts={waiting.map(({ key, content }) => [key, content])} />}
      <Suspense>
        <Requests where={where} />
      </Suspense>
      <PromptBox chat={chat} where={where} />
    </>
  );
}

/** Messages that the agent gets when its turn ends. */
function Waiting({ texts }: { readonly texts: readonly (readonly [number, string])[] }) {
  return (
    <details className="folded queue">
      <summary>
        {texts.length === 1 ? '1 message waits' : `${texts.length} messages wait`} for the agent
      </summary>
      <ol>
        {texts.map(([key, text]) => (
          <li key={key}>{text.slice(0, 200)}</li>
        ))}
      </ol>
    </details>
  );
}

/** What the agent does now. Asks for the attention of whom it waits for. */
function Activity({ chat: { activity, session } }: { readonly chat: OpenChat }) {
  const attention = session?.attention;
  return (
    <div role="status">
      {activity === 'prompting' && <p className="quiet working">The agent works …</p>}
      {activity === 'recovering' && <p className="quiet">The agent is being restarted …</p>}
      {session?.status === 'sleeping' && (
        <p className="notice">The workspace sleeps. Your next message wakes it.</p>
      )}
      {attention && <p className="notice warn">The agent asks: {attention.context}</p>}
    </div>
  );
}
