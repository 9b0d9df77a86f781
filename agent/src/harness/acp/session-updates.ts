import type { SessionNotification } from '@agentclientprotocol/sdk';
import * as z from 'zod/mini';
import type { Log } from '../../shared/log.js';
import type { HarnessListener } from '../harness.js';

/** So many updates are kept for a session that is not open yet. */
const maxEarly = 64;

/**
 * Which updates a listener hears: those of its own session. What a harness repeats of the conversation while it loads a
 * session is history; it is only counted, as a proof that the session was there. What it says of its modes, commands and
 * the like, as many do before or with their answer, is heard once the session is open.
 */
export class SessionUpdates {
  private acpSessionId: string | null = null;
  private readonly repeated = new Map<string, number>();
  private readonly early: SessionNotification[] = [];

  constructor(
    private readonly listener: Pick<HarnessListener, 'onUpdate'>,
    private readonly log: Log,
  ) {}

  /** From now on this session is heard, first what was said of it already. */
  async open(acpSessionId: string): Promise<void> {
    for (let next = this.early.shift(); next; next = this.early.shift())
      if (next.sessionId === acpSessionId) await this.hear(next);
    this.acpSessionId = acpSessionId;
  }

  /** How much of the conversation of a session was repeated. */
  repeatedOf(acpSessionId: string): number {
    return this.repeated.get(acpSessionId) ?? 0;
  }

  /** Never fails: a listener's mistake must not end the harness. */
  take(params: unknown): void | Promise<void> {
    const notification = readUpdate(params);
    if (!notification) {
      this.log.warn('A harness sent an update that is none');
      return;
    }
    if (this.acpSessionId === null) this.hold(notification);
    else if (notification.sessionId === this.acpSessionId) return this.hear(notification);
  }

  private hear(notification: SessionNotification): void | Promise<void> {
    try {
      const heard = this.listener.onUpdate(notification);
      return heard ? heard.catch(this.failed) : undefined;
    } catch (error) {
      this.failed(error);
    }
  }

  private readonly failed = (error: unknown): void => {
    this.log.error('An update of a harness was not handled', { error });
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

/** What is relied on in the kinds that are looked into; others pass as they are. */
const shapes: Readonly<Record<string, z.ZodMiniType>> = {
  user_message_chunk: z.looseObject({ content: Content }),
  agent_message_chunk: z.looseObject({ content: Content }),
  agent_thought_chunk: z.looseObject({ content: Content }),
  tool_call: ToolCall,
  tool_call_update: ToolCall,
  plan: z.looseObject({ entries: z.array(z.looseObject({ content: z.string() })) }),
};
const Notification = z.looseObject({ sessionId: z.string(), update: Update });

/** Parts of a conversation, as opposed to news about modes, commands and the like. */
const conversational = new Set(Object.keys(shapes));

/**
 * Checks as much as anyone relies on, and passes the parameters on as they are, of whatever kind. Null when they are no
 * update.
 */
export function readUpdate(params: unknown): SessionNotification | null {
  if (isPieceOfText(params)) return params;
  const parsed = Notification.safeParse(params);
  if (!parsed.success) return null;
  const { update } = parsed.data;
  if (shapes[update.sessionUpdate]?.safeParse(update).success === false) return null;
  // Its shape has just been checked as far as anyone looks.
  return params as SessionNotification;
}

/** Nearly all that ever comes, looked at by hand: a schema would copy each of thousands a second. */
function isPieceOfText(params: unknown): params is SessionNotification {
  // Any other value under these names fails the comparisons.
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
