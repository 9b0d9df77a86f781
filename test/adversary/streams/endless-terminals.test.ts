import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { highWaterBytes } from '../../../protocol/terminal.js';
import { hasDocker } from '../../integration/agent/docker-engine.js';
import { TerminalClient } from '../../integration/agent/terminal-client.js';
import { HostileWorkspace } from './hostile-workspace.js';

const mebibyte = 2 ** 20;
const memoryBytes = 64 * mebibyte;
/** Largest frame that may be on its way when the terminal is paused. */
const frameBytes = 64 * 1_024;
const line = 'a line for nobody';

interface Reader {
  readonly reader: string;
  readonly sessionId: string;
  readonly behave: (client: TerminalClient) => void;
}

const readers: readonly Reader[] = [
  { reader: 'has gone', sessionId: 'gone', behave: (client) => client.socket.terminate() },
  { reader: 'reads nothing', sessionId: 'deaf', behave: (client) => client.socket.pause() },
  {
    reader: 'acknowledges nothing',
    sessionId: 'silent',
    behave: (client) => {
      client.isAcknowledging = false;
    },
  },
];

describe.skipIf(!hasDocker())('a command that prints for ever in a terminal', () => {
  const opened: TerminalClient[] = [];
  let hostile: HostileWorkspace;

  beforeAll(async () => {
    hostile = await HostileWorkspace.start();
  });
  afterEach(() => {
    for (const client of opened.splice(0)) client.socket.terminate();
  });
  afterAll(() => hostile[Symbol.asyncDispose]());

  async function open(sessionId: string): Promise<TerminalClient> {
    const { agent, fake, workspaceId } = hostile.started;
    const client = await TerminalClient.open(agent, await fake.terminal(workspaceId));
    opened.push(client);
    client.send({ type: 'create_session', sessionId, data: { rows: 24, cols: 80 } });
    await client.waitFor('session_created');
    return client;
  }

  it.each(readers)(
    'takes no memory of the agent, and ends with its terminal: its reader $reader',
    async (given) => {
      const { sessionId, behave } = given;
      const other = await open(`beside-${sessionId}`);
      const client = await open(sessionId);
      client.type(sessionId, `yes "${line}"\n`);
      await client.waitForText(new RegExp(`${line}\r\n`));

      const { grownBytes } = await hostile.growthOf(async () => {
        behave(client);
        client.text = '';
        // Time passes for the writer, and other terminals stay usable.
        for (let round = 0; round < 20; round += 1) {
          other.type(`beside-${sessionId}`, `echo ROUND"-"${round}\n`);
          await other.waitForText(new RegExp(`ROUND-${round}\\r`));
        }
      });

      expect(grownBytes).toBeLessThan(memoryBytes);
      expect(client.text.length).toBeLessThanOrEqual(highWaterBytes + frameBytes);
      other.send({ type: 'close_session', sessionId });
      await hostile.untilQuiet();
    },
  );
});
