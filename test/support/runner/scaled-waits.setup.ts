import { expect, vi } from 'vitest';
import { limitMs } from '../limit-ms.js';

/** Limits of vitest's own waits scale with the machine as those of `until` do. */
const defaultMs = 1_000;
type Options = number | { timeout?: number; interval?: number } | undefined;

const scaled = (options: Options) => {
  const given = typeof options === 'number' ? { timeout: options } : options;
  return { ...given, timeout: limitMs(given?.timeout ?? defaultMs) };
};

const { waitFor, waitUntil } = vi;
const { poll } = expect;
vi.waitFor = (callback, options) => waitFor(callback, scaled(options));
vi.waitUntil = (callback, options) => waitUntil(callback, scaled(options));
expect.poll = (callback, options) => poll(callback, { ...options, ...scaled(options) });
