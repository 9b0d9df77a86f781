// GET /api/projects/{projectId}/sessions/{sessionId}/state
import { chatRoute } from '../../edge/chat-route.js';
import { stateView } from './chat-view.js';
import { state } from './contract.js';

export const handler = chatRoute(state, ({ chat }) => ({
  status: 200,
  body: {
    state: stateView(chat),
    agentSessionId: chat.agentSessionId,
    agentType: chat.activity?.agentType ?? null,
  },
}));
