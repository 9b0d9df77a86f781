import { DomainError, type FieldError } from '../../shared/errors.js';
import { hasField } from '../../shared/has-field.js';
import { mcpTokenInvalid } from '../mcp-tokens/errors.js';
import type { McpCaller } from '../mcp-tokens/verify-mcp-token.js';
import { actions } from '../policy/actions.js';
import { requireCapability } from '../policy/allow.js';
import { capabilityMissing } from '../projects/errors.js';
import { may } from '../projects/member.js';
import { countRequest } from '../rate-limits/count-request.js';
import { type RateLimit, rateLimits } from '../rate-limits/rate-limits.js';
import { ownTask } from './load-task.js';
import type { Prepared, Tool, ToolContext, ToolPolicy } from './tool.js';

type Ready = Extract<Prepared, { run: unknown }>;

interface ToolResult {
  readonly content: readonly [{ readonly type: 'text'; readonly text: string }];
  readonly isError?: true;
}

const resultOf = (answer: object): ToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(answer) }],
});

/**
 * The answer to a repeat of the call that completed the caller's task.
 *
 * @throws {mcpTokenInvalid} any other call: the token has ended
 */
export function repeatCompletion({ again }: Ready, caller: McpCaller): ToolResult {
  const answer = again(caller);
  if (!answer) throw mcpTokenInvalid();
  return resultOf(answer);
}

/**
 * Runs a tool for its caller. A refusal is a result too, so that the model can read it and choose
 * another way; only a bug is thrown.
 */
export async function callTool(
  { policy, needsTask, args }: Pick<Tool, 'policy' | 'needsTask' | 'args'>,
  { run }: Ready,
  context: ToolContext,
): Promise<ToolResult> {
  const { caller, log } = context;
  try {
    if (needsTask) ownTask(caller);
    requirePolicy(policy, caller);
    await countPolicy(policy, context);
    return resultOf(await run(context));
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { code, message, details, data } = error;
    log.info('Tool refused', { code });
    const text = JSON.stringify({
      error: code,
      message,
      ...data,
      ...(details ? { details: details.map(inArguments(args)) } : {}),
    });
    return { content: [{ type: 'text', text }], isError: true };
  }
}

/** @throws {capabilityMissing} of an HTTP action that the tool equals */
function requirePolicy(policy: ToolPolicy, { member }: Pick<McpCaller, 'member'>): void {
  if (policy.equals !== 'none') {
    for (const action of policy.equals) requireCapability(action, { member });
  } else if (!may(member, policy.capability)) throw capabilityMissing(policy.capability);
}

/**
 * Counts the call against the limits of the HTTP actions that the tool equals, for the same person.
 * A limit that its use case counts is left to it.
 *
 * @throws {RateLimited}
 */
async function countPolicy(policy: ToolPolicy, { caller, table, now }: ToolContext): Promise<void> {
  if (policy.equals === 'none') return;
  const names = new Set(policy.equals.flatMap((action) => actions[action].limit ?? []));
  for (const name of names) {
    const limit: RateLimit = rateLimits[name];
    if (!limit.isCountedInside) await countRequest(table, limit, { id: caller.token.userId, now });
  }
}

const inArguments =
  (args: Tool['args']) =>
  ({ field, message }: FieldError): FieldError => {
    const [name = ''] = field.split('.');
    return { field: hasField(args, name) ? `arguments.${field}` : field, message };
  };
