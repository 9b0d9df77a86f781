import { expect, it } from 'vitest';
import { bootEnvPath } from '../../protocol/boot.js';
import { BadUserData, parseEnvFile, parseUserData } from './user-data.js';

const bootEnv = {
  NODE_ID: '01J0000000000000000000000A',
  CONTROL_PLANE_URL: 'http://localhost:8787',
  BOOTSTRAP_TOKEN: 'a=b',
};
const encode = (text: string) => Buffer.from(text).toString('base64');
const cloudConfig = (files: object[]) =>
  encode(`#cloud-config\n${JSON.stringify({ write_files: files, other: true })}`);
const envFile = (env: object) =>
  Object.entries(env)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

it('reads what cloud-init would write as the environment of the agent', () => {
  const userData = cloudConfig([
    { path: '/etc/motd', content: 'hello' },
    { path: bootEnvPath, content: envFile(bootEnv), permissions: '0600' },
  ]);

  expect(parseUserData(userData)).toEqual(bootEnv);
});

it.each([
  ['a script', encode('#!/bin/sh\necho'), 'does not begin with #cloud-config'],
  ['YAML that is no JSON', encode('#cloud-config\nwrite_files: []'), 'no cloud-config with write_files'],
  ['no files', encode('#cloud-config\n{}'), 'no cloud-config with write_files'],
  ['another file', cloudConfig([{ path: '/etc/motd', content: '' }]), `writes no ${bootEnvPath}`],
  [
    'an environment without a node',
    cloudConfig([{ path: bootEnvPath, content: 'A=1\n' }]),
    'of the user data is incomplete',
  ],
])('refuses user data with %s', (_what, userData, message) => {
  expect(() => parseUserData(userData)).toThrow(BadUserData);
  expect(() => parseUserData(userData)).toThrow(message);
});

it('reads values up to the end of their line, and no comments', () => {
  expect(parseEnvFile('# a comment\nA=1=2\n\nB=\n not=this\n')).toEqual({ A: '1=2', B: '' });
});
