import * as z from 'zod/mini';
import { chatKey } from '../../chats/chat.js';
import { chatNotFound } from '../../chats/errors.js';
import { allow } from '../../policy/allow.js';
import { getItems } from '../../records/batch-items.js';
import type { Key } from '../../records/changes.js';
import { type HistoryScope, keysOfHistory, readHistory } from '../../resource-history/read-history.js';
import { TaskNotFound } from '../../tasks/errors.js';
import { taskKey } from '../../tasks/task.js';
import { workspaceNotFound } from '../../workspaces/errors.js';
import { workspaceKey } from '../../workspaces/workspace.js';
import { idOf } from '../arguments.js';
import { tool } from '../tool.js';

/** A record whose history is asked for. */
interface Subject {
  readonly key: Key;
  readonly scopeId: string;
  readonly of: HistoryScope['of'];
  readonly missing: () => Error;
}

interface Named {
  readonly sessionId?: string | undefined;
  readonly taskId?: string | undefined;
  readonly workspaceId?: string | undefined;
}

function subjectOf({ sessionId, taskId, workspaceId }: Named, projectId: string, own: string): Subject {
  if (taskId) {
    const missing = () => new TaskNotFound();
    return { key: taskKey(projectId, taskId), scopeId: taskId, of: 'conversation', missing };
  }
  if (workspaceId)
    return {
      ...{ key: workspaceKey(workspaceId), scopeId: workspaceId, of: 'workspace' },
      missing: workspaceNotFound,
    };
  const chatId = sessionId ?? own;
  return { key: chatKey(chatId), scopeId: chatId, of: 'conversation', missing: chatNotFound };
}

const isOfOne = ({ sessionId, taskId, workspaceId }: Named): boolean =>
  [sessionId, taskId, workspaceId].filter(Boolean).length <= 1;

export const getResourceHistory = tool({
  name: 'get_resource_history',
  description:
    'Return what a workspace used: summary (means, peaks, totals of CPU, memory, input and output, killed processes) and the newest 24 chunks of 15 minutes. Without arguments, returns the history of your own session; sessionId, taskId or workspaceId selects another one of the project. chunkId adds detail: samples and tool calls of that chunk. Call it when commands are slow or were killed. Example: {"taskId": "01J…"}. Changes nothing.',
  policy: { equals: ['resourceHistory.read'] },
  isReadOnly: true,
  args: z
    .strictObject({
      sessionId: z.optional(idOf('Id of a session of the project.')),
      taskId: z.optional(idOf('Id of a task of the project.')),
      workspaceId: z.optional(idOf('Id of a workspace of the project.')),
      chunkId: z.optional(
        z.string().check(z.minLength(1), z.maxLength(256), z.describe('Id of one of its chunks.')),
      ),
    })
    .check(z.refine(isOfOne, { error: 'Give at most one of sessionId, taskId and workspaceId' })),
  handle: async ({ chunkId, ...named }, { caller, table, historyObjects, now }) => {
    const { projectId } = allow('resourceHistory.read', caller, caller.project);
    const { key, missing, ...of } = subjectOf(named, projectId, caller.token.chatSessionId);
    const scope = { projectId, ...of };
    const find = await getItems(table, [key, ...keysOfHistory(scope, chunkId)]);
    if (find(key)?.projectId !== projectId) throw missing();
    return readHistory(table, { scope, chunkId, find, objects: historyObjects, now });
  },
});
