import type { LiveServerMessage } from '../../protocol/live.js';
import type { BootLogLine, Workspace } from './records.js';

/** State of one workspace, merged from responses and live messages in any order of arrival. */
export interface WorkspaceState {
  readonly workspace: Workspace | null;
  /** Of the current generation, in the node's order. */
  readonly bootLog: readonly BootLogLine[];
  readonly generation: number;
}

export const nothingKnown: WorkspaceState = { workspace: null, bootLog: [], generation: 0 };

/** An answer that is older than what is known changes nothing. */
export function withWorkspace(state: WorkspaceState, workspace: Workspace): WorkspaceState {
  if (state.workspace && state.workspace.version > workspace.version) return state;
  return { ...inGeneration(state, workspace.generation), workspace };
}

export function withBootLog(state: WorkspaceState, lines: readonly BootLogLine[]): WorkspaceState {
  return { ...state, bootLog: merge(state.bootLog, lines) };
}

export function withMessage(state: WorkspaceState, message: LiveServerMessage): WorkspaceState {
  if (message.type === 'workspace.boot_log') {
    const { generation, entryId, entry } = message.data;
    if (generation < state.generation) return state;
    return withBootLog(inGeneration(state, generation), [{ ...entry, entryId }]);
  }
  if (message.type !== 'workspace.status' || !state.workspace) return state;
  const { version, data } = message;
  if (version <= state.workspace.version) return state;
  const { status, errorMessage, admissionReason = null, admissionQueuePosition = null } = data;
  const changed = { version, status, errorMessage, admissionReason, admissionQueuePosition };
  return { ...state, workspace: { ...state.workspace, ...changed } };
}

/** A later life has a log of its own. */
function inGeneration(state: WorkspaceState, generation: number): WorkspaceState {
  return generation > state.generation
    ? { ...state, generation, bootLog: state.generation === 0 ? state.bootLog : [] }
    : state;
}

/** Each entry once. The ids are ULIDs: their order is the order of making. */
function merge(known: readonly BootLogLine[], added: readonly BootLogLine[]): readonly BootLogLine[] {
  const byId = new Map([...known, ...added].map((line) => [line.entryId, line]));
  return [...byId.values()].sort((a, b) => (a.entryId < b.entryId ? -1 : 1));
}
