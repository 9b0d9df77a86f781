import { spawn } from 'node:child_process';
import { createServer } from 'node:https';
import { createInterface } from 'node:readline';
import { WebSocketServer } from 'ws';

/**
 * What the agent's way from a harness to a viewer is measured against: lines of the same harness,
 * each sent as it comes to one TLS WebSocket, with nothing kept, joined, stored or reported. `node
 * bare-pipe.ts <command…>` with CERTIFICATE and KEY.
 */
const [command = '', ...args] = process.argv.slice(2);
const { CERTIFICATE: cert = '', KEY: key = '' } = process.env;
const harness = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const server = createServer({ cert, key });
const sockets = new WebSocketServer({ server, perMessageDeflate: false });

let id = 0;
const ask = (method: string, params: object) =>
  harness.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params })}\n`);
ask('initialize', { protocolVersion: 1 });
ask('session/new', { cwd: '/', mcpServers: [] });

sockets.on('connection', (socket) => {
  socket.on('message', (data: Buffer) => {
    const { params } = JSON.parse(data.toString());
    ask('session/prompt', { sessionId: 'flood', prompt: params.prompt });
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
});
process.stdin.on('end', () => {
  harness.kill();
  process.exit(0);
});
process.stdin.resume();

for await (const line of createInterface(harness.stdout)) {
  for (const client of sockets.clients) client.send(line);
}
