import type { ResolvedLaunch } from '../launch/resolve-launch.js';
import { canUseTools } from '../mcp-tokens/mcp-servers.js';
import { attachmentsFolder } from './attachment.js';
import type { Task } from './task.js';

/**
 * Instructions beside the message: branch, tools, attachments, then the texts of the launch
 * settings.
 */
export function instructionsOf(
  { outputBranch, taskMode, contextSummary, attachments }: Task,
  { agentType, systemPromptAppend }: Pick<ResolvedLaunch, 'agentType' | 'systemPromptAppend'>,
): string {
  return [
    `You work alone in a clone of the repository, on the branch ${outputBranch}. Commit your work on this branch and push it: unpushed work is lost when the workspace is deleted.`,
    (canUseTools(agentType.value) ? withTools : withoutTools)[taskMode],
    ...(attachments.length === 0
      ? []
      : [
          `The files of the task are in ${attachmentsFolder} (relative to the repository): ${attachments.map(({ filename }) => filename).join(', ')}`,
        ]),
    ...(contextSummary === null ? [] : [`Context of this task:\n${contextSummary}`]),
    ...systemPromptAppend.map(({ text }) => text),
  ].join('\n\n');
}

const withTools: Readonly<Record<Task['taskMode'], string>> = {
  task: 'Call the tool get_instructions first. When the work is done and pushed, call complete_task with a summary and the evidence that it works. That ends the task. When you need an answer from a person, call request_human_input and end your turn.',
  conversation:
    'Call the tool get_instructions first. This is a conversation: answer, then end your turn to wait for the person.',
};

/** For an agent that cannot use MCP tools: the person ends the task. */
const withoutTools: Readonly<Record<Task['taskMode'], string>> = {
  task: 'When the work is done and pushed, report what you did and how you verified it, then end your turn. When you need an answer from a person, ask and end your turn: the answer is your next prompt.',
  conversation: 'This is a conversation: answer, then end your turn to wait for the person.',
};
