import { memo, useMemo, useState } from 'react';
import { Tokens } from '../code/tokens.js';
import { type RowTokens, useDiffTokens } from './highlighted-diff.js';
import { type DiffLine, linesOf, sideBySide } from './unified-diff.js';

export type Layout = 'unified' | 'split';
export interface LinePlace {
  readonly line: number;
  readonly isOld: boolean;
  readonly quote: string;
}

interface DiffTableProps {
  readonly body: string;
  readonly layout: Layout;
  readonly name: string;
  readonly comment: (place: LinePlace) => void;
}

/** More rows than a page shows at once make it slow. */
const [firstRows, moreRows] = [400, 1_000];
/** A line of a file that a program wrote may be a megabyte. */
const mostOfLine = 2_000;

/** The lines of one file, a part at a time. */
export const DiffTable = memo(({ body, layout, name, comment }: DiffTableProps) => {
  const [most, setMost] = useState(firstRows);
  const { lines, hasMore } = useMemo(() => linesOf(body, most), [body, most]);
  const tokens = useDiffTokens(lines, name);
  return (
    <>
      <table className="diff" aria-label={`Changes of ${name}`}>
        <colgroup>
          <col className="number" />
          <col className={layout === 'unified' ? 'number' : ''} />
          {layout === 'split' && <col className="number" />}
          <col />
        </colgroup>
        <tbody>
          {layout === 'unified'
            ? lines.map((line) => <UnifiedRow key={line.row} {...{ line, tokens, comment }} />)
            : sideBySide(lines).map(([left, right]) => (
                <SplitRow key={`${left?.row} ${right?.row}`} {...{ left, right, tokens, comment }} />
              ))}
        </tbody>
      </table>
      {hasMore && (
        <button type="button" className="small" onClick={() => setMost(most + moreRows)}>
          Show more lines
        </button>
      )}
    </>
  );
});

type Comment = DiffTableProps['comment'];
const signs: Readonly<Record<DiffLine['kind'], string>> = {
  ...{ added: '+', removed: '-', context: ' ', hunk: '', note: '' },
};

interface RowProps {
  readonly tokens: RowTokens;
  readonly comment: Comment;
}

function UnifiedRow({ line, tokens, comment }: RowProps & { readonly line: DiffLine }) {
  const { kind, oldLine, newLine } = line;
  return (
    <tr className={kind}>
      <LineNumber line={line} number={oldLine} isOld comment={kind === 'removed' ? comment : undefined} />
      <LineNumber line={line} number={newLine} comment={comment} />
      <Text line={line} tokens={tokens} />
    </tr>
  );
}

interface SplitRowProps extends RowProps {
  readonly left: DiffLine | null;
  readonly right: DiffLine | null;
}

function SplitRow({ left, right, tokens, comment }: SplitRowProps) {
  const isWide = left?.kind === 'hunk' || left?.kind === 'note';
  if (left && isWide)
    return (
      <tr className={left.kind}>
        <td className="number" />
        <td colSpan={3}>{left.text}</td>
      </tr>
    );
  const isChanged = left?.kind === 'removed';
  return (
    <tr>
      <LineNumber
        line={left}
        number={left?.oldLine ?? null}
        isOld
        comment={isChanged ? comment : undefined}
      />
      <Text line={left} tokens={tokens} />
      <LineNumber line={right} number={right?.newLine ?? null} comment={comment} />
      <Text line={right} tokens={tokens} />
    </tr>
  );
}

interface NumberProps {
  readonly line: DiffLine | null;
  readonly number: number | null;
  readonly isOld?: boolean;
  readonly comment: Comment | undefined;
}

/** The number of a line is the button for a remark on it; `j` and `k` go to those that changed. */
function LineNumber({ line, number, isOld = false, comment }: NumberProps) {
  if (!line || number === null) return <td className="number" />;
  if (!comment) return <td className="number">{number}</td>;
  return (
    <td className="number">
      <button
        type="button"
        tabIndex={-1}
        data-stop={line.kind === 'context' ? undefined : 'line'}
        aria-label={`Comment on ${isOld ? 'removed ' : ''}line ${number}`}
        onClick={() => comment({ line: number, isOld, quote: line.text })}
      >
        {number}
      </button>
    </td>
  );
}

interface TextProps {
  readonly line: DiffLine | null;
  readonly tokens: RowTokens;
}

function Text({ line, tokens }: TextProps) {
  if (!line) return <td className="none" />;
  const known = tokens.get(line.row);
  return (
    <td className={`code ${line.kind}`}>
      <span className="sign">{signs[line.kind]}</span>
      {known && line.text.length <= mostOfLine ? <Tokens line={known} /> : line.text.slice(0, mostOfLine)}
      {line.text.length > mostOfLine && <span className="quiet"> … {line.text.length} characters</span>}
    </td>
  );
}
