import { type KeyboardEvent, useRef } from 'react';

interface TabListProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly (readonly [Name, string])[];
  readonly selected: Name;
  readonly select: (name: Name) => void;
}

const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

/** Names of panels, of which one is shown. Arrow keys go from one to the next. */
export function TabList<Name extends string>({ label, tabs, selected, select }: TabListProps<Name>) {
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const from = tabs.findIndex(([name]) => name === selected);
    const next = tabs[(from + step + tabs.length) % tabs.length];
    if (!next) return;
    select(next[0]);
    list.current?.querySelector<HTMLElement>(`#tab-${next[0]}`)?.focus();
  };
  return (
    <div className="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
      {tabs.map(([name, text]) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`tab-${name}`}
          aria-controls={`panel-${name}`}
          aria-selected={name === selected}
          tabIndex={name === selected ? 0 : -1}
          onClick={() => select(name)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
