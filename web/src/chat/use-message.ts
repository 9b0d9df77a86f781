import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useServices } from '../app/services.js';
import type { ChatPlace } from './chat-place.js';
import { useDraft } from './use-draft.js';

type MessageClass = 'deliver' | 'interrupt';

/** A message that is being written, and how it is sent. */
export function useMessage(where: ChatPlace) {
  const { client } = useServices();
  const [text, setText] = useDraft(where.sessionId);
  // One id a text: a repeat after a lost answer sends no second message.
  const [messageId, setMessageId] = useState(newMessageId);
  const write = (next: string) => {
    setText(next);
    setMessageId(newMessageId());
  };
  const sending = useMutation({
    mutationFn: (messageClass: MessageClass) =>
      client.call('POST /api/projects/{projectId}/sessions/{sessionId}/prompt', {
        params: where,
        body: { content: text, messageId, messageClass },
      }),
    onSuccess: () => write(''),
  });
  const send = (messageClass: MessageClass) => {
    if (text.trim() !== '' && !sending.isPending) sending.mutate(messageClass);
  };
  return { text, write, sending, send };
}

const newMessageId = (): string => crypto.randomUUID();
