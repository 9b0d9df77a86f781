import { expect, it } from 'vitest';
import { BuildFailed, OutputTail } from './build-output.js';

it('keeps the end of a long output', () => {
  const tail = new OutputTail(8);
  for (let line = 0; line < 10_000; line += 1) tail.add(Buffer.from(`${line}\n`));

  expect(tail.text).toBe('98\n9999\n');
});

it('shows output without timestamps, colours and tool messages', () => {
  const output =
    '[2026-11-21T13:48:45.752Z] Start: Run: docker build x\n[2026-11-21T13:48:45.752Z] \u001b[31mred\u001b[0m\r\nend';
  const failed = new BuildFailed('No', output);

  expect(failed.detail).toBe('No\n\nred\nend');
});
