import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { allocateFrame } from './allocate-frame.js';

// Exported, but not known to the types.
const { Sender }: { Sender: { frame(body: Buffer, options: object): Buffer[] } } = createRequire(
  import.meta.url,
)('ws');

it.each([0, 1, 125, 126, 65_535, 65_536, 70_000])(
  'writes the head that the library writes before %i bytes',
  (length) => {
    const body = Buffer.alloc(length, 7);
    const { memory, at } = allocateFrame(length);
    memory.set(body, at);

    const options = { opcode: 2, fin: true, rsv1: false, mask: false, readOnly: true };
    expect(Buffer.from(memory)).toEqual(Buffer.concat(Sender.frame(body, options)));
  },
);
