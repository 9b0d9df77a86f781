import { gitTokenCheckSeconds } from '../../../protocol/callbacks.js';

export interface CodeHostDeadline {
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
    because: 'the code host is asked when the last answer is older than 5 minutes',
  },
  givenGitToken: {
    live: 'a git token that a running workspace was given before',
    endsWithinSeconds: checked,
    because:
      'the agent asks again every 5 minutes while the token lives, and the control plane then revokes it; if the agent ' +
      'or the code host does not answer, the token ends by itself an hour after it was minted',
  },
  push: {
    live: 'a push, when the owner may only read any more',
    endsWithinSeconds: checked,
    because: 'the next check replaces the token by one that reads, and revokes the one that writes',
  },
  restart: {
    live: 'a restart',
    endsWithinSeconds: gitTokenCheckSeconds,
    because: 'the code host is asked when the last answer is older than 5 minutes',
  },
  rebuild: {
    live: 'a rebuild',
    endsWithinSeconds: gitTokenCheckSeconds,
    because: 'the code host is asked when the last answer is older than 5 minutes',
  },
  taskStart: {
    live: 'a task that is submitted and has no workspace yet',
    endsWithinSeconds: 0,
    because: 'the code host is asked when the workspace of the task is made',
  },
  terminal: {
    live: 'an open terminal, and a new one in a running workspace',
    endsWithinSeconds: null,
    because: 'the workspace is the person’s own; its files are a copy that they had the right to make',
  },
  agentSession: {
    live: 'a running agent session, and the prompts queued for it',
    endsWithinSeconds: null,
    because: 'the agent works on the files that are there; its git ends as that of the workspace does',
  },
} as const satisfies Record<string, CodeHostDeadline>;
