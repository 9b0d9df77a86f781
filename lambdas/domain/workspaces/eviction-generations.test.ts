import { describe, expect, it } from 'vitest';
import { hasBothGenerations } from '../../../protocol/eviction.js';
import { newId } from '../../shared/ids.js';
import { candidatesOf, sending } from './eviction-generations.js';

const [here, there] = [newId(), newId()];
const [first, second, third] = [newId(), newId(), newId()];

describe('sending', () => {
  it('expects what the node was sent before, and what it had if that did not reach it', () => {
    const one = sending({}, { nodeId: here, evictionGeneration: first });
    const two = sending({ sentEviction: one }, { nodeId: here, evictionGeneration: second });
    const three = sending({ sentEviction: two }, { nodeId: here, evictionGeneration: third });

    expect([one.before, two.before, three.before]).toEqual([[null], [first, null], [second, first, null]]);
    expect(candidatesOf(two)).toEqual([
      { evictionGeneration: second, expectedEvictionGeneration: first },
      { evictionGeneration: second, expectedEvictionGeneration: null },
    ]);
    for (const candidate of candidatesOf(three)) expect(hasBothGenerations(candidate)).toBe(true);
  });

  it('is the same for a repeat, and expects nothing on another node', () => {
    const one = sending({}, { nodeId: here, evictionGeneration: first });
    const two = sending({ sentEviction: one }, { nodeId: here, evictionGeneration: second });

    expect(sending({ sentEviction: two }, { nodeId: here, evictionGeneration: second })).toEqual(two);
    expect(sending({ sentEviction: two }, { nodeId: there, evictionGeneration: third }).before).toEqual([
      null,
    ]);
  });

  it('is bounded', () => {
    let sentEviction = sending({}, { nodeId: here, evictionGeneration: newId() });
    for (let count = 0; count < 9; count += 1)
      sentEviction = sending({ sentEviction }, { nodeId: here, evictionGeneration: newId() });

    expect(sentEviction.before).toHaveLength(4);
  });
});
