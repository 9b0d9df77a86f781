import { createInterface } from 'node:readline';

/**
 * An ACP agent of few lines, run as it stands: a prompt `count perSecond` makes it say so many
 * updates at that pace, each with its number and the time at which it was written (`number:epochMs
 * `).
 */
const epoch = performance.timeOrigin;

function write(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

function say(sessionId: string, number: number): void {
  const text = `${number}:${(epoch + performance.now()).toFixed(2)} `;
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
  write({ method: 'session/update', params: { sessionId, update } });
}

function flood(id: unknown, sessionId: string, [count = 0, perSecond = 1]: readonly number[]): void {
  const began = performance.now();
  let said = 0;
  const timer = setInterval(() => {
    const due = Math.min(count, ((performance.now() - began) / 1_000) * perSecond);
    for (; said < due; said += 1) say(sessionId, said);
    if (said < count) return;
    clearInterval(timer);
    write({ id, result: { stopReason: 'end_turn' } });
  }, 1);
}

const results: Readonly<Record<string, object>> = {
  initialize: { protocolVersion: 1, agentCapabilities: { loadSession: false } },
  'session/new': { sessionId: 'flood' },
};

for await (const line of createInterface(process.stdin)) {
  const { id, method, params } = JSON.parse(line);
  if (method === 'session/prompt') flood(id, params.sessionId, params.prompt[0].text.split(' ').map(Number));
  else if (id !== undefined) write({ id, result: results[method] ?? {} });
}
