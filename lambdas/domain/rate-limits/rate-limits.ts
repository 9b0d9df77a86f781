import * as z from 'zod/mini';
import { channelSettings } from '../../shared/channel-settings.js';
import { readEnv } from '../../shared/env.js';

/** What a limit counts requests of; a route's wrapper knows which of these its caller is. */
export type Counted = 'person' | 'address' | 'workspace' | 'node' | 'agent' | 'project';

export interface RateLimit {
  readonly name: string;
  readonly per: Counted;
  readonly limit: number;
  readonly windowSeconds: number;
  /** How many of these requests one caller may have in progress at a time. */
  readonly inFlight?: number;
  /**
   * The edge leaves the count to the code that knows what costs: of a mint, of a JSON-RPC request.
   */
  readonly isCountedInside?: true;
  /** The factor of the deployment does not multiply it. */
  readonly isFixed?: true;
}

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

const standard = {
  WORKSPACE_CREATE: { name: 'WORKSPACE_CREATE', per: 'person', limit: 30, windowSeconds: hour },
  /** Stop, restart, rebuild and delete workspaces and nodes: compute, and calls of a node. */
  WORKSPACE_CHANGE: {
    name: 'WORKSPACE_CHANGE',
    per: 'person',
    limit: 120,
    windowSeconds: hour,
    inFlight: 4,
  },
  TERMINAL_TOKEN: { name: 'TERMINAL_TOKEN', per: 'person', limit: 60, windowSeconds: hour },
  /** More than terminals: a browser asks again until the workspace and its host are ready. */
  PREVIEW_TOKEN: { name: 'PREVIEW_TOKEN', per: 'person', limit: 120, windowSeconds: hour },
  CREDENTIAL_UPDATE: { name: 'CREDENTIAL_UPDATE', per: 'person', limit: 30, windowSeconds: hour },
  /** Each run takes a workspace, and perhaps a node. A repeat with the same key is not counted. */
  TASK_RUN: { name: 'TASK_RUN', per: 'person', limit: 120, windowSeconds: hour, isCountedInside: true },
  CHAT_CREATE: { name: 'CHAT_CREATE', per: 'person', limit: 120, windowSeconds: hour },
  PROMPT: { name: 'PROMPT', per: 'person', limit: 60, windowSeconds: minute },
  /** Start, interrupt and stop agents: a call of a node each. */
  AGENT_CONTROL: { name: 'AGENT_CONTROL', per: 'person', limit: 60, windowSeconds: minute, inFlight: 4 },
  /**
   * Files and git. Requests in progress at the turn of a window are not counted in the next one.
   */
  NODE_READ: { name: 'NODE_READ', per: 'person', limit: 2_000, windowSeconds: 10 * minute, inFlight: 4 },
  UPLOAD: { name: 'UPLOAD', per: 'person', limit: 120, windowSeconds: hour },
  /** Bytes of attachments. */
  UPLOAD_BYTES: {
    name: 'UPLOAD_BYTES',
    per: 'person',
    limit: 4 * 1024 ** 3,
    windowSeconds: day,
    isCountedInside: true,
    isFixed: true,
  },
  PROJECT_CREATE: { name: 'PROJECT_CREATE', per: 'person', limit: 30, windowSeconds: hour, inFlight: 4 },
  /** Lists that the code host is asked for. */
  CODE_HOST: { name: 'CODE_HOST', per: 'person', limit: 60, windowSeconds: minute, inFlight: 4 },
  INVITE_CREATE: { name: 'INVITE_CREATE', per: 'person', limit: 60, windowSeconds: hour },
  INVITE_ACCEPT: { name: 'INVITE_ACCEPT', per: 'person', limit: 30, windowSeconds: hour },
  /** Every other change that a person makes. */
  CHANGE: { name: 'CHANGE', per: 'person', limit: 300, windowSeconds: minute },
  /** Of all live sockets of a person, which share one throttle with everybody's. */
  LIVE_MESSAGE: {
    name: 'LIVE_MESSAGE',
    per: 'person',
    limit: 3_000,
    windowSeconds: minute,
    isCountedInside: true,
  },
  MCP: { name: 'MCP', per: 'agent', limit: 120, windowSeconds: minute, isCountedInside: true },
  /** Publications on event channels, by any agent: one transaction counts and publishes. */
  CHANNEL_PUBLISH: {
    name: 'CHANNEL_PUBLISH',
    per: 'project',
    limit: channelSettings.RATE_LIMIT_CHANNEL_PUBLISH,
    windowSeconds: minute,
    isCountedInside: true,
  },
  SIGN_IN: { name: 'SIGN_IN', per: 'address', limit: 10, windowSeconds: minute },
  /** The code host sends a browser back: one call of the code host or two. */
  SIGN_IN_RETURN: { name: 'SIGN_IN_RETURN', per: 'address', limit: 30, windowSeconds: minute },
  SIGN_OUT: { name: 'SIGN_OUT', per: 'address', limit: 60, windowSeconds: minute },
  /**
   * A separate limit: a stolen session that uses up others must not stop its owner from ending it.
   */
  SIGN_OUT_EVERYWHERE: { name: 'SIGN_OUT_EVERYWHERE', per: 'person', limit: 30, windowSeconds: minute },
  /** Of the code host, which has few addresses. A wrong signature is refused uncounted. */
  CODE_HOST_WEBHOOK: { name: 'CODE_HOST_WEBHOOK', per: 'address', limit: 3_000, windowSeconds: minute },
  BOOTSTRAP: { name: 'BOOTSTRAP', per: 'address', limit: 10, windowSeconds: minute },
  /** A heartbeat may sign a token; the agent sends one every 30 s. */
  HEARTBEAT: { name: 'HEARTBEAT', per: 'node', limit: 120, windowSeconds: minute },
  /** An agent renews once in some hours. */
  TOKEN_RENEWAL: { name: 'TOKEN_RENEWAL', per: 'workspace', limit: 20, windowSeconds: minute },
  /** Secrets are opened for each start of an agent, and sealed at its end. */
  AGENT_SECRETS: { name: 'AGENT_SECRETS', per: 'workspace', limit: 120, windowSeconds: minute },
  /** Usage figures of one agent session, which reports some after a turn. */
  CREDENTIAL_USAGE: {
    name: 'CREDENTIAL_USAGE',
    per: 'agent',
    limit: 120,
    windowSeconds: minute,
    isCountedInside: true,
  },
  /** Requests of agents that people answer: eight of a session wait at a time. */
  INTERACTION: { name: 'INTERACTION', per: 'workspace', limit: 60, windowSeconds: minute },
  /** Captures and restores; a capture takes four calls. */
  SNAPSHOT: { name: 'SNAPSHOT', per: 'workspace', limit: 60, windowSeconds: minute },
  /** Tokens minted at the code host, and checks of the owner's access, in one generation. */
  GIT_TOKEN: {
    name: 'GIT_TOKEN',
    per: 'workspace',
    limit: 1,
    windowSeconds: minute,
    isCountedInside: true,
    isFixed: true,
  },
} as const satisfies Record<string, RateLimit>;

export type RateLimitName = keyof typeof standard;

const { LIMIT_FACTOR: factor } = readEnv({ LIMIT_FACTOR: z._default(z.coerce.number(), 1) });

const inDeployment = (limit: RateLimit): RateLimit =>
  limit.isFixed ? limit : { ...limit, limit: Math.ceil(limit.limit * factor) };

/**
 * Fixed windows, counted in the table, with the numbers of requests that this deployment allows. A
 * route of `lambdas/routes.ts` names its limit; routes that name one share it.
 */
export const rateLimits = Object.fromEntries(
  Object.entries(standard).map(([name, limit]) => [name, inDeployment(limit)]),
) as {
  readonly [Name in RateLimitName]: Omit<(typeof standard)[Name], 'limit'> & { readonly limit: number };
};
