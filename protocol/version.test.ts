import { describe, expect, it } from 'vitest';
import type * as z from 'zod/mini';
import * as boot from './boot.js';
import * as callbacks from './callbacks.js';
import * as heartbeat from './heartbeat.js';
import * as nodeApi from './node-api.js';
import { spokenByVersion } from './spoken-by-version.js';
import { oldestProtocolVersion, ProtocolVersion, protocolVersion } from './version.js';

// The files have a few constants beside their schemas; no fixture names those.
const schemas = { ...boot, ...callbacks, ...heartbeat, ...nodeApi } as unknown as Readonly<
  Record<string, z.ZodMiniType>
>;

describe.each([oldestProtocolVersion, protocolVersion])('what is spoken in version %i', (version) => {
  const spoken = Object.entries(spokenByVersion[version] ?? {});

  it('is on record', () => {
    expect(spoken.length).toBeGreaterThan(0);
  });

  it.each(spoken)('is understood: %s', (name, message) => {
    const result = schemas[name]?.safeParse(message);

    expect(result?.error?.issues ?? []).toEqual([]);
    expect(result?.data).toMatchObject(message as object);
  });
});

it.each([oldestProtocolVersion, protocolVersion])('takes agents of version %i', (version) => {
  expect(ProtocolVersion.safeParse(version).success).toBe(true);
});

it.each([0, oldestProtocolVersion - 1, protocolVersion + 1, 1.5, '1'])(
  'takes no agent of version %j',
  (version) => {
    expect(ProtocolVersion.safeParse(version).success).toBe(false);
  },
);
