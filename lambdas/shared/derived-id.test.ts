import { describe, expect, it } from 'vitest';
import { Ulid } from '../../protocol/ids.js';
import { derivedId } from './derived-id.js';

describe('derivedId', () => {
  it('is a ULID, the same one for the same names and another one for others', () => {
    const ids = [derivedId('a', 'b'), derivedId('a', 'b'), derivedId('ab'), derivedId('b', 'a')];

    for (const id of ids) expect(Ulid.parse(id)).toBe(id);
    expect(new Set(ids).size).toBe(3);
    expect(ids[0]).toBe(ids[1]);
  });
});
