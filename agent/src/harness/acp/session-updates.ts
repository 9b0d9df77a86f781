import type { SessionNotification } from '@agentclientprotocol/sdk';
import * as z from 'zod/mini';
import type { Log } from '../../shared/log.js';
import type { HarnessListener } from '../harness.js';

/** Limit of buffered updates before the session is open. */
const maxEarly = 64;

/**
 * Passes the updates of the open session to the listener. Counts the conversation that a harness
 * replays during a load, as proof that it has the session. Buffers other updates, such as modes and
 * commands, until the session is open.
 */
export class SessionUpdates {
  private acpSessionId: string | null = null;
  private readonly repeated = new Map<string, number>();
  private readonly early: SessionNotification[] = [];

  constructor(
    private readonly listener: Pick<HarnessListener, 'onUpdate'>,
    private readonly log: Log,
  ) {}

  /** Delivers the buffered updates of this session, then each new one. */
  async open(acpSessionId: string): Promise<void> {
    for (let next = this.early.shift(); next; next = this.early.shift())
      if (next.sessionId === acpSessionId) await this.deliver(next);
    this.acpSessionId = acpSessionId;
  }

  /** Number of replayed updates of a session. */
  repeatedOf(acpSessionId: string): number {
    return this.repeated.get(acpSessionId) ?? 0;
  }

  /** Never throws: an error of the listener must not end the harness. */
  take(params: unknown): void | Promise<void> {
    const notification = readUpdate(params);
    if (!notification) {
      this.log.warn('Harness sent an invalid update');
      return;
    }
    if (this.acpSessionId === null) this.hold(notification);
    else if (notification.sessionId === this.acpSessionId) return this.deliver(notification);
  }

  private deliver(notification: SessionNotification): void | Promise<void> {
    try {
      const handled = this.listener.onUpdate(notification);
      return handled ? handled.catch(this.failed) : undefined;
    } catch (error) {
      this.failed(error);
    }
  }

  private readonly failed = (error: unknown): void => {
    this.log.error('Could not handle an update of the harness', { error });
  };

  private hold(notification: SessionNotification): void {
    if (!isConversation(notification)) {
      if (this.early.length < maxEarly) this.early.push(notification);
      return;
    }
    this.repeated.set(notification.sessionId, this.repeatedOf(notification.sessionId) + 1);
  }
}

const Content = z.looseObject({ type: z.string() });
const ToolCall = z.looseObject({ toolCallId: z.string() });
const Update = z.looseObject({ sessionUpdate: z.string() });

/** Checked shapes of update types. Other types pass unchecked. */
const shapes: Readonly<Record<string, z.ZodMiniType>> = {
  user_message_chunk: z.looseObject({ content: Content }),
  agent_message_chunk: z.looseObject({ content: Content }),
  agent_thought_chunk: z.looseObject({ content: Content }),
  tool_call: ToolCall,
  tool_call_update: ToolCall,
  plan: z.looseObject({ entries: z.array(z.looseObject({ content: z.string() })) }),
};
const Notification = z.looseObject({ sessionId: z.string(), update: Update });

/** Update types that are part of the conversation. */
const conversational = new Set(Object.keys(shapes));

/** Checks the shape that listeners rely on. Returns the parameters, or null when invalid. */
export function readUpdate(params: unknown): SessionNotification | null {
  if (isPieceOfText(params)) return params;
  const parsed = Notification.safeParse(params);
  if (!parsed.success) return null;
  const { update } = parsed.data;
  if (shapes[update.sessionUpdate]?.safeParse(update).success === false) return null;
  // The shape is checked above.
  return params as SessionNotification;
}

/** The most frequent update, checked by hand: a schema would copy each one. */
function isPieceOfText(params: unknown): params is SessionNotification {
  // Values of other types fail the comparisons.
  const { sessionId, update } = (params ?? {}) as { readonly sessionId?: unknown; readonly update?: Piece };
  if (typeof sessionId !== 'string') return false;
  if (update?.sessionUpdate !== 'agent_message_chunk' && update?.sessionUpdate !== 'agent_thought_chunk')
    return false;
  return update.content?.type === 'text' && typeof update.content.text === 'string';
}

interface Piece {
  readonly sessionUpdate?: unknown;
  readonly content?: { readonly type?: unknown; readonly text?: unknown };
}

function isConversation({ update }: SessionNotification): boolean {
  return conversational.has(update.sessionUpdate);
}
