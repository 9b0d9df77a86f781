import type { LiveServerMessage } from '../../../protocol/live.js';
import { BootLogRecord } from '../boot-log/boot-log.js';
import { Session } from '../sessions/session.js';
import { Workspace } from '../workspaces/workspace.js';
import { workspaceTopic } from './topic.js';

type Item = Readonly<Record<string, unknown>>;

/** The state of a workspace as subscribers are told it; built field by field, so that no secret can slip in. */
export function statusMessage(workspace: Workspace): LiveServerMessage {
  const { workspaceId, status, errorMessage, version } = workspace;
  return {
    type: 'workspace.status',
    topic: workspaceTopic(workspaceId),
    version,
    data: { workspaceId, status, errorMessage },
  };
}

/** What subscribers are told of a change of the table; nothing for most. */
export function messageOf(before: Item | undefined, after: Item | undefined): LiveServerMessage | undefined {
  if (after?.entity === 'workspace' && before?.version !== after.version) {
    return statusMessage(Workspace.parse(after));
  }
  if (after?.entity === 'boot-log' && before === undefined) {
    const { workspaceId, entryId, generation, entry } = BootLogRecord.parse(after);
    return {
      type: 'workspace.boot_log',
      topic: workspaceTopic(workspaceId),
      data: { workspaceId, entryId, generation, entry },
    };
  }
  return undefined;
}

/** The session that has ended by this change: signed out, or expired. */
export function endedSession(before: Item | undefined, after: Item | undefined): Session | undefined {
  if (before?.entity !== 'session' || after !== undefined) return undefined;
  return Session.parse(before);
}
