import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { useServices } from '../app/services.js';
import { ChatFeed, type ChatView } from './chat-feed.js';
import { loadMarkdown } from './message-text.js';

export interface OpenChat extends ChatView {
  readonly feed: ChatFeed;
}

/** Reads the newest messages of a chat, and loads what shows them, before the chat is shown. */
export function useChatFeed(projectId: string, sessionId: string): ChatFeed {
  const { client, surroundings } = useServices();
  const feed = useMemo(
    () => new ChatFeed(client, surroundings.live, { projectId, sessionId }),
    [client, surroundings, projectId, sessionId],
  );
  useEffect(() => {
    feed.open();
    loadMarkdown().catch(() => undefined);
  }, [feed]);
  return feed;
}

/** Follows a chat while it is shown. */
export const useChat = (feed: ChatFeed): OpenChat => ({
  feed,
  ...useSyncExternalStore(feed.subscribe, feed.snapshot),
});
