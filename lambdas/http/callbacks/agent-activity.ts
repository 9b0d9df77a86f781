// POST /api/projects/{projectId}/acp-sessions/{sessionId}/activity
import { loadTellingSession } from '../../domain/agent-sessions/load-telling-session.js';
import type { Chat } from '../../domain/chats/chat.js';
import { recordActivity } from '../../domain/chats/record-activity.js';
import { ring } from '../../domain/prompts/bell.js';
import { noteActivity } from '../../domain/tasks/note-activity.js';
import { agentCallbackRoute } from '../../edge/agent-callback-route.js';
import { bells } from '../../edge/bells.js';
import { endParts } from '../tasks/end-parts.js';
import { agentActivity } from './contract.js';

export const handler = agentCallbackRoute(agentActivity, async (call) => {
  const { params, body, workspaceId, nodeId, generation, table, now, newId, log } = call;
  const { projectId, sessionId } = params;
  const teller = { workspaceId, nodeId, generation, projectId, agentSessionId: sessionId };
  const seen = await loadTellingSession(table, teller);
  const chat = await recordActivity(table, seen.chat, { report: body, now });
  const { chatId } = chat;
  if (hasWork(chat))
    await ring(bells, { chatId, ringId: newId() }).catch((error: unknown) => {
      log.error('Bell not rung', { chatId, error });
    });
  if (seen.task) await noteActivity({ table, ...endParts, log }, { task: seen.task, chat, now });
  return { status: 204 };
});

/** As it stands after the report: what was taken on a moment before may have found the agent still at work. */
function hasWork({ activity, queuedPrompts, shutdownId, ...chat }: Chat): boolean {
  const { unconfirmedId, unconfirmedRestarts } = chat;
  if (activity?.activity === 'idle' && (queuedPrompts > 0 || shutdownId !== undefined)) return true;
  // An agent that ended may have ended before it had its prompt.
  const isBroken = activity?.activity === 'error' || activity?.restartCount !== unconfirmedRestarts;
  return unconfirmedId !== undefined && isBroken && activity?.activity !== 'recovering';
}
