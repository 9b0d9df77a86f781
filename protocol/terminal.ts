import * as z from 'zod/mini';

/**
 * Frames of `/terminal/ws/multi` (and, for one session, `/terminal/ws`).
 *
 * Text frames carry JSON control messages. Binary frames carry terminal bytes in both directions:
 *
 *     byte 0      kind: 0x01 output (to the client), 0x02 input (to the node)
 *     byte 1      n, the length of the session id in bytes
 *     2 … 2+n     session id, ASCII
 *     output only: 8 bytes, big-endian: absolute offset of the first byte that follows
 *     the rest    terminal bytes
 *
 * Offsets count every byte the session's PTY has ever written. A client that reconnects sends
 * `reattach_session` with `offset` = how far it got; it receives exactly the bytes from there on,
 * or, when the ring no longer holds them, `session_reattached` with `lost` > 0 and the bytes from
 * the oldest one held.
 *
 * Flow control: the client acknowledges with `ack` how far it has processed; a session pauses its
 * PTY while more than `highWaterBytes` are unacknowledged, and resumes below `lowWaterBytes`. A
 * client that sends no `ack` for a second after its first output is bounded by its socket's buffer
 * instead. Where several clients watch one session and one keeps the others waiting for a second,
 * the session goes on without it; what leaves the ring before it has caught up is reported by a
 * `session_reattached` of its own, with `lost` > 0 and the offset at which its output goes on.
 */
export const terminalFrame = { output: 0x01, input: 0x02 } as const;
export const highWaterBytes = 160_000;
export const lowWaterBytes = 128_000;

export const terminalLimits = {
  maxMessageBytes: 65_536,
  /** Above this rate the node reads the socket slower; it closes none for it. */
  messagesPerSecond: 250,
  messageBurst: 500,
  sessionIdMaxLength: 128,
  maxSessionsPerWorkspace: 20,
  ringBytes: 262_144,
  pingIntervalMs: 30_000,
  readTimeoutMs: 90_000,
  maxRows: 500,
  maxCols: 500,
  defaultRows: 24,
  defaultCols: 80,
} as const;

/**
 * Close codes: 1008 policy (`session ended`), 1009 message too big, 1001
 * node shuts down.
 */
export const terminalCloseCodes = { goingAway: 1001, policy: 1008, tooBig: 1009 } as const;

const TerminalSessionId = z.string().check(z.regex(/^[A-Za-z0-9._:-]{1,128}$/));
const size = { rows: z.optional(z.number()), cols: z.optional(z.number()) };
const name = z.string().check(z.maxLength(100));

export const TerminalClientMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('list_sessions') }),
  z.object({
    type: z.literal('create_session'),
    sessionId: TerminalSessionId,
    /**
     * `worktree`: path of one of the workspace's working trees, to begin there instead of in the
     * repository.
     */
    data: z.optional(
      z.object({
        ...size,
        name: z.optional(name),
        worktree: z.optional(z.string().check(z.minLength(1), z.maxLength(4_096))),
      }),
    ),
  }),
  z.object({
    type: z.literal('reattach_session'),
    sessionId: TerminalSessionId,
    /** Without `offset`: everything the ring still holds. */
    data: z.optional(z.object({ ...size, offset: z.optional(z.int().check(z.gte(0))) })),
  }),
  z.object({ type: z.literal('close_session'), sessionId: TerminalSessionId }),
  z.object({ type: z.literal('rename_session'), sessionId: TerminalSessionId, data: z.object({ name }) }),
  z.object({ type: z.literal('input'), sessionId: TerminalSessionId, data: z.object({ data: z.string() }) }),
  z.object({ type: z.literal('resize'), sessionId: TerminalSessionId, data: z.object(size) }),
  z.object({ type: z.literal('ack'), sessionId: TerminalSessionId, data: z.object({ offset: z.int() }) }),
  z.object({ type: z.literal('ping') }),
]);
export type TerminalClientMessage = z.infer<typeof TerminalClientMessage>;

export interface TerminalSessionSummary {
  readonly sessionId: string;
  readonly name: string | null;
  readonly status: 'running' | 'exited';
  readonly workingDirectory: string;
  readonly createdAt: string;
  readonly lastActivityAt: string;
  readonly exitCode: number | null;
  readonly signal: number | null;
}

export type TerminalServerMessage =
  | { readonly type: 'session_list'; readonly data: { readonly sessions: readonly TerminalSessionSummary[] } }
  | {
      readonly type: 'session_created';
      readonly sessionId: string;
      readonly data: { readonly workingDirectory: string };
    }
  | {
      readonly type: 'session_reattached';
      readonly sessionId: string;
      /** The bytes follow as output frames from `offset` on; `lost` bytes before it are gone. */
      readonly data: { readonly workingDirectory: string; readonly offset: number; readonly lost: number };
    }
  | {
      readonly type: 'session_closed';
      readonly sessionId: string;
      readonly data: {
        readonly reason: 'user_requested' | 'process_exit' | 'error';
        readonly exitCode: number | null;
        readonly signal: number | null;
      };
    }
  | { readonly type: 'session_renamed'; readonly sessionId: string; readonly data: { readonly name: string } }
  | { readonly type: 'error'; readonly sessionId?: string; readonly data: { readonly error: string } }
  | { readonly type: 'pong' };
