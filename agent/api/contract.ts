import type { ZodMiniType } from 'zod/mini';
import type { NodeErrorCode } from '../../protocol/node-api.js';
import type { Transfer } from '../../protocol/workspace-files.js';

type MediaType = `${string}/${string}`;

/** A schema for JSON, the media types that a stream can have, or null for no body. */
export type ResponseShape = ZodMiniType | MediaType | readonly MediaType[] | null;

/** The callers that a route accepts. `token-kinds.ts` lists how each sends its token. */
export type TokenKind =
  | 'none'
  | 'node'
  | 'diagnostics'
  | 'management'
  | 'workspace'
  | 'transfer'
  | 'terminal'
  | 'preview'
  | 'forward';

/**
 * One route or socket of the agent. The server authenticates and parses requests by it, and the
 * OpenAPI document is made from it.
 */
export interface AgentContract {
  /** `any`: every method. */
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete' | 'any';
  /**
   * Parameters in braces, named as in `pathParameters`; `{path}` at the end matches the rest of an
   * address.
   */
  readonly path: `/${string}`;
  readonly token: TokenKind;
  /** The state that the workspace must have. Without it the handler checks the workspace. */
  readonly workspace?: 'present' | 'running';
  /** The use that a transfer token must be for. */
  readonly transfer?: Transfer;
  readonly summary: string;
  readonly description?: string;
  readonly query?: ZodMiniType;
  /** A schema for JSON, or the media type of a stream. */
  readonly body?: ZodMiniType | MediaType;
  /** 256 KiB without it. */
  readonly maxBodyBytes?: number;
  /** By status; 101 for a socket. */
  readonly responses: Readonly<Record<number, ResponseShape>>;
  /** Error codes beyond those that token, parameters, query and body imply. */
  readonly errors?: readonly NodeErrorCode[];
}

/** Routes of one area; the name of a route is the id of its operation. */
export type AgentContracts = Readonly<Record<string, AgentContract>>;

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** Names of the parameters in a contract's path. */
export type ParameterOf<C extends AgentContract> = Exclude<NamesIn<C['path']>, 'path'>;
