import { terminalFrame } from './terminal.js';

/** The binary frames of a terminal socket, for both ends of it; `terminal.ts` shows the layout. */
export type TerminalFrame =
  | {
      readonly kind: 'output';
      readonly sessionId: string;
      readonly offset: number;
      readonly bytes: Uint8Array;
    }
  | { readonly kind: 'input'; readonly sessionId: string; readonly bytes: Uint8Array };

/**
 * Memory in which a frame begins at `at`: what carries the frame may have a head of its own before
 * it.
 */
export interface AllocatedFrame {
  readonly memory: Uint8Array<ArrayBuffer>;
  readonly at: number;
}

const offsetLength = 8;
const nothingElse = (length: number): AllocatedFrame => ({ memory: new Uint8Array(length), at: 0 });

/** @returns the memory in which the frame is */
// biome-ignore lint/complexity/useMaxParams: four plain values that share no name
export function encodeOutputFrame(
  sessionId: string,
  offset: number,
  bytes: Uint8Array,
  roomFor = nothingElse,
): Uint8Array<ArrayBuffer> {
  const { memory, at } = roomFor(2 + sessionId.length + offsetLength + bytes.length);
  begin(memory, at, terminalFrame.output, sessionId);
  const offsetAt = at + 2 + sessionId.length;
  new DataView(memory.buffer, memory.byteOffset).setBigUint64(offsetAt, BigInt(offset));
  memory.set(bytes, offsetAt + offsetLength);
  return memory;
}

export function encodeInputFrame(sessionId: string, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(2 + sessionId.length + bytes.length);
  begin(frame, 0, terminalFrame.input, sessionId);
  frame.set(bytes, 2 + sessionId.length);
  return frame;
}

/** Null for a frame that is too short or of an unknown kind. The bytes are a view, not a copy. */
export function decodeTerminalFrame(frame: Uint8Array): TerminalFrame | null {
  // Without iterators, which cost more than all the rest in code that runs too seldom to be
  // compiled, as for keys.
  const kind = frame[0];
  const idLength = frame[1];
  if (idLength === undefined || frame.length < 2 + idLength) return null;
  const id = frame.subarray(2, 2 + idLength);
  // The types want an array where the language takes whatever is like one.
  const sessionId = String.fromCharCode.apply(null, id as unknown as number[]);
  const rest = frame.subarray(2 + idLength);
  if (kind === terminalFrame.input) return { kind: 'input', sessionId, bytes: rest };
  if (kind !== terminalFrame.output || rest.length < offsetLength) return null;
  const view = new DataView(rest.buffer, rest.byteOffset, offsetLength);
  return {
    kind: 'output',
    sessionId,
    offset: Number(view.getBigUint64(0)),
    bytes: rest.subarray(offsetLength),
  };
}

// biome-ignore lint/complexity/useMaxParams: four plain values that share no name
function begin(memory: Uint8Array, at: number, kind: number, sessionId: string): void {
  memory[at] = kind;
  memory[at + 1] = sessionId.length;
  for (let index = 0; index < sessionId.length; index += 1)
    memory[at + 2 + index] = sessionId.charCodeAt(index);
}
