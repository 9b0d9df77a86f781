import { expect, it } from 'vitest';
import { imageUser } from './image-user.js';

const of = (metadata: unknown) => imageUser({ 'devcontainer.metadata': JSON.stringify(metadata) });

it('takes the last remoteUser, else the last containerUser', () => {
  expect(of([{ remoteUser: 'one' }, { id: 'feature' }, { remoteUser: 'two' }, {}])).toBe('two');
  expect(of([{ containerUser: 'one' }, { containerUser: 'two' }])).toBe('two');
  expect(of([{ remoteUser: 'one' }, { containerUser: 'two' }])).toBe('one');
  expect(of({ remoteUser: 'one' })).toBe('one');
});

it.each([[null], [[]], ['x'], [[{ remoteUser: 'a b' }]], [[{ remoteUser: 7 }]], [[{ remoteUser: '' }]]])(
  'ignores %j',
  (metadata) => {
    expect(of(metadata)).toBeNull();
  },
);

it('ignores an image without labels, and a label that is no JSON', () => {
  expect(imageUser(null)).toBeNull();
  expect(imageUser({ 'devcontainer.metadata': '{' })).toBeNull();
});
