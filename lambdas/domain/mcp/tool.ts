import type { z } from 'zod/mini';
import type { Log } from '../../shared/log.js';
import type { Table } from '../../shared/table.js';
import type { McpCaller } from '../mcp-tokens/verify-mcp-token.js';
import type { Action } from '../policy/actions.js';
import type { Capability } from '../projects/capability.js';
import type { WakeUpQueues } from '../prompts/wake-up.js';
import type { FinishParts } from '../tasks/finish-task.js';
import type { Task } from '../tasks/task.js';

/** What a tool is given beside its arguments. */
export interface ToolContext {
  readonly caller: McpCaller;
  readonly table: Table;
  readonly now: Date;
  readonly newId: () => string;
  readonly log: Log;
  readonly wakeUpQueues: WakeUpQueues;
  /** What it takes to end a task. */
  readonly endParts: Pick<FinishParts, 'stepFunctions' | 'endRunArn'>;
  /** Has a submitted task worked on; should that fail, the sweep does. */
  readonly startRun: (task: Task) => Promise<void>;
}

/**
 * What the person of the token must be allowed over HTTP for the agent to do it by this tool. A tool without an HTTP
 * equivalent gives the reason, and acts on nothing but the caller's own session and task.
 */
export type ToolPolicy =
  | { readonly equals: readonly [Action, ...Action[]] }
  | { readonly equals: 'none'; readonly reason: string; readonly capability: Capability };

/** Arguments that were read: what is wrong with them, or what to do with them. */
export type Prepared =
  | { readonly issues: readonly z.core.$ZodIssue[] }
  | {
      readonly run: (context: ToolContext) => Promise<object>;
      /** What it has answered before, if it is the very call that has ended the caller's task. */
      readonly again: (caller: McpCaller) => object | undefined;
    };

export interface Tool {
  readonly name: string;
  /** For the model that decides whether to call it. */
  readonly description: string;
  /** Project, task, session, workspace and person are those of the token and never arguments. */
  readonly args: z.ZodMiniType;
  readonly policy: ToolPolicy;
  /** It is about the caller's own task: refused in a conversation. */
  readonly needsTask: boolean;
  /** It changes nothing, so that a client may call it without asking. */
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
  readonly handle: (args: z.output<Args>, context: ToolContext) => Promise<object>;
  /** Of a tool that ends the caller's task: its answer to a repeat, which must be of the same arguments. */
  readonly again?: (args: z.output<Args>, caller: McpCaller) => object | undefined;
}

export function tool<Args extends z.ZodMiniType>(described: Description<Args>): Tool {
  const { name, description, args, policy, needsTask = false, isReadOnly = false, handle, again } = described;
  return {
    ...{ name, description, args, policy, needsTask, isReadOnly },
    prepare: (given) => {
      const read = args.safeParse(given);
      if (!read.success) return { issues: read.error.issues };
      const { data } = read;
      return { run: (context) => handle(data, context), again: (caller) => again?.(data, caller) };
    },
  };
}
