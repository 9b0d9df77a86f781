import type { FrameRoom } from '../../../protocol/terminal-frames.js';

const finalBinary = 0x82;

/**
 * Memory for a binary WebSocket message, its head written already. The library hands over head and body by themselves, for
 * which TLS allocates a third piece and copies both into it: as one piece a small message is on its way in two thirds of the time.
 */
export function roomInMessage(length: number): FrameRoom {
  const at = headLength(length);
  const memory = Buffer.allocUnsafe(at + length);
  memory[0] = finalBinary;
  if (at === 2) memory[1] = length;
  else if (at === 4) {
    memory[1] = 126;
    memory.writeUInt16BE(length, 2);
  } else {
    memory[1] = 127;
    memory.writeBigUInt64BE(BigInt(length), 2);
  }
  return { memory, at };
}

function headLength(length: number): number {
  if (length < 126) return 2;
  return length < 65_536 ? 4 : 10;
}
