import { type EditedFile, editsOf, plainOutput } from './tool-text.js';

interface ToolOutputProps {
  readonly kind: string;
  readonly title: string;
  readonly text: string;
}

/** More text at once makes the page slow. */
const mostShown = 200_000;

/** What a tool said: an edit as what differs, a command as in a terminal. */
export function ToolOutput({ kind, title, text: whole }: ToolOutputProps) {
  const text = whole.length > mostShown ? `${whole.slice(0, mostShown)}\n…` : whole;
  if (kind === 'execute')
    return (
      <pre className="output command">
        <span className="quiet">$ {title}</span>
        {'\n'}
        {plainOutput(text)}
      </pre>
    );
  const edits = kind === 'edit' || kind === 'delete' || kind === 'move' ? editsOf(text) : null;
  if (edits) return edits.map((file) => <Edit key={file.path} file={file} />);
  return <pre className="output">{plainOutput(text)}</pre>;
}

const signs = { added: '+', removed: '-', context: ' ', gap: '' } as const;

function Edit({ file: { path, lines } }: { readonly file: EditedFile }) {
  return (
    <pre className="output">
      <span className="quiet">{path}</span>
      {'\n'}
      {lines.map(({ row, kind, text }) => (
        <span key={row} className={kind}>
          {signs[kind]}
          {text}
          {'\n'}
        </span>
      ))}
    </pre>
  );
}
