import * as z from 'zod/mini';
import type { JsonSchema } from './openapi/json-schema.js';

/** JSON by this schema; text or bytes of this media type; or no body. */
export type ResponseBody = z.ZodMiniType | `${string}/${string}` | null;
export type Responses = Readonly<Record<number, ResponseBody>>;

/**
 * What one route accepts and answers. The edge parses requests and replies by it, the OpenAPI
 * document is made from it; so it is importable without any environment.
 */
export interface Contract<
  Params extends z.ZodMiniType = z.ZodMiniType,
  Query extends z.ZodMiniType = z.ZodMiniType,
  Body extends z.ZodMiniType = z.ZodMiniType,
  Replies extends Responses = Responses,
> {
  readonly summary: string;
  readonly description?: string;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Media types a body may have. */
  readonly bodyTypes: readonly BodyType[];
  /** Whether the route takes a body at all. */
  readonly takesBody: boolean;
  readonly responses: Replies;
  /** How the body is described where its schema says nothing: of a form. */
  readonly bodySchema?: JsonSchema;
  /** 256 KiB without it. */
  readonly maxBodyBytes?: number;
  /** Body of an example call; without one it is made of the schema's required fields. */
  readonly example?: Readonly<Record<string, unknown>>;
  /** Bodies of example answers by status; without one it is made of the schema. */
  readonly answers?: Readonly<Record<number, unknown>>;
  /** A route with a proof of its own that looks at the session's cookie, if there is one. */
  readonly readsSession?: boolean;
  /** Request headers that it looks at, beside those of every route. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Error codes of its own, beside those that every route of its kind may answer with. */
  readonly errors: readonly string[];
}

export type BodyType = 'application/json' | 'application/x-www-form-urlencoded' | 'multipart/form-data';

const nothing = z.strictObject({});
type Nothing = typeof nothing;

interface Description<Params, Query, Body, Replies> {
  readonly summary: string;
  readonly description?: string;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly bodyTypes?: readonly BodyType[];
  readonly bodySchema?: JsonSchema;
  readonly maxBodyBytes?: number;
  readonly example?: Readonly<Record<string, unknown>>;
  readonly answers?: Readonly<Record<number, unknown>>;
  readonly readsSession?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly responses: Replies;
  readonly errors?: readonly string[];
}

/** A part that is not named accepts nothing but an empty object. */
export function contract<
  const Replies extends Responses,
  Params extends z.ZodMiniType = Nothing,
  Query extends z.ZodMiniType = Nothing,
  Body extends z.ZodMiniType = Nothing,
>(described: Description<Params, Query, Body, Replies>): Contract<Params, Query, Body, Replies> {
  return {
    bodyTypes: ['application/json'],
    errors: [],
    ...described,
    // The defaults of the type parameters are just these values, which the checker cannot see.
    params: described.params ?? (nothing as z.ZodMiniType as Params),
    query: described.query ?? (nothing as z.ZodMiniType as Query),
    body: described.body ?? (nothing as z.ZodMiniType as Body),
    takesBody: described.body !== undefined,
  };
}

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

type BodyOf<Shape extends ResponseBody> = Shape extends z.ZodMiniType
  ? { readonly body: DeepReadonly<z.input<Shape>> }
  : Shape extends string
    ? { readonly text: string } | { readonly bytes: Uint8Array }
    : unknown;

interface ReplyHead {
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: readonly string[];
}

/** What a handler of this contract returns. */
export type Reply<Replies extends Responses> = {
  [Status in keyof Replies & number]: { readonly status: Status } & ReplyHead & BodyOf<Replies[Status]>;
}[keyof Replies & number];
