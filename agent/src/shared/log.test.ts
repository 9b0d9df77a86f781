import { expect, it } from 'vitest';
import { Log } from './log.js';

function written(format: 'json' | 'text', use: (log: Log) => void): string[] {
  const lines: string[] = [];
  use(new Log({ level: 'info', format }, (line) => lines.push(line)).with({ nodeId: 'N' }));
  return lines;
}

it('writes one JSON object a line, from the level up, with the common fields', () => {
  const lines = written('json', (log) => {
    log.debug('too low');
    log.warn('two\nlines', { port: 8443 });
  });

  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'warn',
    message: 'two\nlines',
    nodeId: 'N',
    port: 8443,
    time: expect.stringMatching(/^\d{4}-.*Z$/),
  });
});

it('writes text on one line, without secrets', () => {
  const lines = written('text', (log) => log.error('forged\nline password=hunter2', { token: 'abc' }));

  expect(lines).toEqual([
    expect.stringMatching(
      /^\S+Z ERROR forged line password=\[redacted\] \{"nodeId":"N","token":"\[redacted\]"\}\n$/,
    ),
  ]);
});
