import * as z from 'zod/mini';
import { AgentType, CallerId, type hostStatuses } from './agent-sessions.js';
import { AnswerInteractionFrame, type InteractionServerFrame } from './interaction-frames.js';

/**
 * Frames of `/agent/ws?token=&sessionId=`, all JSON text. Control frames have a `type`; the others
 * are JSON-RPC 2.0 as in ACP. On attach a viewer gets `session_state`, the buffered frames,
 * `session_replay_complete` and a second `session_state`. Both sides ignore unknown frames.
 */

export type AgentServerFrame =
  | {
      readonly type: 'session_state';
      readonly status: (typeof hostStatuses)[number];
      readonly agentType?: AgentType;
      readonly error?: string;
      /** Number of buffered frames that follow; 0 after the replay. */
      readonly replayCount: number;
      /** Number of frames that the buffer has evicted. */
      readonly lostCount?: number;
    }
  | { readonly type: 'session_replay_complete' }
  | { readonly type: 'session_prompting'; readonly promptStartedAt: number }
  | { readonly type: 'session_prompt_done'; readonly stopReason: string }
  | {
      readonly type: 'agent_status';
      readonly status: AgentStatus;
      readonly agentType: AgentType;
      readonly error?: string;
    }
  | {
      readonly type: 'agent_retry';
      readonly attempt: number;
      readonly maxRetries: number;
      readonly delayMs: number;
      readonly reason: string;
    }
  | {
      readonly type: 'agent_crash_report';
      readonly agentType: AgentType;
      readonly recovered: boolean;
      readonly message: string;
      /** Redacted end of the standard error of the harness. */
      readonly stderr?: string;
      readonly stderrTruncated: boolean;
      readonly timestamp: string;
    }
  /** A statement of the node agent about the session. The chat has it as a `system` message. */
  | { readonly type: 'agent_notice'; readonly code: string; readonly message: string }
  | { readonly type: 'pong' }
  | InteractionServerFrame
  | JsonRpcNotification
  | JsonRpcResponse;

const agentStatuses = ['starting', 'installing', 'error', 'restarting', 'recovering', 'recovered'] as const;
export type AgentStatus = (typeof agentStatuses)[number];

/** `session/update` with an ACP notification; `permission/request` for information. */
interface JsonRpcNotification {
  readonly jsonrpc: '2.0';
  readonly method: 'session/update' | 'permission/request';
  readonly params: unknown;
}
export interface JsonRpcResponse {
  readonly jsonrpc: '2.0';
  readonly id: string | number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

export const jsonRpcErrors = { busy: -32_603, cancelled: -32_800, invalid: -32_602 } as const;

const TextBlock = z.object({ type: z.literal('text'), text: z.string().check(z.minLength(1)) });
export const AgentClientFrame = z.union([
  z.object({ type: z.literal('select_agent'), agentType: AgentType }),
  z.object({ type: z.literal('ping') }),
  AnswerInteractionFrame,
  z.object({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string().check(z.maxLength(128)), z.int()]),
    method: z.literal('session/prompt'),
    params: z.object({
      prompt: z.array(TextBlock).check(z.minLength(1), z.maxLength(64)),
      messageId: z.optional(CallerId),
    }),
  }),
  z.object({ jsonrpc: z.literal('2.0'), method: z.literal('session/cancel') }),
]);
export type AgentClientFrame = z.infer<typeof AgentClientFrame>;

/** After 1000 and 1008 a client must not reconnect; after the others it may. */
export const agentCloseCodes = {
  goingAway: 1001,
  notRunning: 1008,
  tooBig: 1009,
  tooSlow: 1013,
} as const;

/** Frames of a viewer. */
export const agentFrameLimits = {
  /** The longest prompt with JSON escapes. */
  maxMessageBytes: 2_097_152,
  messagesPerSecond: 30,
  messageBurst: 60,
} as const;
