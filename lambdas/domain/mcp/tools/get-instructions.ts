import * as z from 'zod/mini';
import type { Task } from '../../tasks/task.js';
import { tool } from '../tool.js';

export const getInstructions = tool({
  name: 'get_instructions',
  description:
    'Return your task, project and session and the instructions for your work. Call it first, and again when you have lost context. It takes no arguments. Each call returns the present state and changes nothing.',
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

function taskOf(task: Task) {
  const { taskId, title, description, status, priority, outputBranch, parentTaskId } = task;
  const { coordinationChannel } = task;
  return {
    id: taskId,
    title,
    description,
    status,
    priority,
    outputBranch,
    parentTaskId,
    coordinationChannel,
  };
}

const conversation = [
  'You work with a person in a conversation. Answer their questions and do what they ask. They read your messages as you write them.',
  'Commit and push the work that they want to keep. Unpushed work is lost when the workspace is deleted.',
];

const unpushed = 'Unpushed work is lost when the workspace is deleted.';

const ofTask = ({ outputBranch }: Task): readonly string[] => [
  'Do what the description of the task asks and nothing beyond it. Report your progress with update_task_status: nobody watches you all the time.',
  outputBranch
    ? `Commit your work and push it to the branch ${outputBranch}. ${unpushed}`
    : `Commit and push your work. ${unpushed}`,
  'When the work is done and pushed, call complete_task with a summary and the evidence that it works. The call ends the task.',
  'When you need an answer from a person, call request_human_input and end your turn.',
];
