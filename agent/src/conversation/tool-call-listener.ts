import type { SessionNotification } from '@agentclientprotocol/sdk';
import type { SessionKey } from '../agent-sessions/session-record.js';

/** Takes the times of tool calls. */
export interface ToolCallListener {
  /** Any update; only those of tool calls count. */
  update(session: SessionKey, notification: SessionNotification): void;
  turnEnded(session: SessionKey): void;
}
