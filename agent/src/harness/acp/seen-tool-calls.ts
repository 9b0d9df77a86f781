import type { RequestPermissionRequest } from '@agentclientprotocol/sdk';
import * as z from 'zod/mini';
import { RecentEntries } from '../../shared/recent-entries.js';

/** Tool calls that may still request a permission. */
const maxSeen = 256;

/** Codex names the MCP server of a call at its start, and not in its permission request. */
const ToolCall = z.object({
  update: z.object({
    sessionUpdate: z.literal('tool_call'),
    toolCallId: z.string(),
    title: z.optional(z.string()),
    rawInput: z.optional(z.unknown()),
    _meta: z.nullish(z.object({ is_mcp_tool_call: z.optional(z.boolean()) })),
  }),
});
const McpInput = z.object({ server: z.string() });
/** Claude Code names the server in the request. One of the repository has another source. */
const ClaudeServer = z.object({ name: z.string(), source: z.literal('dynamic') });
const ClaudeMeta = z.object({ claudeCode: z.object({ mcpServer: ClaudeServer }) });
const CodexMeta = z.object({ is_mcp_tool_approval: z.literal(true) });

interface SeenToolCall {
  readonly title: string | undefined;
  readonly mcpServer: string | null;
}

/** Completes permission requests with the earlier updates of their tool calls. */
export class SeenToolCalls {
  private readonly seen = new RecentEntries<SeenToolCall>(maxSeen);

  /** @param ownServers names of the MCP servers that the control plane gave the session */
  constructor(private readonly ownServers: ReadonlySet<string>) {}

  /** Called when the update arrives: a permission request does not wait for the updates before. */
  observe(params: unknown): void {
    if (!isToolCall(params)) return;
    const parsed = ToolCall.safeParse(params);
    if (!parsed.success) return;
    const { toolCallId, title, rawInput, _meta } = parsed.data.update;
    const input = _meta?.is_mcp_tool_call ? McpInput.safeParse(rawInput).data : undefined;
    this.seen.set(toolCallId, { title, mcpServer: input?.server ?? null });
  }

  /** Whether the request is for a tool of the control plane, such as `complete_task`. */
  isOwn({ toolCall, _meta }: RequestPermissionRequest): boolean {
    const claude = ClaudeMeta.safeParse(toolCall._meta);
    if (claude.success) return this.ownServers.has(claude.data.claudeCode.mcpServer.name);
    if (!CodexMeta.safeParse(_meta).success) return false;
    const server = this.seen.find(toolCall.toolCallId)?.mcpServer;
    return server !== undefined && server !== null && this.ownServers.has(server);
  }

  /** With the title of its tool call, where it has none itself. */
  titled(request: RequestPermissionRequest): RequestPermissionRequest {
    const title = request.toolCall.title ?? this.seen.find(request.toolCall.toolCallId)?.title;
    return title === undefined ? request : { ...request, toolCall: { ...request.toolCall, title } };
  }
}

/** Spares the other updates, which are more frequent, a copy. */
function isToolCall(params: unknown): boolean {
  const { update } = (params ?? {}) as { readonly update?: { readonly sessionUpdate?: unknown } };
  return update?.sessionUpdate === 'tool_call';
}
