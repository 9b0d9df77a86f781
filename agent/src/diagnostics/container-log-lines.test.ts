import { expect, it } from 'vitest';
import { ContainerLogLines } from './container-log-lines.js';

function frame(stream: number, text: string): Buffer {
  const head = Buffer.alloc(8);
  head[0] = stream;
  head.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([head, Buffer.from(text)]);
}

it('parses frames from chunks of any size, and redacts them', () => {
  const bytes = Buffer.concat([
    frame(1, '2026-01-01T00:00:00.123456789Z grüße\n'),
    frame(2, '2026-01-01T00:00:01.000000001Z password=hunter2\n'),
    frame(1, '2026-01-01T00:00:02.000000000Z \n'),
  ]);
  const lines = new ContainerLogLines('box');

  const read = [...bytes].flatMap((byte) => lines.take(Buffer.of(byte)));

  expect(read.map(({ entry }) => entry)).toEqual([
    { timestamp: '2026-01-01T00:00:00.123Z', level: 'info', source: 'docker:box', message: 'grüße' },
    {
      timestamp: '2026-01-01T00:00:01.000Z',
      level: 'error',
      source: 'docker:box',
      message: 'password=[redacted]',
    },
    { timestamp: '2026-01-01T00:00:02.000Z', level: 'info', source: 'docker:box', message: '' },
  ]);
  expect(read.map(({ time }) => time)[1]).toBe('2026-01-01T00:00:01.000000001Z');
});
