import {
  type CSSProperties,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useRef,
  useState,
} from 'react';

interface SplitPanesProps {
  /** Under this name the browser remembers the place of the border. */
  readonly name: string;
  readonly left: ReactNode;
  readonly right: ReactNode;
}

const [least, most, initial, step] = [25, 75, 45, 2];
const steps: Readonly<Record<string, number>> = {
  ...{ ArrowLeft: -step, ArrowRight: step, Home: -100, End: 100 },
};

/** Two panes with a border that is moved by pointer or arrow keys. */
export function SplitPanes({ name, left, right }: SplitPanesProps) {
  const panes = useRef<HTMLDivElement>(null);
  const [percent, setPercent] = usePlace(name);
  const drag = (event: PointerEvent) => {
    const box = panes.current?.getBoundingClientRect();
    if (box && event.currentTarget.hasPointerCapture(event.pointerId))
      setPercent(((event.clientX - box.left) / box.width) * 100);
  };
  const press = (event: KeyboardEvent) => {
    const change = steps[event.key];
    if (change === undefined) return;
    event.preventDefault();
    setPercent(percent + change);
  };
  return (
    <div className="split" ref={panes} style={{ '--left': `${percent}%` } as CSSProperties}>
      {left}
      {/* biome-ignore lint/a11y/useSemanticElements: a border that moves has no element of its own */}
      <div
        className="border"
        role="separator"
        aria-label="Width of the conversation"
        aria-orientation="vertical"
        aria-valuenow={Math.round(percent)}
        aria-valuemin={least}
        aria-valuemax={most}
        tabIndex={0}
        onKeyDown={press}
        onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
        onPointerMove={drag}
      />
      {right}
    </div>
  );
}

function usePlace(name: string): readonly [number, (percent: number) => void] {
  const key = `berth.split.${name}`;
  const [percent, setPercent] = useState(() => within(Number(localStorage.getItem(key) ?? initial)));
  const change = (next: number) => {
    setPercent(within(next));
    localStorage.setItem(key, String(within(next)));
  };
  return [percent, change];
}

const within = (percent: number): number =>
  Math.min(most, Math.max(least, Number.isFinite(percent) ? percent : initial));
