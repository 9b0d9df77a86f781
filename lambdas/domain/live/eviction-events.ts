import type { LiveEvent } from '../../../protocol/live.js';
import type { Workspace } from '../workspaces/workspace.js';
import { workspaceTopic } from './topic.js';

/** Once for each eviction, and not for a failed wake that leads back to it. */
export function evictionEvents(before: Workspace | undefined, after: Workspace): readonly LiveEvent[] {
  const { workspaceId, eviction, endedBecause, version } = after;
  if (!eviction || before?.eviction?.at === eviction.at) return [];
  const { reason, at } = eviction;
  const data = { workspaceId, reason, text: endedBecause?.text ?? '', at };
  return [{ type: 'workspace.evicted', topic: workspaceTopic(workspaceId), version, data }];
}
