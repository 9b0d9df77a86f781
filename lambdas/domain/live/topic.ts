/** What a client subscribes to: everything about one record. */
export type TopicKind = 'workspace' | 'project' | 'chat';

export const workspaceTopic = (workspaceId: string): string => `workspace:${workspaceId}`;
export const projectTopic = (projectId: string): string => `project:${projectId}`;
export const chatTopic = (chatId: string): string => `chat:${chatId}`;

/** A topic of the protocol, taken apart. */
export function readTopic(topic: string): { readonly kind: TopicKind; readonly id: string } {
  const [kind = '', id = ''] = topic.split(':');
  // The protocol's schema has let through no other.
  return { kind: kind as TopicKind, id };
}
