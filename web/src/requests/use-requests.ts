import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useServices } from '../app/services.js';
import type { ChatPlace } from '../chat/chat-place.js';
import { useTopic } from '../live/use-topic.js';
import { useChange } from '../ui/use-change.js';
import { answerHash, type Decision } from './decision.js';

const listKey = (sessionId: string) => ['interactions', sessionId];

/** What the agent of a chat asks its person, until it is answered or has ended. */
export function useRequests({ projectId, sessionId }: ChatPlace) {
  const { client } = useServices();
  const queries = useQueryClient();
  const list = useQuery({
    queryKey: listKey(sessionId),
    queryFn: ({ signal }) =>
      client.call('GET /api/projects/{projectId}/sessions/{sessionId}/interactions', {
        params: { projectId, sessionId },
        signal,
      }),
  });
  useTopic(`chat:${sessionId}`, (message) => {
    if (message === undefined || message.type === 'interaction.updated')
      void queries.invalidateQueries({ queryKey: listKey(sessionId) });
  });
  return list.data?.pending ?? [];
}

/** The request itself, which only the person who began the conversation can read. */
export function useDetail({ projectId, sessionId }: ChatPlace, interactionId: string) {
  const { client } = useServices();
  return useQuery({
    queryKey: ['interaction', interactionId],
    gcTime: 0,
    queryFn: ({ signal }) =>
      client.call('GET /api/projects/{projectId}/sessions/{sessionId}/interactions/{interactionId}', {
        params: { projectId, sessionId, interactionId },
        signal,
      }),
  });
}

/** A repeat of the same decision is the same answer. */
export function useAnswer({ projectId, sessionId }: ChatPlace, interactionId: string) {
  const { client } = useServices();
  const [answerKey] = useState(() => crypto.randomUUID());
  const queries = useQueryClient();
  return useChange(listKey(sessionId), async (decision: Decision) => {
    const answer = await client.call(
      'POST /api/projects/{projectId}/sessions/{sessionId}/interactions/{interactionId}/answer',
      {
        params: { projectId, sessionId, interactionId },
        body: { answerKey, decision: { ...decision, answerHash: await answerHash(decision) } },
      },
    );
    void queries.invalidateQueries({ queryKey: ['interaction', interactionId] });
    return answer;
  });
}
