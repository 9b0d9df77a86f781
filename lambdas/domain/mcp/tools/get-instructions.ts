import * as z from 'zod/mini';
import { Chat, chatKey } from '../../chats/chat.js';
import { getItems } from '../../records/get-items.js';
import { tool } from '../tool.js';

export const getInstructions = tool({
  name: 'get_instructions',
  description:
    'What you work on, in which project and conversation, and how your work is to end. Call it first, and again when you have lost track.',
  rights: { capability: 'project:read' },
  isReadOnly: true,
  args: z.strictObject({}),
  handle: async (_args, { caller: { token, project }, table }) => {
    const { chatSessionId, workspaceId, agentSessionId, contextType } = token;
    const key = chatKey(chatSessionId);
    const found = (await getItems(table, [key]))(key);
    const { projectId, name, repository, defaultBranch } = project;
    return {
      context: { type: contextType, chatSessionId, workspaceId, agentSessionId },
      task: null,
      session: { id: chatSessionId, topic: found ? Chat.parse(found).topic : null },
      project: { id: projectId, name, repository, defaultBranch, repoProvider: 'github' },
      instructions: conversation,
    };
  },
});

const conversation = [
  'You work with a person in a conversation. Answer what they ask; they see what you say as you say it.',
  'Commit and push what they want to keep: the workspace and what lies in it may be gone later.',
];
