import { expect, it } from 'vitest';
import { rotationProblem } from './rotations.js';

const settings = { signingKeyGenerations: [1], originSecretGenerations: [1] };
const deployed = (signing: string) => (name: string) => (name === 'SigningKeyGenerations' ? signing : '1');

it.each([
  ['the same generation', [1], '1'],
  ['a new generation that does not sign yet', [1, 2], '1'],
  ['a new generation that the last deployment published', [2, 1], '1,2'],
  ['the end of the old generation', [2], '2,1'],
])('accepts %s', (_, signingKeyGenerations, published) => {
  expect(rotationProblem({ ...settings, signingKeyGenerations }, deployed(published))).toBeUndefined();
});

it.each([
  [[2, 1], '1'],
  [[2], '1'],
  [[3, 2], '2,1'],
])('refuses to sign with the first of %j when %s are published', (signingKeyGenerations, published) => {
  const problem = rotationProblem({ ...settings, signingKeyGenerations }, deployed(published));
  const next = [...published.split(','), signingKeyGenerations[0]].join(',');
  expect(problem).toContain(`Deploy first with signingKeyGenerations=[${next}]`);
});

it('refuses to send an origin secret that no function accepts yet', () => {
  expect(rotationProblem({ ...settings, originSecretGenerations: [2, 1] }, () => '1')).toContain(
    'originSecretGenerations is [2,1]',
  );
});

it('accepts any generation in a first deployment', () => {
  expect(rotationProblem({ ...settings, signingKeyGenerations: [2] }, () => undefined)).toBeUndefined();
});
