import type { SessionNotification } from '@agentclientprotocol/sdk';
import type { Log } from '../../log/log.js';
import type { HarnessListener } from '../harness.js';
import { isConversation, readUpdate } from './session-update.js';

/**
 * Which updates a listener hears: those of its own session, once it is open. What a harness repeats while it loads a
 * session is history; it is only counted, as a proof that the session was there.
 */
export class SessionUpdates {
  private acpSessionId: string | null = null;
  private readonly repeated = new Map<string, number>();

  constructor(
    private readonly listener: Pick<HarnessListener, 'onUpdate'>,
    private readonly log: Log,
  ) {}

  /** From now on this session is heard. */
  open(acpSessionId: string): void {
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
    if (this.acpSessionId === null) this.count(notification);
    if (notification.sessionId !== this.acpSessionId) return;
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

  private count(notification: SessionNotification): void {
    if (!isConversation(notification)) return;
    this.repeated.set(notification.sessionId, this.repeatedOf(notification.sessionId) + 1);
  }
}
