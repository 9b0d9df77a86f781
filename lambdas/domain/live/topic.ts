/** The kind of record that a topic is about. */
export type TopicKind = 'workspace' | 'project' | 'chat' | 'user';

export const workspaceTopic = (workspaceId: string): string => `workspace:${workspaceId}`;
export const projectTopic = (projectId: string): string => `project:${projectId}`;
export const chatTopic = (chatId: string): string => `chat:${chatId}`;
export const userTopic = (userId: string): string => `user:${userId}`;

/** Splits a topic into kind and id. */
export function readTopic(topic: string): { readonly kind: TopicKind; readonly id: string } {
  const [kind = '', id = ''] = topic.split(':');
  // The protocol's schema has let through no other.
  return { kind: kind as TopicKind, id };
}
