import type { ZodMiniType } from 'zod/mini';
import type { NodeErrorCode } from '../../protocol/node-api.js';

/** What a route answers: a schema for JSON, the media type of a stream, or null for nothing. */
export type AnswerShape = ZodMiniType | `${string}/${string}` | null;

/** Who may call a route; `token-kinds.ts` says how each is presented. */
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

/** One route or socket of the agent, as its clients see it. */
export interface AgentContract {
  /** `any`: every method. */
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete' | 'any';
  /** Parameters in braces; the rest of an address is `{path}` at the end. */
  readonly path: `/${string}`;
  readonly token: TokenKind;
  readonly summary: string;
  readonly description?: string;
  /** Its fields, as the handler parses them. */
  readonly query?: ZodMiniType;
  /** A schema for JSON, or the media type of what is streamed. */
  readonly body?: ZodMiniType | `${string}/${string}`;
  /** By status; 101 for a socket. */
  readonly answers: Readonly<Record<number, AnswerShape>>;
  /** Beyond what follows from token, parameters, query and body. */
  readonly errors?: readonly NodeErrorCode[];
}

/** Routes of one area; the names of routes are the ids of their operations. */
export type AgentContracts = Readonly<Record<string, AgentContract>>;
