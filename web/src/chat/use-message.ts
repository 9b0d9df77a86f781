import { useMutation } from '@tanstack/react-query';
import { useServices } from '../app/services.js';
import { useKeyOfContent } from '../ui/use-key-of-content.js';
import type { ChatPlace } from './chat-place.js';
import { useDraft } from './use-draft.js';

type MessageClass = 'deliver' | 'interrupt';

/** A message that is being written, and how it is sent. */
export function useMessage(where: ChatPlace) {
  const { client } = useServices();
  const [text, setText] = useDraft(where.sessionId);
  const messageId = useKeyOfContent();
  const sending = useMutation({
    mutationFn: (messageClass: MessageClass) =>
      client.call('POST /api/projects/{projectId}/sessions/{sessionId}/prompt', {
        params: where,
        body: { content: text, messageId: messageId.of(text), messageClass },
      }),
    onSuccess: () => {
      messageId.forget();
      setText('');
    },
  });
  const send = (messageClass: MessageClass) => {
    if (text.trim() !== '' && !sending.isPending) sending.mutate(messageClass);
  };
  return { text, write: setText, sending, send };
}
