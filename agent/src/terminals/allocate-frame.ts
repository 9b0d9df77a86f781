import type { AllocatedFrame } from '../../../protocol/terminal-frames.js';

const finalBinary = 0x82;

/**
 * Allocates a binary WebSocket message with its header. The library writes header and body
 * separately, for which TLS allocates a third buffer and copies both: in one buffer a small message
 * is sent in two thirds of the time.
 */
export function allocateFrame(length: number): AllocatedFrame {
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
