import { expect, it } from 'vitest';
import { LaunchSettings } from './launch-layer.js';

const isTaken = (opencodeBaseUrl: string) => LaunchSettings.safeParse({ opencodeBaseUrl }).success;

it.each([
  'https://models.example/v1',
  'https://models.example:8443',
  'https://[2001:db8::1]/v1',
  'http://localhost:11434/v1',
  'http://127.0.0.1/v1/',
  'http://[::1]:8080',
])('takes %s as address of a model provider', (address) => {
  expect(isTaken(address)).toBe(true);
});

it.each([
  'http://models.example/v1',
  'http://localhost.example/v1',
  'http://localhost@models.example/v1',
  'https://name:key@models.example/v1',
  'https://models.example/v1?key=1',
  'https://models.example/{env:OPENCODE_API_KEY}',
  'https://models.example:99999/v1',
  'file:///etc/passwd',
  'models.example',
])('refuses %s as address of a model provider', (address) => {
  expect(isTaken(address)).toBe(false);
});

it('refuses an unknown provider of OpenCode', () => {
  expect(LaunchSettings.safeParse({ opencodeProvider: 'other' }).success).toBe(false);
});
