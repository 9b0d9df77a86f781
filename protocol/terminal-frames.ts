import { terminalFrame } from './terminal.js';

/** The binary frames of a terminal socket; `terminal.ts` shows the layout. */
type TerminalFrame =
  | {
      readonly kind: 'output';
      readonly sessionId: string;
      readonly offset: number;
      readonly bytes: Uint8Array;
    }
  | { readonly kind: 'input'; readonly sessionId: string; readonly bytes: Uint8Array };

/** Memory in which a frame begins at `at`: the header of the WebSocket can come before it. */
export interface AllocatedFrame {
  readonly memory: Uint8Array<ArrayBuffer>;
  readonly at: number;
}

const offsetLength = 8;
const nothingElse = (length: number): AllocatedFrame => ({ memory: new Uint8Array(length), at: 0 });

/** @returns the memory in which the frame is */
// biome-ignore lint/complexity/useMaxParams: one call a frame, so that it makes no object for them
export function encodeOutputFrame(
  sessionId: string,
  offset: number,
  bytes: Uint8Array,
  roomFor = nothingElse,
): Uint8Array<ArrayBuffer> {
  const room = roomFor(2 + sessionId.length + offsetLength + bytes.length);
  begin(room, terminalFrame.output, sessionId);
  const { memory, at } = room;
  const offsetAt = at + 2 + sessionId.length;
  new DataView(memory.buffer, memory.byteOffset).setBigUint64(offsetAt, BigInt(offset));
  memory.set(bytes, offsetAt + offsetLength);
  return memory;
}

export function encodeInputFrame(sessionId: string, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(2 + sessionId.length + bytes.length);
  begin({ memory: frame, at: 0 }, terminalFrame.input, sessionId);
  frame.set(bytes, 2 + sessionId.length);
  return frame;
}

/** Null for a frame that is too short or of an unknown kind. The bytes are a view, not a copy. */
export function decodeTerminalFrame(frame: Uint8Array): TerminalFrame | null {
  // Without iterators: they dominate the cost in code that is called too seldom to be compiled.
  const kind = frame[0];
  const idLength = frame[1];
  if (idLength === undefined || frame.length < 2 + idLength) return null;
  const id = frame.subarray(2, 2 + idLength);
  // The type requires an array; the language accepts array-like objects.
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

function begin({ memory, at }: AllocatedFrame, kind: number, sessionId: string): void {
  memory[at] = kind;
  memory[at + 1] = sessionId.length;
  for (let index = 0; index < sessionId.length; index += 1)
    memory[at + 2 + index] = sessionId.charCodeAt(index);
}
