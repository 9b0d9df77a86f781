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
