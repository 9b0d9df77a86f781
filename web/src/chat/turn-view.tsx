import { memo, useMemo, useState } from 'react';
import type { ChatPlace } from './chat-place.js';
import { EntryRow } from './entry-row.js';
import type { Entry } from './transcript.js';
import { blocksOf, isSame, stepWords, type Turn } from './turns.js';

interface TurnViewProps {
  readonly turn: Turn;
  readonly where: ChatPlace;
  readonly isAsleep: boolean;
}

/** One turn. It is made again only when something in it changed. */
export const TurnView = memo(
  ({ turn, where, isAsleep }: TurnViewProps) => {
    const blocks = useMemo(() => blocksOf(turn), [turn]);
    return (
      <li className="turn">
        <ol className="plain">
          {blocks.map((block) =>
            block.kind === 'steps' ? (
              <Steps
                key={`steps ${block.key}`}
                entries={block.entries}
                ms={block.ms}
                where={where}
                isAsleep={isAsleep}
              />
            ) : (
              <EntryRow key={block.entry.key} entry={block.entry} where={where} isAsleep={isAsleep} />
            ),
          )}
        </ol>
      </li>
    );
  },
  (before, after) =>
    before.isAsleep === after.isAsleep &&
    before.where === after.where &&
    before.turn.isFinished === after.turn.isFinished &&
    isSame(before.turn.entries, after.turn.entries),
);

interface StepsProps {
  readonly entries: readonly Entry[];
  readonly ms: number;
  readonly where: ChatPlace;
  readonly isAsleep: boolean;
}

/** The tool calls of a finished turn. Those of long turns are made when they are opened. */
function Steps({ entries, ms, ...place }: StepsProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li className="tool">
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{stepWords(entries, ms)}</summary>
        {isOpen && (
          <ol className="plain steps">
            {entries.map((entry) => (
              <EntryRow key={entry.key} entry={entry} {...place} />
            ))}
          </ol>
        )}
      </details>
    </li>
  );
}
