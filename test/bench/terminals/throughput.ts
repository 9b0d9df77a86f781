import { spawn } from '@lydell/node-pty';
import { type LinkTarget, TerminalLink } from './terminal-link.js';

/** Text of long lines, as a log has them. */
export const payloadBytes = 48 * 2 ** 20;

const command = (file: string) => `stty raw -echo; echo BE"GI"N; cat ${file}\n`;

/** MiB a second of a program's output at a client. */
export async function linkThroughput(target: LinkTarget, sessionId: string, file: string): Promise<number> {
  const link = await TerminalLink.open(target, sessionId);
  const rate = await rateOf((onBytes) => {
    link.onBytes = onBytes;
    link.type(command(file));
  });
  link.close();
  return rate;
}

/** The same, read from the pseudo terminal with nothing between. */
export async function rawThroughput(file: string): Promise<number> {
  const pty = spawn('/bin/bash', ['-l'], { name: 'xterm-256color', encoding: null, rows: 24, cols: 80 });
  const rate = await rateOf((onBytes) => {
    // Buffers, though the types of the library know text only.
    pty.onData((data) => onBytes(data as unknown as Buffer));
    pty.write(command(file));
  });
  pty.kill();
  return rate;
}

function rateOf(begin: (onBytes: (bytes: Uint8Array) => void) => void): Promise<number> {
  return new Promise((resolve) => {
    let received = 0;
    let began = 0;
    begin((bytes) => {
      if (began === 0) {
        if (!Buffer.from(bytes).includes('BEGIN\n')) return;
        began = performance.now();
        return;
      }
      received += bytes.length;
      if (received >= payloadBytes * 0.99)
        resolve(received / 2 ** 20 / ((performance.now() - began) / 1_000));
    });
  });
}
