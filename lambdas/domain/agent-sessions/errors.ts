import { Conflict, NotFound } from '../../shared/errors.js';
import { maxRunningSessions } from './agent-session.js';

export class AgentSessionNotFound extends NotFound {
  override readonly name = 'AgentSessionNotFound';

  constructor() {
    super('Agent session');
  }
}

export class AgentSessionLimitReached extends Conflict {
  override readonly name = 'AgentSessionLimitReached';
  override readonly code = 'AGENT_SESSION_LIMIT_REACHED';

  constructor() {
    super(
      `Workspace runs ${maxRunningSessions} agent sessions (limit ${maxRunningSessions}). Stop one of them first.`,
    );
  }
}

/** One error for all reasons: another person's chat is not revealed. */
export const chatNotJoinable = () => {
  const message =
    'Must be an active chat session of yours in the project of the workspace, without an agent and without a task.';
  return new Conflict(`The agent session cannot join this chat session. ${message}`, {
    code: 'SESSION_NOT_JOINABLE',
    details: [{ field: 'chatSessionId', message }],
  });
};
