import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { messageOf } from '../api-error.js';
import { Request } from '../requests/requests.js';
import { ago } from '../times.js';
import { FailedMessage } from './failed-message.js';
import { inboxWords } from './inbox-words.js';
import { Question } from './question.js';
import { type Item, useDismissal } from './use-inbox.js';

/** One item, with the ways to deal with it. */
export function InboxItem({ item }: { readonly item: Item }) {
  const { title, link, createdAt } = item;
  const { text, badge } = inboxWords(item);
  const id = useId();
  return (
    <li className="card" data-stop="" tabIndex={-1} aria-labelledby={id}>
      <div className="row">
        <a id={id} href={link} className="strong">
          {title ?? 'Conversation'}
        </a>
        <span className={`badge ${badge}`}>{text}</span>
        <span className="quiet">{ago(createdAt)}</span>
        <Dismiss item={item} />
      </div>
      <Answers item={item} />
    </li>
  );
}

function Answers({ item }: { readonly item: Item }): ReactNode {
  const { kind, projectId, sessionId, interactionId, sequence } = item;
  if (sessionId === null) return null;
  const where = { projectId, sessionId };
  if (kind === 'interaction' && interactionId !== null)
    return (
      <div className="answers">
        <Request where={where} interactionId={interactionId} />
      </div>
    );
  if (kind === 'question') return <Question where={where} />;
  if (kind === 'message' && sequence !== null) return <FailedMessage where={where} sequence={sequence} />;
  return null;
}

function Dismiss({ item: { id, title } }: { readonly item: Item }) {
  const dismiss = useDismissal();
  const dismissing = useMutation({ mutationFn: () => dismiss(id) });
  return (
    <span className="end">
      <button
        type="button"
        className="small"
        aria-label={`Dismiss ${title ?? 'the conversation'}`}
        disabled={dismissing.isPending}
        onClick={() => dismissing.mutate()}
      >
        Dismiss
      </button>
      {dismissing.isError && <span role="alert"> {messageOf(dismissing.error)}</span>}
    </span>
  );
}
