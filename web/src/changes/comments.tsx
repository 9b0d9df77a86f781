import { useMutation } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { messageOf } from '../api-error.js';
import { useServices } from '../app/services.js';
import type { WholeTask } from '../tasks/use-task.js';
import { useKeyOfContent } from '../ui/use-key-of-content.js';
import type { LinePlace } from './diff-table.js';
import { type Review, reviewPrompt } from './review.js';

interface CommentFormProps {
  readonly place: LinePlace;
  readonly add: (text: string) => void;
  readonly close: () => void;
}

/** Ctrl+Enter or Cmd+Enter adds the comment, Escape drops it. */
export function CommentForm({ place: { line, quote }, add, close }: CommentFormProps) {
  const [text, setText] = useState('');
  const submit = () => {
    if (text.trim() !== '') add(text.trim());
    close();
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close();
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
  };
  return (
    <div className="card comment">
      <label htmlFor="comment">
        Comment on line {line}: <code>{quote.trim().slice(0, 80)}</code>
      </label>
      <textarea
        id="comment"
        rows={3}
        // biome-ignore lint/a11y/noAutofocus: it opens because the person asked for it
        autoFocus
        value={text}
        onKeyDown={keyDown}
        onChange={({ target }) => setText(target.value)}
      />
      <span className="buttons">
        <button type="button" className="primary small" disabled={text.trim() === ''} onClick={submit}>
          Add comment
        </button>
        <button type="button" className="small" onClick={close}>
          Cancel
        </button>
      </span>
    </div>
  );
}

/** Remarks on one file that are not sent yet. */
export function Comments({ path, review }: { readonly path: string; readonly review: Review }) {
  const own = review.comments.filter((comment) => comment.path === path);
  if (own.length === 0) return null;
  return (
    <ul className="plain" aria-label="Comments">
      {own.map(({ id, line, text }) => (
        <li key={id} className="card comment">
          <span className="quiet small-text">{line === null ? 'File' : `Line ${line}`}</span>
          <p className="plain-text">{text}</p>
          <button type="button" className="small" onClick={() => review.remove(id)}>
            Remove
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Sends all remarks to the agent as one message. */
export function SendReview({ review, task }: { readonly review: Review; readonly task: WholeTask }) {
  const { client } = useServices();
  const { comments } = review;
  const content = reviewPrompt(comments);
  const messageId = useKeyOfContent();
  const sending = useMutation({
    mutationFn: () =>
      client.call('POST /api/projects/{projectId}/sessions/{sessionId}/prompt', {
        params: { projectId: task.projectId, sessionId: task.id },
        body: { content, messageId: messageId.of(content) },
      }),
    onSuccess: () => {
      review.clear();
      messageId.forget();
    },
  });
  return (
    <div className="review" role="status">
      {comments.length > 0 && (
        <button
          type="button"
          className="primary"
          disabled={sending.isPending}
          onClick={() => sending.mutate()}
        >
          {comments.length === 1 ? 'Send 1 comment' : `Send ${comments.length} comments`} to the agent
        </button>
      )}
      {comments.length === 0 && sending.isSuccess && <p className="quiet">The comments are sent.</p>}
      {sending.isError && <p className="bad-text">{messageOf(sending.error)}</p>}
    </div>
  );
}
