import * as z from 'zod/mini';
import {
  CancelAnswer,
  AgentSession as NodeAgentSession,
  PromptEnvelope,
  PromptReceipt,
  promptProtocolVersion,
  type StartAgentSession,
  UnknownReceipt,
} from '../../../protocol/agent-sessions.js';
import type { AgentSession } from '../agent-sessions/agent-session.js';
import { callNode, type NodeCall } from './call-node.js';
import { managementToken, type NodeAccess } from './node-access.js';

/**
 * The capabilities that deliveries use. A node of another protocol version may send more fields.
 */
const Capabilities = z.object({
  protocolVersion: z.int(),
  runtimeIdentity: z.string(),
  promptReceipts: z.object({ supported: z.boolean(), lookup: z.boolean() }),
});

const SeenSession = z.pick(NodeAgentSession, { id: true, status: true, hostStatus: true });
type SeenSession = z.infer<typeof SeenSession>;

interface NodeCapabilities {
  readonly runtimeIdentity: string;
  readonly protocolVersion: number;
  readonly receiptSupported: boolean;
}

/** How an agent is begun, besides the text to begin it with. */
export type StartSettings = Omit<
  StartAgentSession,
  'protocolVersion' | 'deliveryId' | 'messageId' | 'initialPrompt'
>;

export interface Submission {
  readonly deliveryId: string;
  readonly messageId: string;
  readonly text: string;
  /** Given: the agent is begun with the text. */
  readonly start: StartSettings | undefined;
}

type Subject = Pick<AgentSession, 'workspaceId' | 'agentSessionId' | 'userId'>;
type Request = Pick<NodeCall<z.ZodMiniType>, 'method' | 'path' | 'body'>;

/**
 * The calls of one attempt about one agent session on its node, with one token. Each throws
 * NodeUnreachable, or NodeRefused for a status that its comment does not list as an answer.
 */
export class NodePrompts {
  private constructor(
    private readonly access: NodeAccess,
    private readonly subject: Subject,
    private readonly token: string,
  ) {}

  static async open(access: NodeAccess, subject: Subject): Promise<NodePrompts> {
    return new NodePrompts(access, subject, await managementToken(access, subject));
  }

  async capabilities(): Promise<NodeCapabilities> {
    const { workspaceId } = this.subject;
    const path = `/workspaces/${workspaceId}/agent-capabilities`;
    const { promptReceipts, ...capabilities } = await this.call({ method: 'GET', path }, Capabilities);
    const isSpoken = capabilities.protocolVersion === promptProtocolVersion;
    return {
      ...capabilities,
      receiptSupported: isSpoken && promptReceipts.supported && promptReceipts.lookup,
    };
  }

  /** 202, 200 and 409 alike: the envelope says which. */
  submit({ deliveryId, messageId, text, start }: Submission): Promise<PromptEnvelope> {
    const envelope = { protocolVersion: promptProtocolVersion, deliveryId, messageId };
    const request = start
      ? { path: this.path('start'), body: { ...start, ...envelope, initialPrompt: text } }
      : { path: this.path('prompt'), body: { ...envelope, prompt: text } };
    return this.call({ method: 'POST', ...request }, PromptEnvelope, [409]);
  }

  /** Returns `not_found` when the agent says so. A 404 without that body throws NodeRefused. */
  receipt(deliveryId: string): Promise<PromptReceipt | UnknownReceipt> {
    const path = this.path(`prompt-receipts/${deliveryId}`);
    return this.call({ method: 'GET', path }, z.union([PromptReceipt, UnknownReceipt]), [404]);
  }

  /** Ends the turn that runs, if one does. */
  cancel(): Promise<CancelAnswer> {
    return this.call({ method: 'POST', path: this.path('cancel') }, CancelAnswer, [409]);
  }

  /** The session on its node; undefined when the node has no such session. */
  async readSession(): Promise<SeenSession | undefined> {
    const { workspaceId, agentSessionId } = this.subject;
    const path = `/workspaces/${workspaceId}/agent-sessions`;
    const { sessions } = await this.call(
      { method: 'GET', path },
      z.object({ sessions: z.array(SeenSession) }),
    );
    return sessions.find(({ id }) => id === agentSessionId);
  }

  /** Makes a failed or suspended session `running`. The next prompt starts its agent. */
  async resume(): Promise<void> {
    await this.call({ method: 'POST', path: this.path('resume') }, SeenSession);
  }

  private path(rest: string): string {
    const { workspaceId, agentSessionId } = this.subject;
    return `/workspaces/${workspaceId}/agent-sessions/${agentSessionId}/${rest}`;
  }

  private call<Schema extends z.ZodMiniType>(
    request: Request,
    reply: Schema,
    repliesBy: readonly number[] = [],
  ): Promise<z.output<Schema>> {
    const { address, timeoutMs } = this.access;
    const { workspaceId } = this.subject;
    return callNode(address, {
      ...request,
      workspaceId,
      token: this.token,
      timeoutMs,
      reply,
      replyStatuses: repliesBy,
    });
  }
}
