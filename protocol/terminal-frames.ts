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

const offsetLength = 8;

export function encodeOutputFrame(
  sessionId: string,
  offset: number,
  bytes: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const frame = start(terminalFrame.output, sessionId, offsetLength + bytes.length);
  const at = 2 + sessionId.length;
  new DataView(frame.buffer).setBigUint64(at, BigInt(offset));
  frame.set(bytes, at + offsetLength);
  return frame;
}

export function encodeInputFrame(sessionId: string, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const frame = start(terminalFrame.input, sessionId, bytes.length);
  frame.set(bytes, 2 + sessionId.length);
  return frame;
}

/** Null for a frame that is too short or of an unknown kind. The bytes are a view, not a copy. */
export function decodeTerminalFrame(frame: Uint8Array): TerminalFrame | null {
  const [kind, idLength] = frame;
  if (idLength === undefined || frame.length < 2 + idLength) return null;
  const sessionId = String.fromCharCode(...frame.subarray(2, 2 + idLength));
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

function start(kind: number, sessionId: string, restLength: number): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(2 + sessionId.length + restLength);
  frame[0] = kind;
  frame[1] = sessionId.length;
  for (let at = 0; at < sessionId.length; at += 1) frame[2 + at] = sessionId.charCodeAt(at);
  return frame;
}
