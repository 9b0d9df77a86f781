import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { GitTokenResult } from '../../../protocol/callbacks.js';
import { CallbackRefused, CallbackUnavailable } from '../control-plane/callback-errors.js';
import { Log } from '../shared/log.js';
import { GitTokens, type TokenRequest } from './git-tokens.js';

const minute = 60_000;
const log = new Log({ level: 'error', format: 'json' }, () => undefined);
const lost = new CallbackRefused('/git-token', {
  status: 403,
  code: 'CODE_HOST_ACCESS_LOST',
  reason: 'No access.',
});

let asked: TokenRequest[];
let answer: (count: number) => GitTokenResult;
let tokens: GitTokens;

const result = (token: string, lifeMs = 60 * minute): GitTokenResult => ({
  token,
  expiresAt: new Date(Date.now() + lifeMs).toISOString(),
  username: 'x-access-token',
  host: 'code.example.com',
  cloneUrl: 'https://code.example.com/octo/notes.git',
});

beforeEach(() => {
  vi.useFakeTimers();
  asked = [];
  answer = (count) => result(`token-${count}`);
  tokens = new GitTokens(async (_, question) => {
    asked.push(question);
    return answer(asked.length);
  }, log);
});

afterEach(() => {
  tokens[Symbol.dispose]();
  vi.useRealTimers();
});

const give = async () => (await tokens.give('w')).token;

describe('a git token', () => {
  it('is requested once for concurrent callers', async () => {
    expect(await Promise.all([give(), give(), give()])).toEqual(['token-1', 'token-1', 'token-1']);
    expect(await give()).toBe('token-1');
    expect(asked).toEqual([{ renew: false }]);
  });

  it('is checked every 5 minutes while it is valid, without a request of git', async () => {
    const one = result('one');
    answer = () => one;
    await give();

    await vi.advanceTimersByTimeAsync(26 * minute);
    expect(asked.length).toBe(6);

    await vi.advanceTimersByTimeAsync(180 * minute);
    expect(asked.length).toBe(12);
  });

  it('is not given to git after the control plane refused it', async () => {
    await give();
    answer = () => {
      throw lost;
    };

    await vi.advanceTimersByTimeAsync(5 * minute);

    await expect(give()).rejects.toBe(lost);
    expect(asked.length).toBe(2);
  });

  it('is requested again one minute after a refusal', async () => {
    answer = (count) => {
      if (count === 1) throw lost;
      return result('back');
    };

    for (let count = 0; count < 50; count += 1) await expect(give()).rejects.toBe(lost);
    expect(asked.length).toBe(1);
    await vi.advanceTimersByTimeAsync(minute);

    expect(await give()).toBe('back');
  });

  it('stays in use while the control plane does not answer, and is checked when it does', async () => {
    await give();
    answer = () => {
      throw new CallbackUnavailable('away');
    };
    await vi.advanceTimersByTimeAsync(6 * minute);

    expect(await give()).toBe('token-1');
    const before = asked.length;
    answer = () => {
      throw lost;
    };
    await vi.advanceTimersByTimeAsync(5 * minute);

    expect(asked.length).toBeGreaterThan(before);
    await expect(give()).rejects.toBe(lost);
  });

  it('is renewed only after the code host refused it', async () => {
    const first = await give();
    tokens.reject('w', 'another');
    expect(await give()).toBe(first);

    tokens.reject('w', first);

    expect(await give()).toBe('token-2');
    expect(asked).toEqual([{ renew: false }, { renew: true }]);
  });

  it('is not given after the code host refused it and no other is available', async () => {
    const first = await give();
    tokens.reject('w', first);
    const busy = new CallbackUnavailable('busy', { reason: 'Too many requests', retryAfterMs: minute });
    answer = () => {
      throw busy;
    };

    await expect(give()).rejects.toBe(busy);
  });

  it('is dropped with its workspace', async () => {
    await give();

    tokens.drop('w');
    await vi.advanceTimersByTimeAsync(30 * minute);

    expect(asked.length).toBe(1);
  });
});
