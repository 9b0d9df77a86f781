import { useMemo } from 'react';
import { Failure } from '../ui/failure.js';
import { EntryRow } from './entry-row.js';
import { PromptBox } from './prompt-box.js';
import { entriesOf } from './transcript.js';
import { type OpenChat, useChat } from './use-chat.js';
import { useFollowedEnd } from './use-followed-end.js';

interface ChatPanelProps {
  readonly projectId: string;
  readonly sessionId: string;
}

/** The conversation with an agent, as it goes on. */
export function ChatPanel({ projectId, sessionId }: ChatPanelProps) {
  const chat = useChat(projectId, sessionId);
  return (
    <section className="chat" aria-label="Conversation">
      {chat.session || chat.error !== undefined ? (
        <Conversation chat={chat} where={{ projectId, sessionId }} />
      ) : (
        <p className="loading">Loading …</p>
      )}
    </section>
  );
}

interface ConversationProps {
  readonly chat: OpenChat;
  readonly where: ChatPanelProps;
}

function Conversation({ chat, where }: ConversationProps) {
  const entries = useMemo(() => entriesOf(chat.transcript), [chat.transcript]);
  const { scroller, content, isAtEnd, fresh, toEnd } = useFollowedEnd(entries.length);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls what has the focus */}
      <section className="chat-scroll" ref={scroller} tabIndex={0} aria-label="Messages">
        <div ref={content}>
          {chat.hasEarlier && (
            <button type="button" className="small" onClick={() => void chat.feed.earlier()}>
              Show earlier messages
            </button>
          )}
          <ol className="plain entries">
            {entries.map((entry) => (
              <EntryRow key={entry.key} entry={entry} chat={chat} where={where} />
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
      <PromptBox chat={chat} where={where} />
    </>
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
