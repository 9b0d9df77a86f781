import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useServices } from '../app/services.js';
import { Failure } from '../ui/failure.js';
import type { ChatPlace } from './entry-row.js';
import type { Entry } from './transcript.js';

interface ToolRowProps {
  readonly entry: Entry;
  readonly where: ChatPlace;
}

const ends: Readonly<Record<string, string>> = { failed: 'failed', in_progress: 'runs', pending: 'runs' };

/** One line a call. What the tool said is read when the line is opened. */
export function ToolRow({ entry, where }: ToolRowProps) {
  const [isOpen, setOpen] = useState(false);
  const { toolMetadata, hasToolContent, sequence } = entry.message;
  const title = String(toolMetadata?.title ?? 'Tool');
  const status = ends[String(toolMetadata?.status)];
  const line = (
    <>
      <span className="tool-kind">{String(toolMetadata?.kind ?? 'tool')}</span> <code>{title}</code>
      {status && <span className={status === 'failed' ? 'bad-text' : 'quiet'}> {status}</span>}
    </>
  );
  if (!hasToolContent && entry.content === '') return <li className="tool">{line}</li>;
  return (
    <li className="tool">
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{line}</summary>
        {isOpen &&
          (hasToolContent ? <Said sequence={sequence} where={where} /> : <Output text={entry.content} />)}
      </details>
    </li>
  );
}

function Said({ sequence, where }: { readonly sequence: number; readonly where: ChatPlace }) {
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
  if (said.isPending) return <p className="loading">Loading …</p>;
  if (said.isError) return <Failure error={said.error} retry={() => void said.refetch()} />;
  return <Output text={textOf(said.data.content)} />;
}

const textOf = (content: unknown): string =>
  typeof content === 'string' ? content : JSON.stringify(content, null, 2);

/** Lines of a change are marked by their first character. */
function Output({ text }: { readonly text: string }) {
  const lines = text.split('\n').map((line, index) => ({ line, key: index }));
  return (
    <pre className="output">
      {lines.map(({ line, key }) => (
        <span key={key} className={line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : ''}>
          {line}
          {'\n'}
        </span>
      ))}
    </pre>
  );
}
