import { memo, useMemo, useState } from 'react';
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
            ? lines.map((line) => <UnifiedRow key={line.row} line={line} comment={comment} />)
            : sideBySide(lines).map(([left, right]) => (
                <SplitRow key={`${left?.row} ${right?.row}`} left={left} right={right} comment={comment} />
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

function UnifiedRow({ line, comment }: { readonly line: DiffLine; readonly comment: Comment }) {
  const { kind, oldLine, newLine } = line;
  return (
    <tr className={kind}>
      <LineNumber line={line} number={oldLine} isOld comment={kind === 'removed' ? comment : undefined} />
      <LineNumber line={line} number={newLine} comment={comment} />
      <Text line={line} />
    </tr>
  );
}

interface SplitRowProps {
  readonly left: DiffLine | null;
  readonly right: DiffLine | null;
  readonly comment: Comment;
}

function SplitRow({ left, right, comment }: SplitRowProps) {
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
      <Text line={left} />
      <LineNumber line={right} number={right?.newLine ?? null} comment={comment} />
      <Text line={right} />
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

function Text({ line }: { readonly line: DiffLine | null }) {
  if (!line) return <td className="none" />;
  return (
    <td className={`code ${line.kind}`}>
      <span className="sign">{signs[line.kind]}</span>
      {line.text.slice(0, mostOfLine)}
      {line.text.length > mostOfLine && <span className="quiet"> … {line.text.length} characters</span>}
    </td>
  );
}
