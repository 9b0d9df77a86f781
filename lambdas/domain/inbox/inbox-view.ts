import type * as z from 'zod/mini';
import type { InboxEntry } from '../../../protocol/live.js';
import type { InboxItem } from './inbox-item.js';

/** An item as its person sees it. */
export function inboxView(item: InboxItem): z.infer<typeof InboxEntry> {
  const { itemId: id, kind, reason, title, projectId, taskId, workspaceId, createdAt } = item;
  const { chatId: sessionId, interactionId, sequence } = item;
  const ids = { projectId, sessionId, taskId, workspaceId, interactionId, sequence };
  return { id, kind, reason, title, ...ids, link: linkTo(item), createdAt };
}

/** The page of the console. A chat without a task is shown in its workspace. */
function linkTo({ kind, projectId, taskId, workspaceId }: InboxItem): string {
  if (kind === 'ownership') return `/projects/${projectId}/members`;
  if (taskId !== null) return `/projects/${projectId}/tasks/${taskId}`;
  return workspaceId === null ? `/projects/${projectId}` : `/workspaces/${workspaceId}`;
}
