// What the agent is compared with: the least that can be a terminal server, with nothing that a
// person would need.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { spawn } from '@lydell/node-pty';
import { WebSocketServer } from 'ws';

const { CERTIFICATE: cert, KEY: key } = process.env;
const server = createServer({ cert, key });

new WebSocketServer({ server, perMessageDeflate: false }).on('connection', (socket, { url }) => {
  if (url === '/idle') return;
  const pty = spawn('/bin/bash', ['-l'], { name: 'xterm-256color', encoding: null, rows: 24, cols: 80 });
  pty.onData((data) => socket.send(data));
  // Bytes, though the types of the library know text only.
  socket.on('message', (data: Buffer) => pty.write(data as unknown as string));
  socket.on('close', () => pty.kill());
});

server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
process.stdin.resume().on('end', () => process.exit());
