import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, useRef } from 'react';
import { messageOf } from '../api-error.js';
import { useServices } from '../app/services.js';
import type { ChatPlace } from './chat-place.js';
import type { OpenChat } from './use-chat.js';
import { useMessage } from './use-message.js';

interface PromptBoxProps {
  readonly chat: OpenChat;
  readonly where: ChatPlace;
}

/** Writes to the agent. Enter sends; with Ctrl or Cmd, the message interrupts the running turn. */
export function PromptBox({ chat, where }: PromptBoxProps) {
  const { text, write, sending, send } = useMessage(where);
  const cancelling = useCancelTurn(chat, where);
  const onEscape = useDoubleEscape(() => {
    if (cancelling && !cancelling.isPending) cancelling.mutate();
  });
  if (chat.session?.isTerminated) return <p className="quiet">This conversation has ended.</p>;
  const keyDown = (event: KeyboardEvent) => {
    onEscape(event);
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
        onChange={({ target }) => write(target.value)}
      />
      <div className="bar">
        <span id="prompt-keys" className="hint">
          Enter sends. Shift+Enter makes a new line. Ctrl+Enter interrupts the agent. Esc twice cancels its
          turn.
        </span>
        <span className="buttons">
          {cancelling && (
            <button type="button" disabled={cancelling.isPending} onClick={() => cancelling.mutate()}>
              Cancel the turn
            </button>
          )}
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

/** Cancels the running turn; null while there is none. */
function useCancelTurn({ activity }: OpenChat, where: ChatPlace) {
  const { client } = useServices();
  const cancelling = useMutation({
    mutationFn: () =>
      client.call('POST /api/projects/{projectId}/sessions/{sessionId}/cancel', { params: where }),
  });
  return activity === 'prompting' ? cancelling : null;
}

const twiceWithinMs = 1_000;

/** Calls a function when Escape is pressed twice. */
function useDoubleEscape(act: () => void) {
  const last = useRef(Number.NEGATIVE_INFINITY);
  return ({ key, timeStamp }: KeyboardEvent) => {
    if (key !== 'Escape') return;
    const isSecond = timeStamp - last.current <= twiceWithinMs;
    last.current = isSecond ? Number.NEGATIVE_INFINITY : timeStamp;
    if (isSecond) act();
  };
}
