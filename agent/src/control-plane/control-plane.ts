import type { z } from 'zod/mini';
import { ServerClock } from '../time/server-clock.js';
import { CallbackRefused, CallbacksStopped, CallbackUnavailable } from './callback-errors.js';

const maxAnswerBytes = 64 * 1024;

export interface Callback<Schema extends z.ZodMiniType> {
  readonly path: string;
  readonly token?: string;
  readonly body: unknown;
  readonly answer: Schema;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** The one way from this node to the control plane. */
export class ControlPlane {
  private stopped = false;

  constructor(
    readonly url: string,
    /** Learns the time from every answer. */
    readonly clock = new ServerClock(),
  ) {}

  /** Ends all callbacks of this process for good: the control plane no longer knows this node. */
  stopForGood(): void {
    this.stopped = true;
  }

  get isStopped(): boolean {
    return this.stopped;
  }

  /**
   * @throws CallbackRefused on a 4xx, CallbackUnavailable when a later attempt could work, CallbacksStopped
   */
  async post<Schema extends z.ZodMiniType>(callback: Callback<Schema>): Promise<z.infer<Schema>> {
    if (this.stopped) throw new CallbacksStopped(`Callbacks of this node are stopped: ${callback.path}`);
    const response = await this.send(callback);
    this.clock.observe(response.headers.get('date'));
    const answer = await readJson(response, callback.path);
    if (!response.ok) throw refusal(callback.path, response, answer);
    const parsed = callback.answer.safeParse(answer);
    if (!parsed.success) throw new CallbackUnavailable(`${callback.path} answered in an unknown form`);
    return parsed.data;
  }

  private async send(callback: Callback<z.ZodMiniType>): Promise<Response> {
    const limits = [AbortSignal.timeout(callback.timeoutMs), ...(callback.signal ? [callback.signal] : [])];
    try {
      return await fetch(this.url + callback.path, {
        method: 'POST',
        redirect: 'error',
        headers: {
          'content-type': 'application/json',
          ...(callback.token === undefined ? {} : { authorization: `Bearer ${callback.token}` }),
        },
        body: JSON.stringify(callback.body),
        signal: AbortSignal.any(limits),
      });
    } catch (cause) {
      callback.signal?.throwIfAborted();
      throw new CallbackUnavailable(`${callback.path} could not be reached`, { cause });
    }
  }
}

async function readJson(response: Response, path: string): Promise<unknown> {
  try {
    const text = await response.text();
    return text.length > maxAnswerBytes ? null : JSON.parse(text);
  } catch (cause) {
    if (response.ok) throw new CallbackUnavailable(`${path} gave no readable answer`, { cause });
    return null;
  }
}

function refusal(path: string, response: Response, answer: unknown): Error {
  const { error, message } = errorFields(answer);
  const text = `${path} answered ${response.status}${error ? ` ${error}` : ''}${message ? `: ${message}` : ''}`;
  const isTransient = response.status >= 500 || response.status === 429 || response.status === 408;
  if (isTransient) return new CallbackUnavailable(text);
  return new CallbackRefused(path, response.status, error, text);
}

function errorFields(answer: unknown): { readonly error: string; readonly message: string } {
  if (typeof answer !== 'object' || answer === null) return { error: '', message: '' };
  const fields: Record<string, unknown> = { ...answer };
  return {
    error: typeof fields.error === 'string' ? fields.error : '',
    message: typeof fields.message === 'string' ? fields.message : '',
  };
}
