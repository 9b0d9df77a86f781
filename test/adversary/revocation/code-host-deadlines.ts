import { gitTokenCheckSeconds } from '../../../protocol/callbacks.js';

interface CodeHostDeadline {
  /** What lives on the owner's access to the repository. */
  readonly live: string;
  /** Seconds after the loss within which it ends; null: it stays. */
  readonly endsWithinSeconds: number | null;
  readonly because: string;
}

/** A check counts for 5 minutes, and the agent asks again 5 minutes after its last question. */
const checked = 2 * gitTokenCheckSeconds;

/** Deadlines after a workspace's owner loses access to its repository on the code host. */
export const codeHostDeadlines = {
  newGitToken: {
    live: 'a new git token of a running workspace',
    endsWithinSeconds: gitTokenCheckSeconds,
    because: 'Berth asks the code host when the last answer is older than 5 minutes',
  },
  givenGitToken: {
    live: 'a git token that a running workspace already has',
    endsWithinSeconds: checked,
    because:
      'the agent asks again every 5 minutes while the token is valid, and the control plane then revokes it; if the ' +
      'agent or the code host does not answer, the token expires an hour after it was minted',
  },
  push: {
    live: 'a push, when the owner can still read but no longer write',
    endsWithinSeconds: checked,
    because: 'the next check replaces the token by one that can only read, and revokes the earlier one',
  },
  restart: {
    live: 'a restart',
    endsWithinSeconds: gitTokenCheckSeconds,
    because: 'Berth asks the code host when the last answer is older than 5 minutes',
  },
  rebuild: {
    live: 'a rebuild',
    endsWithinSeconds: gitTokenCheckSeconds,
    because: 'Berth asks the code host when the last answer is older than 5 minutes',
  },
  taskStart: {
    live: 'a task that is submitted and has no workspace yet',
    endsWithinSeconds: 0,
    because: 'Berth asks the code host when it creates the workspace of the task',
  },
  terminal: {
    live: 'an open terminal, and a new one in a running workspace',
    endsWithinSeconds: null,
    because:
      'the workspace belongs to the person; its files are a copy that the person had the right to make',
  },
  agentSession: {
    live: 'a running agent session, and the prompts queued for it',
    endsWithinSeconds: null,
    because: 'the agent works on the files of the workspace; its git access ends with that of the workspace',
  },
} as const satisfies Record<string, CodeHostDeadline>;
