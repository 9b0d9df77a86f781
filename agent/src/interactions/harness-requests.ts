import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import type { ConversationSink } from '../conversation/conversation.js';
import { noticeOfRefusedLink } from '../conversation/notice.js';
import { elicitationQuestion, elicitationResponse } from './acp-elicitations.js';
import { cancelled, permissionQuestion, permissionResponse } from './acp-permissions.js';
import type { SessionInteractions } from './session-interactions.js';

/** Decides at once, or returns null for a person to decide. */
export type DecidePermission = (
  request: RequestPermissionRequest,
  permissionMode: string | null,
) => RequestPermissionResponse | null;

interface HarnessRequestsDeps {
  readonly interactions: SessionInteractions;
  readonly sink: Pick<ConversationSink, 'notice'>;
  readonly decidePermission: DecidePermission;
  /** The hard deadline of the prompt in flight. */
  readonly promptEndsAt: () => number | null;
}

/** Answers the requests of a session's harness: by its permission mode, or by asking a person. */
export class HarnessRequests {
  constructor(private readonly deps: HarnessRequestsDeps) {}

  async permission(
    request: RequestPermissionRequest,
    signal: AbortSignal,
    permissionMode: string | null,
  ): Promise<RequestPermissionResponse> {
    const { interactions, decidePermission, promptEndsAt } = this.deps;
    const decided = decidePermission(request, permissionMode);
    if (decided) return decided;
    const question = permissionQuestion(request);
    if (!question) return cancelled;
    return permissionResponse(request, await interactions.ask(question, signal, promptEndsAt()));
  }

  async elicitation(
    request: CreateElicitationRequest,
    signal: AbortSignal,
  ): Promise<CreateElicitationResponse> {
    const { interactions, promptEndsAt, sink } = this.deps;
    const question = elicitationQuestion(request);
    if (question) return elicitationResponse(await interactions.ask(question, signal, promptEndsAt()));
    if (request.mode === 'url') sink.notice(noticeOfRefusedLink((request as { url?: unknown }).url));
    return { action: 'cancel' };
  }
}
