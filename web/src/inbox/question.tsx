import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useId } from 'react';
import { messageOf } from '../api-error.js';
import { useServices } from '../app/services.js';
import type { ChatPlace } from '../chat/chat-place.js';
import { useMessage } from '../chat/use-message.js';
import { Failure } from '../ui/failure.js';

/** A question of the agent. The person's next message in the chat is the answer. */
export function Question({ where }: { readonly where: ChatPlace }) {
  const { client } = useServices();
  const chat = useQuery({
    queryKey: ['question', where.sessionId],
    queryFn: ({ signal }) =>
      client.call('GET /api/projects/{projectId}/sessions/{sessionId}', { params: where, signal }),
  });
  if (chat.isError) return <Failure error={chat.error} retry={() => void chat.refetch()} />;
  const attention = chat.data?.session.attention;
  if (!attention) return null;
  return (
    <div className="answers notice warn">
      <p className="plain-text">{attention.context}</p>
      <Options options={attention.options} where={where} />
      <Reply where={where} />
    </div>
  );
}

interface OptionsProps {
  readonly options: readonly string[];
  readonly where: ChatPlace;
}

function Options({ options, where }: OptionsProps) {
  const { client } = useServices();
  const sending = useMutation({
    mutationFn: (content: string) =>
      client.call('POST /api/projects/{projectId}/sessions/{sessionId}/prompt', {
        params: where,
        body: { content },
      }),
  });
  if (options.length === 0) return null;
  return (
    <div className="buttons">
      {options.map((option) => (
        <button
          key={option}
          type="button"
          disabled={sending.isPending || sending.isSuccess}
          onClick={() => sending.mutate(option)}
        >
          {option}
        </button>
      ))}
      {sending.isError && <span role="alert">{messageOf(sending.error)}</span>}
    </div>
  );
}

function Reply({ where }: { readonly where: ChatPlace }) {
  const { text, write, sending, send } = useMessage(where);
  const id = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send('deliver');
  };
  return (
    <form className="prompt" onSubmit={submit}>
      <label htmlFor={id}>Your answer</label>
      <textarea
        id={id}
        rows={2}
        value={text}
        maxLength={65_536}
        onChange={({ target }) => write(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          submit(event);
        }}
      />
      <button type="submit" className="primary" disabled={sending.isPending || text.trim() === ''}>
        Send
      </button>
      {sending.isError && <p role="alert">{messageOf(sending.error)}</p>}
    </form>
  );
}
