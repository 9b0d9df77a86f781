import * as z from 'zod/mini';
import { InvalidRequest } from '../../../shared/errors.js';
import { BranchName } from '../../code-host/branch-name.js';
import { OrdinaryChannelName } from '../../event-channels/channel-name.js';
import { LaunchSettings } from '../../launch/launch-layer.js';
import { maxPromptCharacters } from '../../prompts/prompt.js';
import { agentText, idOf, personText, repeatKey } from '../arguments.js';
import { withCoordinationChannel } from '../coordination-channel.js';
import { dispatch } from '../dispatch.js';
import { ideaFields } from '../idea.js';
import { placed, placementArgs } from '../placement-hints.js';
import { tool } from '../tool.js';

const { agentType, taskMode, workspaceProfile, devcontainerConfigName, resourceRequirements } =
  LaunchSettings.shape;

const inherited = 'Default: as the profile, skill, project and person set it.';

export const dispatchTask = tool({
  name: 'dispatch_task',
  description:
    'Start another agent on a new task of the same person, with its own workspace and branch. From a task, the new task is your subtask; from a conversation, it is a top-level task. The agent receives only the description and the references. Returns taskId, sessionId, branchName, runtime, runtimeReason and status; call wait_for_subtasks to wait for its end. Limits, unless the project sets others: 3 levels, 5 subtasks of a task, 10 active tasks of a project. Repeating the call within a day returns the same task (repeated is true); pass another idempotencyKey to start a second one.',
  policy: { equals: ['task.submit'] },
  args: z.strictObject({
    description: agentText(32_000, 'Complete instructions for the agent. The first line becomes the title.'),
    references: z._default(
      z
        .array(personText(500, 'A path in the repository or an address.'))
        .check(
          z.maxLength(20),
          z.describe(
            'Paths and addresses that the agent must read, at most 20 of 500 characters. They are appended to the description.',
          ),
        ),
      [],
    ),
    priority: z.optional(ideaFields.priority),
    agentProfileId: z.optional(idOf('Id of an agent profile of the project.')),
    skillId: z.optional(idOf('Id of a skill of the project.')),
    agentType: agentType.check(z.describe(`Type of the agent. ${inherited}`)),
    taskMode: taskMode.check(
      z.describe(
        `task: the agent completes the task itself. conversation: the task stays open for its person. ${inherited}`,
      ),
    ),
    workspaceProfile: workspaceProfile.check(
      z.describe(
        `full: the dev container of the repository. lightweight: the default image of the node. ${inherited}`,
      ),
    ),
    devcontainerConfigName: devcontainerConfigName.check(
      z.describe(`Use .devcontainer/<name>/devcontainer.json of the repository. ${inherited}`),
    ),
    resourceRequirements: resourceRequirements.check(z.describe(`Demands on the machine. ${inherited}`)),
    coordinationChannel: z.optional(
      OrdinaryChannelName.check(
        z.describe(
          'Event channel on which the new agent coordinates with others. Default: the channel of your own task, if it has one.',
        ),
      ),
    ),
    branch: z.optional(
      BranchName.check(
        z.describe(
          'Existing branch of the repository from which the branch of the task starts. Default: the default branch of the project.',
        ),
      ),
    ),
    ...placementArgs,
    vmSize: z.optional(
      z.string().check(z.maxLength(32), z.describe('Has no effect. Accepted from old clients.')),
    ),
    idempotencyKey: repeatKey('Distinguishes this task from another one with the same arguments.'),
  }),
  handle: async (asked, context) => {
    const { description, references, priority, agentProfileId, skillId, idempotencyKey } = asked;
    const placement = placed(asked, context.region);
    const coordinationChannel =
      asked.coordinationChannel ?? context.caller.task?.coordinationChannel ?? undefined;
    const message = withCoordinationChannel(
      [description, ...referencesOf(references)].join('\n\n'),
      coordinationChannel,
    );
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
    const submitted = await dispatch(
      context,
      {
        ...{ message, request, priority, agentProfileId, skillId, coordinationChannel },
        baseBranch: asked.branch,
      },
      idempotencyKey ?? JSON.stringify(asked),
    );
    return { ...submitted, ...placement };
  },
});

const referencesOf = (references: readonly string[]): string[] =>
  references.length > 0 ? [`Look at:\n${references.map((one) => `- ${one}`).join('\n')}`] : [];

const tooLong = () =>
  new InvalidRequest(
    `Description, references and channel section together are too long (limit ${maxPromptCharacters} characters). Shorten them.`,
    [
      {
        field: 'references',
        message: `Can have at most ${maxPromptCharacters} characters together with the description.`,
      },
    ],
  );
