import * as z from 'zod/mini';
import type { Task } from '../../tasks/task.js';
import { tool } from '../tool.js';

export const getInstructions = tool({
  name: 'get_instructions',
  description:
    'Return your task, project, session and the instructions for your work. Call it first, and again when you have lost context. The same call returns the present state.',
  policy: { equals: ['project.read', 'chat.read', 'task.read'] },
  isReadOnly: true,
  args: z.strictObject({}),
  handle: async (_args, { caller: { token, project, chat, task } }) => {
    const { chatSessionId, workspaceId, agentSessionId, contextType } = token;
    const { projectId, name, repository, defaultBranch } = project;
    return {
      context: { type: contextType, chatSessionId, workspaceId, agentSessionId },
      task: task && taskOf(task),
      session: { id: chatSessionId, topic: chat.topic },
      project: { id: projectId, name, repository, defaultBranch, repoProvider: 'github' },
      instructions: task?.taskMode === 'task' ? ofTask(task) : conversation,
    };
  },
});

function taskOf({ taskId, title, description, status, priority, outputBranch, parentTaskId }: Task) {
  return { id: taskId, title, description, status, priority, outputBranch, parentTaskId };
}

const conversation = [
  'You work with a person in a conversation. Answer what they ask; they see what you say as you say it.',
  'Commit and push what they want to keep: the workspace and what lies in it may be gone later.',
];

const ofTask = ({ outputBranch }: Task): readonly string[] => [
  'Do what the description of the task asks, and no more than that. Nobody watches you all the time: tell with update_task_status how it comes along.',
  outputBranch
    ? `Commit your work and push it to the branch ${outputBranch}: what is not pushed is lost when the task ends.`
    : 'Commit and push your work: what is not pushed is lost when the task ends.',
  'When it is done and pushed, call complete_task with a summary and how you know that it works. That ends the task.',
  'When you cannot go on without a person, call request_human_input and end your turn.',
];
