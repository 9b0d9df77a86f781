import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useServices } from '../app/services.js';
import { Loaded } from '../ui/loaded.js';
import type { ChatPlace } from './chat-place.js';
import { ToolOutput } from './tool-output.js';
import type { Entry } from './transcript.js';

interface ToolRowProps {
  readonly entry: Entry;
  readonly where: ChatPlace;
}

const verbs: Readonly<Record<string, string>> = {
  ...{ read: 'Read', edit: 'Edit', delete: 'Delete', move: 'Move', search: 'Search', execute: 'Run' },
  ...{ think: 'Think', fetch: 'Fetch', other: 'Tool', tool: 'Tool' },
};
const ends: Readonly<Record<string, string>> = { failed: 'failed', in_progress: 'runs', pending: 'runs' };

/** One line a call. What the tool said is read when the line is opened. */
export function ToolRow({ entry, where }: ToolRowProps) {
  const [isOpen, setOpen] = useState(false);
  const { toolMetadata, hasToolContent, sequence } = entry.message;
  const title = String(toolMetadata?.title ?? 'Tool');
  const kind = String(toolMetadata?.kind ?? 'tool');
  const line = <ToolLine kind={kind} title={title} status={String(toolMetadata?.status)} />;
  if (!hasToolContent && entry.content === '') return <li className="tool">{line}</li>;
  return (
    <li className="tool">
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{line}</summary>
        {isOpen &&
          (hasToolContent ? (
            <Said sequence={sequence} where={where} kind={kind} title={title} />
          ) : (
            <ToolOutput kind={kind} title={title} text={entry.content} />
          ))}
      </details>
    </li>
  );
}

function ToolLine({ kind, title, status }: Readonly<Record<'kind' | 'title' | 'status', string>>) {
  const end = ends[status];
  return (
    <>
      <span className="tool-kind">{verbs[kind] ?? kind}</span> <code>{title}</code>
      {end && <span className={end === 'failed' ? 'bad-text' : 'quiet'}> {end}</span>}
    </>
  );
}

interface SaidProps {
  readonly sequence: number;
  readonly where: ChatPlace;
  readonly kind: string;
  readonly title: string;
}

function Said({ sequence, where, kind, title }: SaidProps) {
  const { client } = useServices();
  const said = useQuery({
    queryKey: ['tool-content', where.sessionId, sequence],
    queryFn: ({ signal }) =>
      client.call('GET /api/projects/{projectId}/sessions/{sessionId}/messages/{sequence}/tool-content', {
        params: { ...where, sequence: String(sequence) },
        signal,
      }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Loaded query={said}>
      {({ content }) => <ToolOutput kind={kind} title={title} text={textOf(content)} />}
    </Loaded>
  );
}

const textOf = (content: unknown): string =>
  typeof content === 'string' ? content : JSON.stringify(content, null, 2);
