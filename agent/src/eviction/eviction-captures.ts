import { ulid } from 'ulid';
import type { CapturedState, Captures } from '../snapshots/captures.js';
import type { WorkspaceCapture } from '../snapshots/workspace-capture.js';
import type { NewEviction } from './delivery-store.js';
import type { EvictionTarget } from './eviction-target.js';

interface CaptureWith {
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** Reads the files; undefined: in the workspace itself. */
  readonly capture?: WorkspaceCapture;
}

/** @throws unless the control plane has verified the objects by the deadline */
export function captureToEvict(
  captures: Pick<Captures, 'toEvict'>,
  { workspace, session, reason }: EvictionTarget,
  { deadline, capture }: CaptureWith,
): Promise<CapturedState> {
  const { workspaceId, evictionGeneration } = workspace;
  const { sessionId, chatSessionId } = session;
  const eviction = evictionGeneration === '' ? { reason } : { reason, evictionGeneration };
  const timeoutMs = Math.max(1, deadline - Date.now());
  const names = { workspaceId, sessionId, chatSessionId, operationId: ulid() };
  return captures.toEvict({ ...names, eviction, timeoutMs, capture });
}

/** What the fence and the report of a captured target say. */
export function evictionOf(
  { session, containerId, reason, cause }: EvictionTarget,
  state: Pick<NewEviction, 'isStopped' | 'isWorkInFlight'>,
): NewEviction {
  return { projectId: session.projectId, containerId, reason, cause, ...state };
}
