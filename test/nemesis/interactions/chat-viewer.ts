import WebSocket from 'ws';
import { AgentViewer } from '../../support/agent-viewer.js';
import { comes } from './comes.js';
import type { Reply } from './interaction-history.js';

/** A viewer of one session, who comes again when the agent has been started again. */
export class ChatViewer {
  private viewer: AgentViewer | null = null;
  private before: Promise<unknown> = Promise.resolve();

  constructor(private readonly address: () => Promise<{ readonly url: string; readonly ca: string }>) {}

  get isOpen(): boolean {
    return this.viewer?.socket.readyState === WebSocket.OPEN;
  }

  async connect(): Promise<void> {
    const { url, ca } = await this.address();
    this.viewer = new AgentViewer(new WebSocket(url, { ca }));
  }

  /** The id of the request whose detail has this word, once it is shown. */
  pending(word: string): string | undefined {
    const frame = this.viewer?.frames.find(
      ({ type, detail }) => type === 'interaction_pending' && JSON.stringify(detail).includes(word),
    );
    return frame && String(frame.interactionId);
  }

  /** Undefined: not sent. One after the other: a pong belongs to the answer before it. */
  answer(interactionId: string, optionId: string): Promise<Reply | undefined> {
    const reply = this.before.then(() => this.answerNow(interactionId, optionId));
    this.before = reply;
    return reply;
  }

  close(): void {
    this.viewer?.socket.terminate();
  }

  private async answerNow(interactionId: string, optionId: string): Promise<Reply | undefined> {
    const { viewer } = this;
    if (!viewer || !this.isOpen) return undefined;
    const from = viewer.frames.length;
    const later = () => viewer.frames.slice(from);
    const decision = { kind: 'selected_option', optionId };
    viewer.send({ type: 'answer_interaction', interactionId, decision });
    viewer.send({ type: 'ping' });
    const isOf = (type: string) => (frame: AgentViewer['frames'][number]) =>
      frame.type === type && (type === 'pong' || frame.interactionId === interactionId);
    const untilFrame = (type: string) => comes(() => viewer.closed !== null || later().some(isOf(type)));
    await untilFrame('pong');
    if (later().some(isOf('interaction_refused'))) return 'refused';
    if (later().some(isOf('pong'))) await untilFrame('interaction_settled');
    if (later().some(isOf('interaction_settled'))) return 'taken';
    return viewer.closed ? 'cut' : 'no_reply';
  }
}
