import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { claimPorts, parsePort, portsFrom } from './laptop-ports.js';
import { freePortRange } from './processes/ports.js';

it('takes 8787 unless BERTH_PORT says otherwise', () => {
  expect([parsePort(undefined), parsePort(''), parsePort('9000')]).toEqual([8787, 8787, 9000]);
});

it.each(['80', '65535', '9000.5', 'http', '-1'])('refuses BERTH_PORT=%s with its range', (text) => {
  expect(() => parsePort(text)).toThrow('must be a whole number from 1024 to 65000');
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
