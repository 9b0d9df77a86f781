import { DomainError } from '../../shared/errors.js';
import { CapabilityMissing } from '../projects/errors.js';
import { capabilitiesOf } from '../projects/member.js';
import { ownTask } from './own-task.js';
import type { Prepared, Tool, ToolContext } from './tool.js';

export interface ToolResult {
  readonly content: readonly [{ readonly type: 'text'; readonly text: string }];
  readonly isError?: true;
}

/**
 * Runs a tool for its caller. What it refuses is a result too: the model reads it and can do something else; only a bug
 * is thrown.
 */
export async function callTool(
  { rights }: Pick<Tool, 'rights'>,
  { run }: Extract<Prepared, { run: unknown }>,
  context: ToolContext,
): Promise<ToolResult> {
  const { caller, log } = context;
  try {
    if (rights.task) ownTask(caller);
    if (!capabilitiesOf[caller.member.role].includes(rights.capability))
      throw new CapabilityMissing(rights.capability);
    return { content: [{ type: 'text', text: JSON.stringify(await run(context)) }] };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { code, message, details } = error;
    log.info('Tool refused', { code });
    const text = JSON.stringify({ error: code, message, ...(details ? { details } : {}) });
    return { content: [{ type: 'text', text }], isError: true };
  }
}
