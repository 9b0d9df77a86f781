import type { ContentBlock, Plan, ToolCall, ToolCallContent } from '@agentclientprotocol/sdk';

export const cutMark = '\n\n[truncated]';

/** Truncates to this many bytes of UTF-8, at a character boundary, and appends a mark. */
export function cutText(text: string, maxBytes: number, mark = cutMark): string {
  // A UTF-16 code unit takes at most three bytes of UTF-8.
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
  return headOf(text, maxBytes - Buffer.byteLength(mark)) + mark;
}

/** The longest beginning within this many bytes of UTF-8, at a character boundary. */
export function headOf(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(Math.max(0, maxBytes)));
  return text.slice(0, read);
}

/** Replaces unpaired surrogates, which cannot be stored as UTF-8. */
export function metadataText(value: Readonly<Record<string, unknown>> | null): string | null {
  if (value === null) return null;
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'string' ? part.toWellFormed() : part));
}

const maxMetadataBytes = 8_192;
const maxLocations = 20;
const planMarks = { pending: '[ ]', in_progress: '[~]', completed: '[x]' } as const;

/** Converts ACP content to the text of chat messages. */
export const describeUpdate = {
  block(block: ContentBlock): string {
    switch (block.type) {
      case 'text':
        return block.text;
      case 'resource_link':
        return `[${block.name}](${block.uri})`;
      case 'resource':
        return 'text' in block.resource ? block.resource.text : `[${block.resource.uri}]`;
      default:
        return `[${block.mimeType}]`;
    }
  },

  plan({ entries }: Plan): string {
    return entries.map(({ status, content }) => `- ${planMarks[status] ?? '[ ]'} ${content}`).join('\n');
  },

  tool({ content = [], rawOutput }: ToolCall): string {
    const hasOutput = rawOutput !== undefined && rawOutput !== null;
    const parts = content.filter(({ type }) => type !== 'terminal' || !hasOutput);
    if (parts.length > 0) return parts.map(toolPart).join('\n\n');
    if (rawOutput === undefined || rawOutput === null) return '';
    return typeof rawOutput === 'string' ? rawOutput : JSON.stringify(rawOutput);
  },

  /** Excludes the input of the tool (`rawInput`), which stays on the node. */
  toolMetadata(call: ToolCall): Readonly<Record<string, unknown>> {
    const summary = {
      toolCallId: call.toolCallId.slice(0, 256),
      title: call.title.slice(0, 512),
      kind: call.kind ?? 'other',
      status: call.status ?? 'pending',
      ...(call.name ? { toolName: call.name.slice(0, 256) } : {}),
    };
    const locations = call.locations
      ?.slice(0, maxLocations)
      .map(({ path, line }) => ({ path, line: line ?? null }));
    const whole = { ...summary, ...(locations?.length ? { locations } : {}) };
    const size = Buffer.byteLength(JSON.stringify(whole));
    if (size <= maxMetadataBytes) return whole;
    return { ...summary, contentTruncated: true, transportTruncated: true, originalSizeBytes: size };
  },
};

function toolPart(part: ToolCallContent): string {
  if (part.type === 'content') return describeUpdate.block(part.content);
  if (part.type === 'terminal') return `[terminal ${part.terminalId}]`;
  return [part.path, ...marked('-', part.oldText ?? ''), ...marked('+', part.newText)].join('\n');
}

function marked(mark: string, text: string): string[] {
  return text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => mark + line);
}
