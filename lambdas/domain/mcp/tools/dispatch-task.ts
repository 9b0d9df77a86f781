import * as z from 'zod/mini';
import { Ulid } from '../../../../protocol/ids.js';
import { InvalidRequest } from '../../../shared/errors.js';
import { LaunchSettings } from '../../launch/launch-layer.js';
import { maxPromptCharacters } from '../../prompts/prompt.js';
import { maxPriority } from '../../tasks/task.js';
import { dispatch } from '../dispatch.js';
import { RepeatKey, tool } from '../tool.js';

const { agentType, taskMode, workspaceProfile, devcontainerConfigName, resourceRequirements } =
  LaunchSettings.shape;

export const dispatchTask = tool({
  name: 'dispatch_task',
  description:
    'Start another agent on a new task of the same person, in its own workspace and on its own branch. The agent gets only the description (at most 32,000 characters) and the references. Dispatched from a task, it is a subtask of yours. Returns taskId, sessionId and branchName; use wait_for_subtasks to wait for its end. Repeating the call within a day returns the same task; pass another idempotencyKey to start a second one.',
  policy: { equals: ['task.submit'] },
  args: z.strictObject({
    description: z.string().check(z.maxLength(32_000), z.regex(/\S/u, 'Must contain text')),
    references: z._default(
      z.array(z.string().check(z.trim(), z.minLength(1), z.maxLength(500))).check(z.maxLength(20)),
      [],
    ),
    priority: z.optional(z.int().check(z.gte(0), z.lte(maxPriority))),
    agentProfileId: z.optional(Ulid),
    skillId: z.optional(Ulid),
    agentType,
    taskMode,
    workspaceProfile,
    devcontainerConfigName,
    resourceRequirements,
    /** Accepted from old callers and ignored. */
    vmSize: z.optional(z.string().check(z.maxLength(32))),
    idempotencyKey: z.optional(RepeatKey),
  }),
  handle: (asked, context) => {
    const { description, references, priority, agentProfileId, skillId, idempotencyKey } = asked;
    const message = [description, ...referencesOf(references)].join('\n\n');
    if (message.length > maxPromptCharacters) throw tooLong();
    const request = Object.fromEntries(
      Object.entries({
        agentType: asked.agentType,
        taskMode: asked.taskMode,
        workspaceProfile: asked.workspaceProfile,
        devcontainerConfigName: asked.devcontainerConfigName,
        resourceRequirements: asked.resourceRequirements,
      }).filter(([, value]) => value !== undefined),
    );
    return dispatch(
      context,
      { message, request, priority, agentProfileId, skillId },
      idempotencyKey ?? JSON.stringify(asked),
    );
  },
});

const referencesOf = (references: readonly string[]): string[] =>
  references.length > 0 ? [`Look at:\n${references.map((one) => `- ${one}`).join('\n')}`] : [];

const tooLong = () =>
  new InvalidRequest(
    `Description and references together are too long (limit ${maxPromptCharacters} characters). Shorten them.`,
    [
      {
        field: 'references',
        message: `Can have at most ${maxPromptCharacters} characters together with the description.`,
      },
    ],
  );
