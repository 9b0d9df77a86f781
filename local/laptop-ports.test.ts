import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { claimPorts, frontPort, keepPorts, portsFrom } from './laptop-ports.js';
import { freePortRange } from './processes/ports.js';

const stateDir = mkdtempSync(join(tmpdir(), 'ports-'));
afterAll(() => rmSync(stateDir, { recursive: true, force: true }));
beforeEach(() => rmSync(join(stateDir, 'ports.json'), { force: true }));
const portFor = (text: string | undefined) => frontPort({ text, stateDir });

it('takes 8787 unless BERTH_PORT says otherwise', () => {
  expect([portFor(undefined), portFor(''), portFor('9000')]).toEqual([8787, 8787, 9000]);
});

it('takes the port of a state that was deployed, and refuses another one with the ways out', () => {
  keepPorts(stateDir, portsFrom(9_100));

  expect([portFor(undefined), portFor('9100')]).toEqual([9100, 9100]);
  expect(() => portFor('9200')).toThrow(
    /made at port 9100.*BERTH_STATE_DIR=<folder> BERTH_PORT=9200.*npm run reset/,
  );
});

it.each(['80', '65535', '9000.5', 'http', '-1'])('refuses BERTH_PORT=%s with its range', (text) => {
  expect(() => portFor(text)).toThrow('must be a whole number from 1024 to 65000');
});

it('names the port that is taken, and the remedy', async () => {
  const ports = portsFrom(await freePortRange(4));
  await expect(claimPorts(ports)).resolves.toBeUndefined();
  const other = createServer().listen({ port: ports.ec2, host: '127.0.0.1' });
  await once(other, 'listening');
  try {
    await expect(claimPorts(ports)).rejects.toThrow(
      new RegExp(`Port ${ports.ec2} \\(ec2\\) is taken .*BERTH_PORT=9000 npm start`),
    );
  } finally {
    other.close();
  }
});
