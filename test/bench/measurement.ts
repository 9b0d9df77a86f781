export interface Measurement {
  readonly name: string;
  readonly value: number;
  readonly unit: 'KB' | 'ms' | 's' | 'x';
  /** What it should stay within; a figure without one is there for comparison. */
  readonly limit?: number;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error('No samples');
  return middle;
}

export function toMarkdown(measurements: readonly Measurement[]): string {
  const rows = measurements.map(({ name, value, unit, limit }) => {
    const target = limit === undefined ? '' : `${limit} ${unit}${value <= limit ? '' : ' (missed)'}`;
    return `| ${name} | ${value} ${unit} | ${target} |`;
  });
  return ['| Figure | Measured | Target, at most |', '|---|---|---|', ...rows].join('\n');
}
