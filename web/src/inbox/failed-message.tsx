import { useQuery } from '@tanstack/react-query';
import { useServices } from '../app/services.js';
import type { ChatPlace } from '../chat/chat-place.js';
import { SendAgain } from '../chat/send-again.js';
import { Failure } from '../ui/failure.js';

interface FailedMessageProps {
  readonly where: ChatPlace;
  readonly sequence: number;
}

/** The message itself, which can be sent again. */
export function FailedMessage({ where, sequence }: FailedMessageProps) {
  const { client } = useServices();
  const page = useQuery({
    queryKey: ['message', where.sessionId, sequence],
    queryFn: ({ signal }) =>
      client.call('GET /api/projects/{projectId}/sessions/{sessionId}/messages', {
        params: where,
        query: { after: String(sequence - 1), limit: 1 },
        signal,
      }),
  });
  if (page.isError) return <Failure error={page.error} retry={() => void page.refetch()} />;
  const content = page.data?.messages[0]?.content;
  if (!content) return null;
  return (
    <div className="answers">
      <p className="plain-text quiet">{content.length > shown ? `${content.slice(0, shown)} …` : content}</p>
      <SendAgain content={content} where={where} />
    </div>
  );
}

/** The whole message is in its chat. */
const shown = 400;
