import type { ResourceHistoryUpload } from '../../../protocol/resource-history.js';
import type { Table } from '../../shared/table.js';
import type { AgentSession } from '../agent-sessions/agent-session.js';
import { listSessions } from '../agent-sessions/find-sessions.js';
import type { Item } from '../records/batch-items.js';
import { Task } from '../tasks/task.js';
import { workspaceNotFound } from '../workspaces/errors.js';
import { requireGeneration } from '../workspaces/find-workspace.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { ChunkName, StoredChunk } from './chunk.js';
import { chunkNotOwn } from './errors.js';
import { AgentOfChunk } from './summary.js';

/** The workspace generation that the token names, and the project in the path. */
export interface ChunkReporter {
  readonly workspaceId: string;
  readonly nodeId: string;
  readonly generation: number;
  readonly projectId: string;
}

export interface OwnedChunk extends Pick<StoredChunk, 'sessionId' | 'taskId' | 'nodeId' | 'reservation'> {
  readonly name: ChunkName;
  readonly agent: AgentOfChunk;
}

/**
 * The owner of a chunk, from the rows of its workspace: the upload cannot name a session, task,
 * node or agent of another one. One table call.
 *
 * @throws {chunkNotOwn}
 * @throws {workspaceNotFound} also when the workspace belongs to another project
 * @throws {StaleGeneration}
 */
export async function identifyChunk(
  table: Table,
  reporter: ChunkReporter,
  upload: ResourceHistoryUpload,
): Promise<OwnedChunk> {
  const { workspaceId, projectId, nodeId } = reporter;
  requireReporter(upload, reporter);
  const { workspace: found, sessions } = await listSessions(table, workspaceId);
  const workspace = requireGeneration(found, reporter);
  if (workspace.projectId !== projectId) throw workspaceNotFound();

  const session = sessionOf(upload, sessions, projectId);
  const chatId = session?.chatId ?? null;
  // A task has the id of its chat.
  const taskId = chatId !== null && chatId === workspace.taskId ? chatId : null;
  if (upload.taskId && upload.taskId !== taskId) throw chunkNotOwn('taskId');
  const { sourceVersion, chunkSequence } = upload;
  return {
    name: { projectId, workspaceId, ...scopeOf(upload, chatId), sourceVersion, chunkSequence },
    ...{ sessionId: chatId, taskId, nodeId },
    reservation: reservationOf(workspace),
    agent: AgentOfChunk.parse(session ?? {}),
  };
}

/** @throws {chunkNotOwn} the upload is of another workspace or node than the token */
function requireReporter(upload: ResourceHistoryUpload, { workspaceId, nodeId }: ChunkReporter): void {
  if (upload.workspaceId !== workspaceId) throw chunkNotOwn('workspaceId');
  if (upload.nodeId && upload.nodeId !== nodeId) throw chunkNotOwn('nodeId');
}

function reservationOf({ resolvedReservation }: Workspace): StoredChunk['reservation'] {
  if (!resolvedReservation) return null;
  const { cpuMillis, memoryMb } = resolvedReservation;
  return { cpuMillis, memoryMb };
}

/** The profile and skill of a task are on its row, those of a person's session on the session's. */
export function agentOf({ agent }: OwnedChunk, item: Item | undefined): AgentOfChunk {
  if (!item) return agent;
  const { agentProfileId, skillId } = Task.parse(item);
  return { ...agent, agentProfileId, skillId };
}

/**
 * The newest agent session of the chat that the upload names.
 *
 * @throws {chunkNotOwn} the chat never ran in the workspace
 */
function sessionOf(
  { sessionId, taskId }: Pick<ResourceHistoryUpload, 'sessionId' | 'taskId'>,
  sessions: readonly AgentSession[],
  projectId: string,
): AgentSession | undefined {
  const chatId = sessionId ?? taskId;
  if (!chatId) return undefined;
  const session = sessions.find((one) => one.chatId === chatId && one.projectId === projectId);
  if (!session) throw chunkNotOwn(sessionId ? 'sessionId' : 'taskId');
  return session;
}

function scopeOf(
  { workspaceId, sessionId }: Pick<ResourceHistoryUpload, 'workspaceId' | 'sessionId'>,
  chatId: string | null,
): Pick<ChunkName, 'scope' | 'scopeId'> {
  if (chatId === null) return { scope: 'workspace', scopeId: workspaceId };
  return { scope: sessionId ? 'session' : 'task', scopeId: chatId };
}
