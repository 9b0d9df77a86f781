import type { SessionNotification } from '@agentclientprotocol/sdk';
import type { Log } from '../../shared/log.js';
import type { HarnessListener } from '../harness.js';
import { isConversation, readUpdate } from './session-update.js';

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
