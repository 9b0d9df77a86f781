import { messageOf } from '../api-error.js';
import type { ChatPlace } from '../chat/chat-place.js';
import { Failure } from '../ui/failure.js';
import { type Detail, effectOf } from './decision.js';
import { Decline, type QuestionProps } from './decline.js';
import { FormRequest } from './form-request.js';
import { useAnswer, useDetail, useRequests } from './use-requests.js';

/** What the agent asks, with the ways to answer it. */
export function Requests({ where }: { readonly where: ChatPlace }) {
  const pending = useRequests(where);
  if (pending.length === 0) return null;
  return (
    <section className="requests" aria-label="The agent asks you">
      {pending.map(({ interactionId, attentionMarkerId }) =>
        attentionMarkerId === undefined ? (
          <p key={interactionId} className="notice">
            The agent waits for the answer of the person who began this conversation.
          </p>
        ) : (
          <Request key={interactionId} where={where} interactionId={interactionId} />
        ),
      )}
    </section>
  );
}

interface RequestProps {
  readonly where: ChatPlace;
  readonly interactionId: string;
}

/** One request, with the ways to answer it. */
export function Request({ where, interactionId }: RequestProps) {
  const { data, error, refetch } = useDetail(where, interactionId);
  const answer = useAnswer(where, interactionId);
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (!data?.detail || data.summary.state !== 'pending') return null;
  return (
    <div className="notice warn request">
      <Question detail={data.detail} answer={answer} />
      {answer.isError && !('schema' in data.detail) && <p role="alert">{messageOf(answer.error)}</p>}
      <p className="quiet">
        Without an answer the agent goes on at {new Date(data.summary.deadlineAt).toLocaleTimeString()} as if
        you had declined.
      </p>
    </div>
  );
}

function Question({ detail, answer }: QuestionProps<Detail>) {
  if ('options' in detail) return <PermissionRequest detail={detail} answer={answer} />;
  if ('schema' in detail) return <FormRequest detail={detail} answer={answer} />;
  return <LinkRequest detail={detail} answer={answer} />;
}

type Permission = Extract<Detail, { readonly options: unknown }>;

function PermissionRequest({ detail: { permissionName, options }, answer }: QuestionProps<Permission>) {
  return (
    <>
      <p>
        May the agent do this? <strong>{permissionName}</strong>
      </p>
      <div className="buttons">
        {options.map(({ id, kind, name }) => (
          <button
            key={id}
            type="button"
            disabled={answer.isPending}
            onClick={() => answer.mutate({ kind: 'selected_option', optionId: id })}
          >
            <strong>{effectOf[kind]}:</strong> {name}
          </button>
        ))}
      </div>
    </>
  );
}

type Link = Extract<Detail, { readonly url: string }>;

function LinkRequest({ detail: { message, url }, answer }: QuestionProps<Link>) {
  return (
    <>
      <p>{message}</p>
      <p>
        <a href={url} target="_blank" rel="noreferrer">
          {url}
        </a>
      </p>
      <div className="buttons">
        <button type="button" disabled={answer.isPending} onClick={() => answer.mutate({ kind: 'accepted' })}>
          I have opened it
        </button>
        <Decline answer={answer} />
      </div>
    </>
  );
}
