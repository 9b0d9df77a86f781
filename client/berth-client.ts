import { ApiError } from './api-error.js';
import type { Operations } from './operations.js';

// biome-ignore lint/performance/noBarrelFile: the one module of the package, whose callers catch it
export { ApiError, type FailingField } from './api-error.js';
export type { Operations };
export type OperationKey = keyof Operations;
export type AnswerOf<Key extends OperationKey> = Operations[Key]['answer'];

/** A part of a call may be left out where nothing in it must be given. */
type Part<Name extends string, Type> = undefined extends Type
  ? { readonly [Each in Name]?: Type }
  : Readonly<Record<never, never>> extends Type
    ? { readonly [Each in Name]?: Type }
    : { readonly [Each in Name]: Type };

export type InputOf<Key extends OperationKey> = Part<'params', Operations[Key]['params']> &
  Part<'query', Operations[Key]['query']> &
  Part<'body', Operations[Key]['body']> & {
    /**
     * A repeat under the same key is answered as the first call was, where the operation knows such
     * keys.
     */
    readonly idempotencyKey?: string;
    readonly signal?: AbortSignal;
  };

/** Without `{}` where nothing must be given. */
type Given<Key extends OperationKey> =
  Readonly<Record<never, never>> extends InputOf<Key> ? [input?: InputOf<Key>] : [input: InputOf<Key>];

/** What a list is called in its answer. */
type NounOf<Answer> = {
  [Name in keyof Answer]: Answer[Name] extends readonly unknown[] ? Name : never;
}[keyof Answer] &
  string;
type ItemOf<Answer, Noun extends keyof Answer> = Answer[Noun] extends readonly (infer Item)[] ? Item : never;

/** Operations that answer with a file, a page or a redirect. */
type BytesKey = {
  [Key in OperationKey]: AnswerOf<Key> extends Response ? Key : never;
}[OperationKey];
/** Lists that are answered a page at a time. */
type ListKey = {
  [Key in OperationKey]: 'nextCursor' extends keyof AnswerOf<Key> ? Key : never;
}[OperationKey];

export interface ClientOptions {
  /** Of the deployment, as people open it. */
  readonly url: string;
  /** Value of the cookie that a sign-in sets. In the console's own pages the browser has it. */
  readonly session?: string;
  readonly fetch?: typeof fetch;
}

type Page<Noun extends string, Item> = { readonly [Each in Noun]: readonly Item[] } & {
  readonly nextCursor: string | null;
};

interface AnyInput {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

/**
 * Calls the control plane's API; every operation by its method and path, as the OpenAPI document
 * has them.
 */
export class BerthClient {
  constructor(private readonly options: ClientOptions) {}

  /**
   * Calls an operation that answers with JSON, or with nothing.
   *
   * @throws {ApiError} the API said no
   */
  async call<Key extends Exclude<OperationKey, BytesKey>>(
    key: Key,
    ...[input]: Given<Key>
  ): Promise<AnswerOf<Key>> {
    const response = await this.send(key, input ?? {});
    const text = await response.text();
    // What the API answers is what its document says, which the types are made of.
    return (text === '' ? undefined : JSON.parse(text)) as AnswerOf<Key>;
  }

  /**
   * Calls an operation that answers with bytes; redirects are followed.
   *
   * @throws {ApiError} the API said no
   */
  open<Key extends BytesKey>(key: Key, ...[input]: Given<Key>): Promise<Response> {
    return this.send(key, input ?? {});
  }

  /** All items of the list that the answer calls `noun`, page after page as they are asked for. */
  async *list<Key extends ListKey, Noun extends NounOf<AnswerOf<Key>>>(
    key: Key,
    noun: Noun,
    ...[input]: Given<Key>
  ): AsyncGenerator<ItemOf<AnswerOf<Key>, Noun>> {
    const { query, ...others }: AnyInput = input ?? {};
    let cursor: string | null | undefined;
    do {
      const response = await this.send(key, { ...others, query: { ...query, cursor } });
      // A page is such a list and the next cursor, as the document says of every operation in
      // `ListKey`.
      const page = (await response.json()) as Page<Noun, ItemOf<AnswerOf<Key>, Noun>>;
      yield* page[noun];
      cursor = page.nextCursor;
    } while (cursor);
  }

  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: each part of a request is optional
  private async send(
    key: string,
    { params, query, body, idempotencyKey, signal }: AnyInput,
  ): Promise<Response> {
    const [method = '', path = ''] = key.split(' ');
    const url = new URL(filled(path, params), this.options.url);
    for (const [name, value] of Object.entries(query ?? {}))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const { session, fetch: fetchFrom = fetch } = this.options;
    const response = await fetchFrom(url, {
      method,
      headers: {
        ...(session ? { cookie: `__Host-berth_session=${session}` } : {}),
        ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
      },
      body: body instanceof FormData ? body : (JSON.stringify(body) ?? null),
      signal: signal ?? null,
    });
    if (!response.ok) throw new ApiError(response, await response.json().catch(() => undefined));
    return response;
  }
}

/** @throws {TypeError} for a missing parameter, which JavaScript would send as `undefined` */
const filled = (path: string, params: AnyInput['params']): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params?.[name];
    if (value === undefined || value === '') throw new TypeError(`The path parameter ${name} is missing`);
    return encodeURIComponent(String(value));
  });
