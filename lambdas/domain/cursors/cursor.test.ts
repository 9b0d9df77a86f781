import { describe, expect, it } from 'vitest';
import { openCursor, sealCursor } from './cursor.js';

const scope = { cursorKey: 'key of ada', query: 'projects' };
const position = { pk: 'PROJECT#1', sk: 'MEMBER#2' };

describe('a cursor', () => {
  it('opens for the query it came from', () => {
    expect(openCursor(scope, sealCursor(scope, position))).toEqual(position);
  });

  it.each([
    ['another query', { ...scope, query: 'nodes' }],
    ['another caller', { ...scope, cursorKey: 'key of bob' }],
  ])('opens for no %s', (_what, other) => {
    const cursor = sealCursor(scope, position);

    expect(() => openCursor(other, cursor)).toThrow(expect.objectContaining({ kind: 'invalid' }));
  });

  it.each(['', '.', 'a.b', 'eyJwayI6IngifQ', 'eyJwayI6IngifQ.AAAA'])(
    'refuses what it did not seal: %j',
    (cursor) => {
      expect(() => openCursor(scope, cursor)).toThrow(
        expect.objectContaining({ details: [expect.objectContaining({ field: 'cursor' })] }),
      );
    },
  );

  it('refuses one whose position was changed', () => {
    const [, mac] = sealCursor(scope, position).split('.');
    const forged = Buffer.from(JSON.stringify({ pk: 'PROJECT#9', sk: 'MEMBER#2' })).toString('base64url');

    expect(() => openCursor(scope, `${forged}.${mac}`)).toThrow(expect.objectContaining({ kind: 'invalid' }));
  });
});
