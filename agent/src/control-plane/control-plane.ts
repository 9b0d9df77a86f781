import type { z } from 'zod/mini';
import { type HttpResponse, sendRequest } from '../shared/http-request.js';
import { answered, CallbackRefused, CallbacksStopped, CallbackUnavailable } from './callback-errors.js';
import { ServerClock } from './server-clock.js';

const maxAnswerBytes = 64 * 1024;

/** A request without a body. */
type HttpRequest<Schema extends z.ZodMiniType> = Omit<Callback<Schema>, 'body'>;

export interface Callback<Schema extends z.ZodMiniType> {
  readonly path: string;
  readonly token?: string;
  readonly body: unknown;
  readonly answer: Schema;
  /** 64 KiB without it. */
  readonly maxAnswerBytes?: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** Sends all requests of this node to the control plane. */
export class ControlPlane {
  private stopped = false;

  constructor(
    readonly url: string,
    /** Set from the `Date` header of every response. */
    readonly clock = new ServerClock(),
  ) {}

  /** Stops all callbacks of this process: the control plane no longer knows this node. */
  stopPermanently(): void {
    this.stopped = true;
  }

  get isStopped(): boolean {
    return this.stopped;
  }

  /**
   * @throws CallbackRefused on a 4xx, CallbackUnavailable when a later attempt could work,
   * CallbacksStopped
   */
  async post<Schema extends z.ZodMiniType>(callback: Callback<Schema>): Promise<z.infer<Schema>> {
    const headers = { 'content-type': 'application/json' };
    return this.call(callback, { method: 'POST', headers, body: JSON.stringify(callback.body) });
  }

  /** As `post` does. */
  async get<Schema extends z.ZodMiniType>(question: HttpRequest<Schema>): Promise<z.infer<Schema>> {
    return this.call(question, { method: 'GET' });
  }

  private async call<Schema extends z.ZodMiniType>(
    question: HttpRequest<Schema>,
    request: Sent,
  ): Promise<z.infer<Schema>> {
    const { path } = question;
    if (this.stopped) throw new CallbacksStopped(`Callbacks of this node are stopped: ${path}`);
    const response = await this.send(question, request);
    this.clock.observe(response.headers.date ?? null);
    const answer = readJson(response, path);
    if (!response.isOk) throw refusal(path, response, answer);
    const parsed = question.answer.safeParse(answer);
    if (!parsed.success) throw new CallbackUnavailable(`${path} answered in an unknown form`);
    return parsed.data;
  }

  private async send(
    question: HttpRequest<z.ZodMiniType>,
    { headers, ...request }: Sent,
  ): Promise<HttpResponse> {
    const { path, token, maxAnswerBytes: maxBytes = maxAnswerBytes, timeoutMs, signal } = question;
    const limits = [AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])];
    try {
      return await sendRequest({
        ...request,
        url: this.url + path,
        headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
        maxBytes,
        signal: AbortSignal.any(limits),
      });
    } catch (cause) {
      signal?.throwIfAborted();
      throw new CallbackUnavailable(`${path} could not be reached`, { cause });
    }
  }
}

interface Sent {
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

function readJson({ isOk, text }: HttpResponse, path: string): unknown {
  try {
    const body = text();
    // A response without content is 204.
    return isOk && body === '' ? null : JSON.parse(body);
  } catch (cause) {
    if (isOk) throw new CallbackUnavailable(`${path} gave no readable answer`, { cause });
    return null;
  }
}

function refusal(path: string, { status, headers }: HttpResponse, answer: unknown): Error {
  const { error: code, message: reason } = errorFields(answer);
  if (status < 500 && status !== 429 && status !== 408)
    return new CallbackRefused(path, { status, code, reason });
  const text = answered(path, { status, code, reason });
  return new CallbackUnavailable(text, { reason, retryAfterMs: retryAfterMs(headers) });
}

const retryAfterMs = (headers: HttpResponse['headers']): number =>
  /^\d{1,4}$/.test(headers['retry-after'] ?? '') ? Number(headers['retry-after']) * 1_000 : 0;

function errorFields(answer: unknown): { readonly error: string; readonly message: string } {
  if (typeof answer !== 'object' || answer === null) return { error: '', message: '' };
  const fields: Record<string, unknown> = { ...answer };
  return {
    error: typeof fields.error === 'string' ? fields.error : '',
    message: typeof fields.message === 'string' ? fields.message : '',
  };
}
