import * as z from 'zod/mini';
import { ApiError as ClientError } from '../../client/api-error.js';

const Envelope = z.object({
  error: z.string(),
  message: z.string(),
  requestId: z.optional(z.string()),
  details: z.optional(z.array(z.object({ field: z.string(), message: z.string() }))),
});
/** A deletion that is refused answers in the shape of a deletion. */
const Refusal = z.object({ reason: z.string() });

interface Failure {
  readonly status: number;
  readonly code: string;
  readonly retryAfterSeconds?: number | undefined;
}

/** A request that failed, with a message that a person can read. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, { status, code, retryAfterSeconds }: Failure, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** Trying again cannot help. */
  get isFinal(): boolean {
    return this.status >= 400 && this.status < 500 && this.status !== 429 && this.status !== 408;
  }

  static unreachable(cause: unknown): ApiError {
    return new ApiError(
      'The control plane cannot be reached. Check your connection and try again.',
      { status: 0, code: 'UNREACHABLE' },
      { cause },
    );
  }

  /** The workspace, or the name of its host, is not ready. The request is to be repeated. */
  static pending(status: 'waking' | 'naming', retryAfter: string | null): ApiError {
    const retryAfterSeconds = Number(retryAfter) || 2;
    const message = status === 'waking' ? 'The workspace is waking' : 'The name of the host is new';
    return new ApiError(message, { status: 202, code: status.toUpperCase(), retryAfterSeconds });
  }

  static of(status: number, body: unknown, retryAfter: string | null): ApiError {
    const retryAfterSeconds =
      retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined;
    const envelope = Envelope.safeParse(body);
    if (envelope.success)
      return new ApiError(inWords(envelope.data), { status, code: envelope.data.error, retryAfterSeconds });
    const refusal = Refusal.safeParse(body);
    const message = refusal.success
      ? refusal.data.reason
      : `The control plane answered with status ${status}.`;
    return new ApiError(message, { status, code: `HTTP_${status}`, retryAfterSeconds });
  }
}

interface Said {
  readonly error: string;
  readonly message: string;
  readonly requestId?: string | undefined;
  readonly details?: readonly { readonly field: string; readonly message: string }[] | undefined;
}

function inWords({ error, message, details = [], requestId }: Said): string {
  const fields = details.map((detail) => `${detail.field.replace(/^body\./, '')}: ${detail.message}`);
  const sentence = fields.length > 0 ? `${message} (${fields.join('; ')})` : message;
  // Only for a fault of ours is the id of use: with it an operator finds the log.
  return error === 'INTERNAL_ERROR' && requestId ? `${sentence} (request ${requestId})` : sentence;
}

/** The console itself refuses, with a message for the person. */
export class Refused extends Error {}

/** The answer says that this person may not see it, or that it is gone. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof ClientError && [401, 403, 404, 410].includes(error.status);

/** What to show of anything that was thrown. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiError || error instanceof Refused) return error.message;
  if (error instanceof ClientError)
    return inWords({
      ...error,
      error: error.code,
      message: error.message,
      requestId: error.requestId ?? undefined,
    });
  // What `fetch` throws when no answer came.
  if (error instanceof TypeError) return ApiError.unreachable(error).message;
  return `Unexpected error: ${String(error)}`;
}
