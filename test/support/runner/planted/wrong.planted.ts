import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('expects what is not so', () => {
  writeFileSync(join(tmpdir(), 'painter.log'), 'The painter ran out of red.\n');

  expect({ colour: 'green' }).toEqual({ colour: 'red' });
});
