import type { WebSocket } from 'ws';
import * as z from 'zod/mini';
import {
  AgentClientFrame,
  agentCloseCodes,
  agentFrameLimits,
  type JsonRpcResponse,
  jsonRpcErrors,
} from '../../../protocol/agent-frames.js';
import { type AgentType, maxPromptLength } from '../../../protocol/agent-sessions.js';
import type { AnswerInteractionFrame } from '../../../protocol/interaction-frames.js';
import type { SessionKey } from '../agent-sessions/session-record.js';
import { AgentError } from '../errors.js';
import type { Log } from '../shared/log.js';
import { TokenBucket } from '../shared/token-bucket.js';
import type { EndedPrompt, SessionControls } from './conversation.js';
import { keepAlive } from './keep-alive.js';
import type { LiveConversation } from './live-conversation.js';
import type { Viewer, ViewerSocket } from './viewer.js';

/** How long a client has to read the remaining frames and to answer the close. */
const closeGraceMs = 1_000;
/** An invalid prompt request with an id that can be answered. */
const WrongPrompt = z.object({
  id: z.union([z.string().check(z.maxLength(128)), z.int()]),
  method: z.literal('session/prompt'),
});

type PromptFrame = Extract<AgentClientFrame, { method: 'session/prompt' }>;

interface AgentSocketDeps {
  readonly session: SessionKey;
  readonly conversation: LiveConversation;
  readonly controls: SessionControls;
  readonly times: { readonly pingMs: number; readonly pongMs: number };
  readonly log: Log;
}

/** The socket of one viewer: sends the conversation, receives prompts and cancellations. */
export class AgentSocket implements ViewerSocket {
  private readonly bucket = new TokenBucket(
    { perSecond: agentFrameLimits.messagesPerSecond, burst: agentFrameLimits.messageBurst },
    Date.now,
  );
  private readonly viewer: Viewer;

  constructor(
    private readonly socket: WebSocket,
    private readonly deps: AgentSocketDeps,
  ) {
    keepAlive(socket, deps.times);
    socket.on('message', (data: Buffer, isBinary: boolean) => this.received(data, isBinary));
    // `ws` closes the socket after an error (1009 for an oversized message). This logs it.
    socket.on('error', (error) => deps.log.debug('Agent socket failed', { error, ...deps.session }));
    const { viewer, detach } = deps.conversation.attach(this, deps.controls);
    this.viewer = viewer;
    socket.once('close', detach);
  }

  get bufferedBytes(): number {
    return this.socket.bufferedAmount;
  }

  send(frame: string, taken: () => void): void {
    this.socket.send(frame, taken);
  }

  close(code: number, reason: string): void {
    this.socket.close(code, reason);
    const timer = setTimeout(() => this.socket.terminate(), closeGraceMs);
    this.socket.once('close', () => clearTimeout(timer));
  }

  private received(data: Buffer, isBinary: boolean): void {
    // A client may send until it has got the close frame.
    if (this.socket.readyState !== this.socket.OPEN) return;
    if (!this.bucket.take()) {
      this.viewer.close(agentCloseCodes.notRunning, 'rate limit exceeded');
      return;
    }
    const message = isBinary ? null : parseJson(data);
    const { success, data: frame } = AgentClientFrame.safeParse(message);
    if (!success) this.answerWrongPrompt(message);
    else if ('type' in frame) this.control(frame);
    else if (frame.method === 'session/prompt') void this.prompt(frame);
    else this.attempt(this.deps.controls.cancel());
  }

  private control(frame: Extract<AgentClientFrame, { type: string }>): void {
    if (frame.type === 'ping') this.viewer.sendNow({ type: 'pong' });
    else if (frame.type === 'answer_interaction') this.answer(frame);
    else void this.select(frame.agentType);
  }

  /** All viewers get a frame about a taken answer. */
  private answer(frame: AnswerInteractionFrame): void {
    const refusal = this.deps.controls.answer(frame);
    if (refusal) this.viewer.sendNow(refusal);
  }

  private async select(agentType: AgentType): Promise<void> {
    try {
      await this.deps.controls.selectAgent(agentType);
    } catch (error) {
      const message = this.messageOf(error, 'The coding agent could not be started. Retry.');
      this.viewer.sendNow({ type: 'agent_status', status: 'error', agentType, error: message });
    }
  }

  /** A refusal is sent to this viewer only; the end of a turn to all viewers. */
  private async prompt({ id, params }: PromptFrame): Promise<void> {
    const text = params.prompt.map((block) => block.text).join('\n\n');
    if (text.length > maxPromptLength) {
      this.refuse(id, jsonRpcErrors.invalid, `Prompt exceeds the limit of ${maxPromptLength} characters`);
      return;
    }
    const { conversation, controls } = this.deps;
    try {
      const end = await controls.prompt(text, params.messageId ?? null);
      conversation.respond({ jsonrpc: '2.0', id, ...answerOf(end) });
    } catch (error) {
      this.refuse(id, jsonRpcErrors.busy, this.messageOf(error, 'The prompt was not accepted. Retry.'));
    }
  }

  private answerWrongPrompt(message: unknown): void {
    const { success, data } = WrongPrompt.safeParse(message);
    if (success)
      this.refuse(data.id, jsonRpcErrors.invalid, 'Prompt is not valid. Send content blocks of type text.');
  }

  private refuse(id: string | number, code: number, message: string): void {
    this.viewer.sendNow({ jsonrpc: '2.0', id, error: { code, message } } satisfies JsonRpcResponse);
  }

  private attempt(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.messageOf(error, ''));
  }

  /** Only the messages of an AgentError are sent to viewers. */
  private messageOf(error: unknown, otherwise: string): string {
    if (error instanceof AgentError) return error.message;
    this.deps.log.error('Viewer request failed', { error, ...this.deps.session });
    return otherwise;
  }
}

function answerOf({ stopReason, errorMessage }: EndedPrompt): Pick<JsonRpcResponse, 'result' | 'error'> {
  if (stopReason === 'cancelled')
    return { error: { code: jsonRpcErrors.cancelled, message: 'Prompt cancelled' } };
  if (stopReason === 'error' || stopReason === 'fatal_error')
    return { error: { code: jsonRpcErrors.busy, message: errorMessage ?? 'Prompt failed' } };
  return { result: { stopReason } };
}

function parseJson(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString());
  } catch {
    return null;
  }
}
