import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { type Entry, matching } from './match.js';
import { useEntries } from './use-entries.js';

/** Goes to a page, a project or a task, or does something, by its name. */
export function Palette({ close }: { readonly close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [chosen, choose] = useState(0);
  const shown = matching(useEntries(), text);
  useEffect(() => dialog.current?.showModal(), []);
  const at = Math.min(chosen, shown.length - 1);
  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    // The dialog gives the focus back to where it was.
    dialog.current?.close();
    entry.run();
  };
  const pressed = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    if (step === undefined) run(shown[at]);
    else choose((at + step + shown.length) % Math.max(1, shown.length));
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same
    <dialog
      ref={dialog}
      className="palette"
      aria-label="Search and actions"
      onClose={close}
      onClick={({ target }) => target === dialog.current && dialog.current.close()}
    >
      <input
        type="text"
        role="combobox"
        aria-label="Search pages, projects, tasks and actions"
        placeholder="Page, project, task or action"
        aria-expanded="true"
        aria-controls="palette-entries"
        aria-activedescendant={shown[at] ? idOf(shown[at]) : undefined}
        autoComplete="off"
        value={text}
        onKeyDown={pressed}
        onChange={({ target }) => {
          setText(target.value);
          choose(0);
        }}
      />
      <Entries entries={shown} chosen={shown[at]} run={run} />
      <p role="status" className="quiet">
        {shown.length === 0 && 'Nothing has this name.'}
      </p>
    </dialog>
  );
}

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
const idOf = ({ id }: Entry): string => `palette-${id}`;

interface EntriesProps {
  readonly entries: readonly Entry[];
  readonly chosen: Entry | undefined;
  readonly run: (entry: Entry) => void;
}

function Entries({ entries, chosen, run }: EntriesProps) {
  const list = useRef<HTMLDivElement>(null);
  const id = chosen && idOf(chosen);
  useEffect(() => {
    if (id) list.current?.ownerDocument.getElementById(id)?.scrollIntoView({ block: 'nearest' });
  }, [id]);
  return (
    <div ref={list} role="listbox" id="palette-entries" aria-label="Found" tabIndex={-1}>
      {entries.map((entry) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the field above does the same
        <div
          key={entry.id}
          id={idOf(entry)}
          role="option"
          tabIndex={-1}
          aria-selected={entry === chosen}
          onClick={() => run(entry)}
        >
          <span className="strong">{entry.name}</span>
          {entry.detail && <span className="quiet detail">{entry.detail}</span>}
          <span className="quiet group">{entry.group}</span>
        </div>
      ))}
    </div>
  );
}
