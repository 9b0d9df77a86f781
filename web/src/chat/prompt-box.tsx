import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { messageOf } from '../api-error.js';
import { useServices } from '../app/services.js';
import type { ChatPlace } from './entry-row.js';
import type { OpenChat } from './use-chat.js';
import { useDraft } from './use-draft.js';

interface PromptBoxProps {
  readonly chat: OpenChat;
  readonly where: ChatPlace;
}

type MessageClass = 'deliver' | 'interrupt';

/** Writes to the agent. Enter sends; with Ctrl or Cmd, the message interrupts the running turn. */
export function PromptBox({ chat, where }: PromptBoxProps) {
  const { client } = useServices();
  const [text, setText] = useDraft(where.sessionId);
  // One id a text: a repeat after a lost answer sends no second message.
  const [messageId, setMessageId] = useState(newMessageId);
  const sending = useMutation({
    mutationFn: (messageClass: MessageClass) =>
      client.call('POST /api/projects/{projectId}/sessions/{sessionId}/prompt', {
        params: where,
        body: { content: text, messageId, messageClass },
      }),
    onSuccess: () => {
      setText('');
      setMessageId(newMessageId());
    },
  });
  if (chat.session?.isTerminated) return <p className="quiet">This conversation has ended.</p>;
  const send = (messageClass: MessageClass) => {
    if (text.trim() !== '' && !sending.isPending) sending.mutate(messageClass);
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send(event.ctrlKey || event.metaKey ? 'interrupt' : 'deliver');
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send('deliver');
  };
  return (
    <form className="card prompt" onSubmit={submit}>
      <label htmlFor="prompt">Message to the agent</label>
      <textarea
        id="prompt"
        rows={3}
        value={text}
        maxLength={65_536}
        aria-describedby="prompt-keys"
        onKeyDown={keyDown}
        onChange={({ target }) => {
          setText(target.value);
          setMessageId(newMessageId());
        }}
      />
      <div className="bar">
        <span id="prompt-keys" className="hint">
          Enter sends. Shift+Enter makes a new line. Ctrl+Enter interrupts the agent.
        </span>
        <span className="buttons">
          <CancelTurn chat={chat} where={where} />
          <button type="submit" className="primary" disabled={sending.isPending || text.trim() === ''}>
            Send
          </button>
        </span>
      </div>
      <p role="status">{sending.data?.wakes && 'The workspace wakes. Do not send the message again.'}</p>
      {sending.isError && (
        <p className="notice bad" role="alert">
          {messageOf(sending.error)}
        </p>
      )}
    </form>
  );
}

const newMessageId = (): string => crypto.randomUUID();

function CancelTurn({ chat, where }: PromptBoxProps) {
  const { client } = useServices();
  const cancelling = useMutation({
    mutationFn: () =>
      client.call('POST /api/projects/{projectId}/sessions/{sessionId}/cancel', { params: where }),
  });
  if (chat.activity !== 'prompting') return null;
  return (
    <button type="button" disabled={cancelling.isPending} onClick={() => cancelling.mutate()}>
      Cancel the turn
    </button>
  );
}
