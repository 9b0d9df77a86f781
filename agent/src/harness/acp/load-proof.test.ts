import { describe, expect, it } from 'vitest';
import { StderrTail } from '../harness-process.js';
import { loadVerified, unknownLike } from './load-proof.js';

const acpSessionId = '6f1d1c0e-6f0b-4c52-8b8e-2f3e9f1a4b7c';
const place = { cwd: '/', mcpServers: [] };

function loading(options: {
  readonly repeated?: number;
  readonly list?: readonly (readonly string[])[];
  readonly loads: (sessionId: string) => boolean;
}) {
  return {
    place,
    failure: { stderr: new StderrTail(1_024), secrets: [] },
    updates: { repeatedOf: () => options.repeated ?? 0 },
    capabilities: { loadSession: true, sessionCapabilities: options.list ? { list: {} } : {} },
    connection: {
      loadSession: async (_: unknown, sessionId: string) => {
        if (!options.loads(sessionId)) throw new Error('no such session');
        return {};
      },
      listSessions: async (_: string, cursor: string | null) => {
        const page = Number(cursor ?? 0);
        const sessions = (options.list?.[page] ?? []).map((sessionId) => ({ sessionId, cwd: '/' }));
        return { sessions, nextCursor: options.list?.[page + 1] ? String(page + 1) : null };
      },
    },
  };
}

describe('a load', () => {
  it.each([
    ['the conversation was repeated', { repeated: 1, loads: (): boolean => true }],
    ['it is on a later page of the list', { list: [['other'], [acpSessionId]], loads: (): boolean => true }],
    ['another of the same look is refused', { loads: (id: string) => id === acpSessionId }],
  ])('is proven when %s', async (_, options) => {
    await expect(loadVerified(loading(options), acpSessionId)).resolves.toEqual({});
  });

  it.each([
    ['the harness refuses it', { loads: (): boolean => false }],
    ['the list does not have it', { list: [['other']], loads: (): boolean => true }],
    ['any id is taken', { loads: (): boolean => true }],
  ])('is refused when %s', async (_, options) => {
    await expect(loadVerified(loading(options), acpSessionId)).rejects.toMatchObject({ kind: 'not_loaded' });
  });
});

it('fails with the error of the provider when the credential is refused', async () => {
  const refused = loading({ loads: (): boolean => true });
  refused.connection.loadSession = () => Promise.reject(new Error('Authentication required'));

  await expect(loadVerified(refused, acpSessionId)).rejects.toThrow('Authentication required');
});

it.each([acpSessionId, 'ses_e01892e72ffe150SjjHMRMujJw', 'rollout-2026-11-21'])(
  'makes up an id that looks like %s',
  (id) => {
    const made = unknownLike(id);

    expect(made).not.toBe(id);
    expect(made).toHaveLength(id.length);
    const looks = (text: string) => text.replace(/[0-9]/g, '0').replace(/[g-z]/g, 'z').replace(/[A-Z]/g, 'Z');
    if (!id.includes('-')) expect(looks(made).slice(0, 4)).toBe(looks(id).slice(0, 4));
    else expect(made.replace(/[^-]/g, '')).toBe(id.replace(/[^-]/g, ''));
  },
);
