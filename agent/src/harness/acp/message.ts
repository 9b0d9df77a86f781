/** A JSON-RPC message, as far as its way depends on it. */
export interface Message {
  readonly jsonrpc: '2.0';
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: unknown;
}

/** Null for what is no JSON-RPC: tools that a harness starts print all sorts of things. */
export function parseMessage(line: string): Message | null {
  try {
    const value: unknown = JSON.parse(line);
    return isMessage(value) ? value : null;
  } catch {
    return null;
  }
}

/** Looked at by hand: ten thousand a second come by here, and a schema would copy each. */
function isMessage(value: unknown): value is Message {
  if (typeof value !== 'object' || value === null) return false;
  if (!('jsonrpc' in value) || value.jsonrpc !== '2.0') return false;
  if ('method' in value && typeof value.method !== 'string') return false;
  return (
    !('id' in value) || value.id === null || typeof value.id === 'string' || typeof value.id === 'number'
  );
}
