import type * as z from 'zod/mini';
import type { Log } from '../../shared/log.js';
import type { ObjectStore } from '../../shared/object-store.js';
import type { SigningKeys } from '../../shared/signing-keys.js';
import type { Table } from '../../shared/table.js';
import type { McpCaller } from '../mcp-tokens/verify-mcp-token.js';
import type { Offer } from '../nodes/instance-types.js';
import type { Action } from '../policy/actions.js';
import type { Capability } from '../projects/member.js';
import type { WakeUpQueues } from '../prompts/wake-up.js';
import type { FinishDeps } from '../tasks/finish-task.js';
import type { Task } from '../tasks/task.js';
import { namesOwner, ownerForbidden } from './owner-override.js';

/** Bytes of a list in a result: an agent reads all of it. */
export const maxAnswerBytes = 256 * 1_024;

/** The input of a tool beside its arguments. */
export interface ToolContext {
  readonly caller: McpCaller;
  readonly table: Table;
  readonly now: Date;
  readonly newId: () => string;
  readonly log: Log;
  readonly wakeUpQueues: WakeUpQueues;
  readonly sagas: FinishDeps['sagas'];
  /** Starts the run of a submitted task. The sweep starts it when this fails. */
  readonly startRun: (task: Task) => Promise<void>;
  readonly consoleUrl: string;
  readonly offer: Offer;
  readonly historyObjects: ObjectStore;
  readonly workspaceUrlTemplate: string;
  /** Of the deployment, in which all machines are. */
  readonly region: string;
  /** Sign the tokens with which nodes are asked. */
  readonly keys: SigningKeys;
  /** Whether events may wake agents. Without it they are only recorded. */
  readonly isEventWakeEnabled: boolean;
  /** Whether messages between agents go over channels; only with event wakes. */
  readonly areMessageChannelsEnabled: boolean;
}

/**
 * The HTTP actions that the person of the token must be allowed for the agent to use the tool. A
 * tool without an HTTP equivalent gives the reason, and acts only on the caller's own session and
 * task.
 */
export type ToolPolicy =
  | { readonly equals: readonly [Action, ...Action[]] }
  | { readonly equals: 'none'; readonly reason: string; readonly capability: Capability };

/** Parsed arguments: their issues, or the call. */
export type Prepared =
  | { readonly issues: readonly z.core.$ZodIssue[] }
  | {
      readonly run: (context: ToolContext) => Promise<object>;
      /** The answer to a repeat of the call that completed the caller's task. */
      readonly again: (caller: McpCaller) => object | undefined;
    };

export interface Tool {
  readonly name: string;
  /** For the model that decides whether to call it. */
  readonly description: string;
  /** Never project, task, session, workspace or person: those are the token's. */
  readonly args: z.ZodMiniType;
  readonly policy: ToolPolicy;
  /** It acts on the caller's own task: refused in a conversation. */
  readonly needsTask: boolean;
  /** It changes nothing, so that a client can call it without asking a person. */
  readonly isReadOnly: boolean;
  readonly prepare: (given: unknown) => Prepared;
}

interface Description<Args extends z.ZodMiniType> {
  readonly name: string;
  readonly description: string;
  readonly args: Args;
  readonly policy: ToolPolicy;
  readonly needsTask?: true;
  readonly isReadOnly?: true;
  /** It works on subscriptions of the caller: arguments that name another owner are forbidden. */
  readonly hasOwner?: true;
  readonly handle: (args: z.output<Args>, context: ToolContext) => Promise<object>;
  /**
   * For a tool that completes the caller's task: the answer to a repeat with the same arguments.
   */
  readonly again?: (args: z.output<Args>, caller: McpCaller) => object | undefined;
}

/** A refusal by the tool, so that a model reads it. */
const forbidden: Prepared = {
  run: () => Promise.reject(ownerForbidden()),
  again: () => undefined,
};

export function tool<Args extends z.ZodMiniType>(described: Description<Args>): Tool {
  const {
    name,
    description,
    args,
    policy,
    needsTask = false,
    isReadOnly = false,
    hasOwner,
    handle,
    again,
  } = described;
  return {
    name,
    description,
    args,
    policy,
    needsTask,
    isReadOnly,
    prepare: (given) => {
      if (hasOwner && namesOwner(given)) return forbidden;
      const read = args.safeParse(given);
      if (!read.success) return { issues: read.error.issues };
      const { data } = read;
      return { run: (context) => handle(data, context), again: (caller) => again?.(data, caller) };
    },
  };
}
