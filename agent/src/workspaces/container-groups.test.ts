import { expect, it } from 'vitest';
import { containerOf } from './container-groups.js';

const id = 'a'.repeat(64);

it.each([
  ['of the new kind', `0::/system.slice/docker-${id}.scope\n`],
  ['of the old kind', `9:name=systemd:/docker/${id}\n8:pids:/docker/${id}\n`],
  ['of another engine', `0::/machine.slice/libpod-${id}.scope/container\n`],
])('finds the container of a process in a control group %s', (_, groups) => {
  expect(containerOf(groups)).toBe(id);
});

it('finds the innermost of containers within containers', () => {
  expect(containerOf(`0::/docker/${'b'.repeat(64)}/docker/${id}\n`)).toBe(id);
});

it.each(['', '0::/\n', '0::/system.slice/vm-agent.service\n', '0::/user.slice/user-1000.slice\n'])(
  'finds none in %j',
  (groups) => {
    expect(containerOf(groups)).toBeNull();
  },
);
