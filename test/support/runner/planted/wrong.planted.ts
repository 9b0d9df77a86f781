import { expect, it } from 'vitest';

it('expects what is not so', () => {
  expect({ colour: 'green' }).toEqual({ colour: 'red' });
});
