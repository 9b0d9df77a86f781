import type { TurnEnd } from './conversation.js';

/** A statement of the node agent about the session: a `system` message in the chat. */
export interface Notice {
  /** Stable code beside the text. */
  readonly code: string;
  /** Redacted. States what happened and what to do. */
  readonly text: string;
}

const howToContinue = 'A message to this session starts the agent again, unless its task has ended.';

/** The notice of a turn that ended with a failure; null for any other end. */
export function noticeOfEnd({ stopReason, errorMessage, errorCode, isContextFull }: TurnEnd): Notice | null {
  const reason = errorMessage ?? 'The reason is unknown.';
  switch (stopReason) {
    case 'recovered':
      return { code: errorCode, text: reason };
    case 'error':
      if (errorCode === conversationLost) return noticeOfLostConversation(reason);
      if (isContextFull) return noticeOfFullContext(reason);
      return {
        code: errorCode || 'turn_failed',
        text: `The turn failed. ${sentence(reason)}\nThe agent runs and has the conversation. Send a message to continue.`,
      };
    case 'fatal_error':
      return noticeOfFailure(reason, errorCode);
    default:
      return null;
  }
}

export const conversationLost = 'conversation_lost';

function noticeOfFullContext(reason: string): Notice {
  const next =
    'The conversation no longer fits into the context of the model, and a repeat fails too. Start a new session, and begin it with a summary of this conversation.';
  return { code: 'context_full', text: `The turn failed. ${sentence(reason)}\n${next}` };
}

/** The notice of a session whose ACP session could not be loaded. */
export function noticeOfLostConversation(reason: string): Notice {
  const next =
    'A message to this session continues in a new session of the agent, which begins with a summary of this conversation and knows nothing else of it.';
  return { code: conversationLost, text: `${sentence(reason)}\n${next}` };
}

/** The notice of a session that becomes `error`. */
export function noticeOfFailure(reason: string, code: string): Notice {
  const text = `The agent has stopped. ${sentence(reason)}\n${howToContinue}`;
  return { code: code || 'agent_failed', text };
}

/**
 * Nobody answered a request of the agent in time. Without its text: the chat keeps the notice
 * longer than the control plane may keep the request.
 */
export function noticeOfExpired(waitedMs: number): Notice {
  const minutes = Math.max(1, Math.round(waitedMs / 60_000));
  const text = `Nobody answered a request of the agent within ${minutes} min, so it was refused. Send a message to continue.`;
  return { code: 'interaction_expired', text };
}

/** The control plane does not take the requests of the session. */
export function noticeOfUnreported(reason: string): Notice {
  const text = `The agent waits for an answer that the project's page cannot give. Open the agent in its workspace to answer. Reason: ${sentence(reason)}`;
  return { code: 'interaction_unreported', text };
}

/** A link that no person is shown. */
export function noticeOfRefusedLink(url: unknown): Notice {
  const host = typeof url === 'string' ? (URL.parse(url)?.hostname ?? '') : '';
  const isLoopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host);
  return isLoopback
    ? {
        code: 'unsupported_loopback_auth',
        text: 'The agent wanted to sign in with a page on its own machine, which no browser reaches. Use a credential of the project instead.',
      }
    : {
        code: 'link_refused',
        text: 'The agent wanted to show a link that is no https address of a public site. It was refused.',
      };
}

function sentence(text: string): string {
  return /[.!?]$/.test(text.trimEnd()) ? text.trimEnd() : `${text.trimEnd()}.`;
}
