export interface Measurement {
  readonly name: string;
  readonly value: number;
  readonly unit: /** A number without one. */
  '' | 'KB' | 'MiB' | 'MiB/s' | '/s' | 'ms' | 's' | 'x' | '¢' | '%' | 'writes' | 'h' | 'nodes' | 'workspaces';
  /** What it should stay within; a figure without a target is there for comparison. */
  readonly limit?: number;
  /** What it should reach. */
  readonly atLeast?: number;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error('No samples');
  return middle;
}

export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN;
}

export function toMarkdown(measurements: readonly Measurement[]): string {
  const rows = measurements.map((measurement) => {
    const { name, value, unit } = measurement;
    return `| ${name} | ${`${value} ${unit}`.trim()} | ${targetOf(measurement)} |`;
  });
  return ['| Figure | Measured | Target |', '|---|---|---|', ...rows].join('\n');
}

function targetOf({ value, unit, limit, atLeast }: Measurement): string {
  const inWords = (target: number, isMet: boolean) =>
    `${`${target} ${unit}`.trim()}${isMet ? '' : ' (missed)'}`;
  if (limit !== undefined) return `at most ${inWords(limit, value <= limit)}`;
  if (atLeast !== undefined) return `at least ${inWords(atLeast, value >= atLeast)}`;
  return '';
}
