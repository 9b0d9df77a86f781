import { expect, it } from 'vitest';
import { StderrTail } from './harness-process.js';

it('keeps the end, from a whole line', () => {
  const tail = new StderrTail(20);

  tail.add(Buffer.from('token=abcdefghijklmnop\n'));
  tail.add(Buffer.from('first\nsecond\n'));

  expect(tail.text()).toBe('first\nsecond');
  expect(tail.isTruncated).toBe(true);
});

it('drops a line whose beginning is lost', () => {
  const tail = new StderrTail(10);

  tail.add(Buffer.from('api_key=0123456789abcdef'));

  expect(tail.text()).toBe('');
});

it('redacts given secrets and text that looks like one', () => {
  const tail = new StderrTail(1_000);

  tail.add(Buffer.from('Bearer abcdefgh my-plain-secret end'));

  expect(tail.text(['my-plain-secret', 'end'])).toBe('Bearer [redacted] [redacted] end');
  expect(tail.isTruncated).toBe(false);
});
