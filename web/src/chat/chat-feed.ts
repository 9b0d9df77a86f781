import type { AnswerOf, BerthClient } from '../../../client/berth-client.js';
import type { LiveServerMessage } from '../../../protocol/live.js';
import type { LiveSocket } from '../live.js';
import type { ChatPlace } from './chat-place.js';
import { firstGap, type Transcript, withDelivery, withMessages } from './transcript.js';

type Opened = AnswerOf<'GET /api/projects/{projectId}/sessions/{sessionId}'>;
export type ChatSession = Opened['session'];

/** What is known of a chat. */
export interface ChatView {
  readonly session: ChatSession | undefined;
  readonly transcript: Transcript;
  readonly activity: string | null;
  readonly hasEarlier: boolean;
  readonly error: unknown;
}

type SessionEvent = Extract<LiveServerMessage, { readonly data: { readonly queuedPrompts: number } }>;

const pageSize = 100;
const nothing: ChatView = {
  session: undefined,
  transcript: new Map(),
  activity: null,
  hasEarlier: false,
  error: undefined,
};

/**
 * A chat as it is at this moment: the newest messages, then what the live socket brings. What did
 * not come by itself is asked for by its sequence.
 */
export class ChatFeed {
  private view = nothing;
  private readonly listeners = new Set<() => void>();
  private isCatchingUp = false;
  private begun = 0;
  private newestAnswer = 0;

  constructor(
    private readonly client: BerthClient,
    private readonly live: LiveSocket,
    readonly place: ChatPlace,
  ) {}

  readonly snapshot = (): ChatView => this.view;

  /** Follows the chat while somebody listens. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    const end = this.live.subscribe(`chat:${this.place.sessionId}`, {
      subscribed: () => this.open(),
      message: (message) => this.received(message),
    });
    return () => {
      this.listeners.delete(listener);
      end();
    };
  };

  /**
   * Reads the newest messages: before anybody listens, so that a chat is shown before the live
   * socket has it, and at each subscription, because events may have been missed until then.
   */
  open(): void {
    this.begun += 1;
    const number = this.begun;
    this.client
      .call('GET /api/projects/{projectId}/sessions/{sessionId}', {
        params: this.place,
        query: { limit: pageSize },
      })
      .then(({ session, messages, hasMore, state }) => {
        if (number < this.newestAnswer) return;
        this.newestAnswer = number;
        const isFirst = this.view.session === undefined;
        this.set({
          session,
          transcript: withMessages(this.view.transcript, messages),
          activity: state.activity,
          hasEarlier: isFirst ? hasMore : this.view.hasEarlier,
          error: undefined,
        });
        this.fillGaps();
      })
      .catch((error: unknown) => {
        if (number >= this.newestAnswer) this.set({ error });
      });
  }

  async earlier(): Promise<void> {
    const [first] = this.view.transcript.keys();
    if (first === undefined) return;
    const { messages, nextCursor } = await this.read({ before: String(first), order: 'desc' });
    this.set({ transcript: withMessages(this.view.transcript, messages), hasEarlier: nextCursor !== null });
  }

  private received(message: LiveServerMessage): void {
    const { transcript } = this.view;
    if (message.type === 'message.new')
      this.set({ transcript: withMessages(transcript, [message.data.message]) });
    else if (message.type === 'messages.batch')
      this.set({ transcript: withMessages(transcript, message.data.messages) });
    else if (message.type === 'prompt.updated')
      this.set({ transcript: withDelivery(transcript, message.data) });
    else if (message.type === 'session.activity') this.set({ activity: message.data.activity });
    else if (isOfSession(message)) {
      if (!isKnown(this.view, message.data)) this.open();
    } else if (message.type.startsWith('attention.')) this.open();
    this.fillGaps();
  }

  private fillGaps(): void {
    if (this.isCatchingUp) return;
    this.isCatchingUp = true;
    this.catchUp()
      .catch((error: unknown) => this.set({ error }))
      .finally(() => {
        this.isCatchingUp = false;
      });
  }

  private async catchUp(): Promise<void> {
    let gap = firstGap(this.view.transcript);
    while (gap !== undefined) {
      const { messages } = await this.read({ after: String(gap - 1), order: 'asc' });
      this.set({ transcript: withMessages(this.view.transcript, messages) });
      const next = firstGap(this.view.transcript);
      // The message is not readable: asking again would not help.
      if (next === gap) return;
      gap = next;
    }
  }

  private read(query: { after?: string; before?: string; order: 'asc' | 'desc' }) {
    return this.client.call('GET /api/projects/{projectId}/sessions/{sessionId}/messages', {
      params: this.place,
      query: { limit: pageSize, ...query },
    });
  }

  private set(change: Partial<ChatView>): void {
    this.view = { ...this.view, ...change };
    for (const listener of this.listeners) listener();
  }
}

const isOfSession = (message: LiveServerMessage): message is SessionEvent =>
  message.type.startsWith('session.') && 'data' in message && 'queuedPrompts' in message.data;

const shown = ['topic', 'status', 'workspaceId', 'agentSessionId', 'queuedPrompts'] as const;

/**
 * Whether what an event says is known, with the newest message: it is sent after each subscription
 * and with each message.
 */
function isKnown({ session, transcript }: ChatView, data: SessionEvent['data']): boolean {
  const newest = [...transcript.values()].at(-1)?.lastSequence ?? 0;
  return data.lastSequence <= newest && shown.every((name) => session?.[name] === data[name]);
}
