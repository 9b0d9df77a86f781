import { useMutation } from '@tanstack/react-query';
import { messageOf } from '../api-error.js';
import { useServices } from '../app/services.js';
import type { ChatPlace } from './chat-place.js';

/** Sends a text as a new message, once a press. */
export function SendAgain({ content, where }: { readonly content: string; readonly where: ChatPlace }) {
  const { client } = useServices();
  const sending = useMutation({
    mutationFn: () =>
      client.call('POST /api/projects/{projectId}/sessions/{sessionId}/prompt', {
        params: where,
        body: { content },
      }),
  });
  if (sending.isSuccess) return <span>Sent again.</span>;
  return (
    <>
      <button type="button" className="small" disabled={sending.isPending} onClick={() => sending.mutate()}>
        Send again
      </button>
      {sending.isError && <span role="alert"> {messageOf(sending.error)}</span>}
    </>
  );
}
