import * as z from 'zod/mini';
import { type DeclaredPorts, maxDeclaredPorts, maxLabelLength } from '../container/declared-ports.js';

const highestPort = 65_535;
const localHosts = new Set(['localhost', '127.0.0.1']);
const shownLength = 100;

const Attributes = z.object({
  label: z.string().check(z.trim(), z.minLength(1), z.maxLength(maxLabelLength), z.regex(/^\P{C}*$/u)),
});

/** `forwardPorts` and `portsAttributes`, as a repository or an image has written them. */
interface RequestedPorts {
  readonly forwardPorts?: unknown;
  readonly portsAttributes?: unknown;
}

/**
 * Reads the ports that a configuration names. An invalid value is left out with a note.
 * @param hosts names of the services, which share the network of the workspace
 */
export function readPorts(
  requested: RequestedPorts,
  hosts: readonly string[],
): { readonly ports: DeclaredPorts; readonly notes: readonly string[] } {
  const notes: string[] = [];
  const known = new Set([...localHosts, ...hosts]);
  const forwarded = new Set<number>();
  for (const value of listOf(requested.forwardPorts, notes)) {
    const range = rangeOf(value, known);
    if (range && range.from === range.to) forwarded.add(range.from);
    else notes.push(`forwardPorts ignored: ${shown(value)} is no port of the workspace`);
  }
  const labels = attributesOf(requested.portsAttributes, notes).flatMap(([key, attributes]) => {
    const label = labelOf(key, attributes, notes);
    if (label === null) return [];
    const range = rangeOf(key, known);
    if (!range) notes.push(`portsAttributes ignored: ${shown(key)} is no port and no range of ports`);
    return range ? [{ ...range, label }] : [];
  });
  // A single port has precedence over a range.
  const sorted = labels.toSorted((one, other) => one.to - one.from - (other.to - other.from));
  return { ports: { forwarded: limited([...forwarded], notes), labels: limited(sorted, notes) }, notes };
}

function listOf(value: unknown, notes: string[]): readonly unknown[] {
  if (value === undefined || Array.isArray(value)) return value ?? [];
  notes.push('forwardPorts ignored: it must be a list');
  return [];
}

function attributesOf(value: unknown, notes: string[]): readonly (readonly [string, unknown])[] {
  if (value === undefined) return [];
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return Object.entries(value);
  notes.push('portsAttributes ignored: it must be an object');
  return [];
}

/** Attributes without a label have no effect here. */
function labelOf(key: string, attributes: unknown, notes: string[]): string | null {
  const parsed = Attributes.safeParse(attributes);
  if (parsed.success) return parsed.data.label;
  const isPlain = attributes !== null && typeof attributes === 'object';
  if (!isPlain || 'label' in attributes)
    notes.push(
      `portsAttributes ignored: ${shown(key)} needs a label of 1 to ${maxLabelLength} printable characters`,
    );
  return null;
}

/** A number, "3000", "service:3000", or "3000-3010". */
function rangeOf(value: unknown, hosts: ReadonlySet<string>): { from: number; to: number } | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null;
  const match = /^(?:([A-Za-z0-9_.-]{1,64}):)?(\d{1,5})(?:-(\d{1,5}))?$/.exec(String(value));
  if (!match || (match[1] !== undefined && !hosts.has(match[1]))) return null;
  const from = Number(match[2]);
  const to = Number(match[3] ?? match[2]);
  return from >= 1 && from <= to && to <= highestPort ? { from, to } : null;
}

function limited<T>(values: readonly T[], notes: string[]): readonly T[] {
  if (values.length > maxDeclaredPorts)
    notes.push(`Only the first ${maxDeclaredPorts} ports of the configuration are used`);
  return values.slice(0, maxDeclaredPorts);
}

function shown(value: unknown): string {
  return JSON.stringify(value)?.slice(0, shownLength) ?? 'a value';
}
