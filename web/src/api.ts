import * as z from 'zod/mini';
import { ApiError } from './api-error.js';

/** Reads one kind of answer. */
export interface Reader<T> {
  safeParse(value: unknown): { success: true; data: T } | { success: false };
}

export interface Call<T> {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly reads: Reader<T>;
}

/** The control plane's API by the session cookie; the browser sends the Origin that it asks for. */
export class Api {
  constructor(
    private readonly onSignedOut: () => void,
    private readonly fetchFrom: typeof fetch = (input, init) => fetch(input, init),
  ) {}

  /** @throws {ApiError} whatever went wrong */
  async call<T>(path: string, { method = 'GET', body, headers, signal, reads }: Call<T>): Promise<T> {
    const response = await this.send(path, {
      method,
      credentials: 'same-origin',
      cache: 'no-store',
      headers: { accept: 'application/json', ...(body === undefined ? {} : json), ...headers },
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
    });
    const answer: unknown = await response.json().catch(() => undefined);
    if (response.status === 401) this.onSignedOut();
    if (!response.ok) throw ApiError.of(response.status, answer, response.headers.get('retry-after'));
    const parsed = reads.safeParse(answer);
    if (parsed.success) return parsed.data;
    const pending = response.status === 202 ? Pending.safeParse(answer) : undefined;
    if (pending?.success) throw ApiError.pending(pending.data.status, response.headers.get('retry-after'));
    throw new ApiError('The control plane sent an unexpected response. Reload the page.', {
      status: response.status,
      code: 'UNEXPECTED_ANSWER',
    });
  }

  private async send(path: string, init: RequestInit): Promise<Response> {
    try {
      return await this.fetchFrom(path, init);
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw ApiError.unreachable(error);
    }
  }
}

const Pending = z.object({ status: z.enum(['waking', 'naming']) });
const json = { 'content-type': 'application/json' };
