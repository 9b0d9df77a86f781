import type { ResolvedLaunch } from '../launch/resolve-launch.js';
import { canUseTools } from '../mcp-tokens/mcp-servers.js';
import { attachmentsFolder } from './attachment.js';
import type { Task } from './task.js';

/** What an agent is told beside the message: where its work goes and how it ends, then what people have added. */
export function instructionsOf(
  { outputBranch, taskMode, contextSummary, attachments }: Task,
  { agentType, systemPromptAppend }: Pick<ResolvedLaunch, 'agentType' | 'systemPromptAppend'>,
): string {
  return [
    `You work by yourself in a clone of the repository, on the branch ${outputBranch}. Commit your work there and push it: what is not pushed is lost with the workspace.`,
    (canUseTools(agentType.value) ? withTools : withoutTools)[taskMode],
    ...(attachments.length === 0
      ? []
      : [
          `Files that belong to the task are in ${attachmentsFolder}, seen from the repository: ${attachments.map(({ filename }) => filename).join(', ')}`,
        ]),
    ...(contextSummary === null ? [] : [`What led to this task:\n${contextSummary}`]),
    ...systemPromptAppend.map(({ text }) => text),
  ].join('\n\n');
}

const withTools: Readonly<Record<Task['taskMode'], string>> = {
  task: 'Call the tool get_instructions first. When the work is done and pushed, call complete_task with a summary and the evidence that it works; that ends the task. When you need a person, call request_human_input and end your turn.',
  conversation:
    'Call the tool get_instructions first. This is a conversation: answer, and end your turn when you wait for the person.',
};

/** Of an agent that can be given none: its person ends the task. */
const withoutTools: Readonly<Record<Task['taskMode'], string>> = {
  task: 'When the work is done and pushed, say what you did and how you know that it works, and end your turn. When you need a person, ask and end your turn: their answer is your next prompt.',
  conversation: 'This is a conversation: answer, and end your turn when you wait for the person.',
};
