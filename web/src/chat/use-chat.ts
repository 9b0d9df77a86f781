import { useMemo, useSyncExternalStore } from 'react';
import { useServices } from '../app/services.js';
import { ChatFeed, type ChatView } from './chat-feed.js';

export interface OpenChat extends ChatView {
  readonly feed: ChatFeed;
}

export function useChat(projectId: string, sessionId: string): OpenChat {
  const { client, surroundings } = useServices();
  const feed = useMemo(
    () => new ChatFeed(client, surroundings.live, { projectId, sessionId }),
    [client, surroundings, projectId, sessionId],
  );
  return { feed, ...useSyncExternalStore(feed.subscribe, feed.snapshot) };
}
