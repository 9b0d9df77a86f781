import { expect, it } from 'vitest';
import { MergedConfiguration } from './configuration.js';
import { planContainer } from './plan-container.js';

const make = (merged: object, config: object = {}) =>
  planContainer(MergedConfiguration.parse(merged), {
    image: 'built:1',
    // Only what is looked at.
    inspected: { Config: { User: '', Env: ['PATH=/bin'], ...config } } as Parameters<
      typeof planContainer
    >[1]['inspected'],
    workDir: '/workspaces/repo',
    volumePrefix: 'svc-ws-1',
  });

it.each([
  [{ remoteUser: 'dev', containerUser: 'box' }, 'img', 'dev', 'box'],
  [{ containerUser: 'box' }, 'img', 'box', 'box'],
  [{ remoteUser: 'dev' }, 'img', 'dev', 'img'],
  [{}, '', 'root', 'root'],
])('for %j in an image of "%s" works as %s and starts as %s', (merged, User, user, startAs) => {
  const [plan] = make(merged, { User });

  expect(plan).toMatchObject({ user, startup: { user: startAs } });
});

it('resolves containerEnv variables in remoteEnv', () => {
  const [plan] = make({
    containerEnv: { A: 'a' },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the format's own variables
    remoteEnv: { PATH: '${containerEnv:PATH}:/x', B: '${containerEnv:A}${containerEnv:NO:n}', GONE: null },
  });

  expect(plan.environment).toEqual({ A: 'a', PATH: '/bin:/x', B: 'an' });
});

it('mounts only volumes, with names prefixed by the workspace', () => {
  const [plan, notes] = make({
    mounts: [
      'type=volume,source=svc-ws-2,target=/stolen',
      { type: 'volume', source: 'cache', target: '/cache' },
      'source=/var/run/docker.sock,target=/var/run/docker.sock,type=bind',
      'type=volume,source=x,target=/run/svc',
      'type=volume,source=x,target=/workspaces/repo/y',
    ],
  });

  expect(plan.mounts).toEqual([
    { volume: 'svc-ws-1-svc-ws-2', target: '/stolen' },
    { volume: 'svc-ws-1-cache', target: '/cache' },
  ]);
  expect(notes).toHaveLength(3);
});

it('allows ptrace, and no capability that weakens isolation', () => {
  const [plan, notes] = make({
    privileged: true,
    capAdd: ['SYS_PTRACE', 'SYS_ADMIN'],
    securityOpt: ['seccomp=unconfined', 'seccomp:unconfined', 'apparmor=unconfined', 'no-new-privileges'],
  });

  expect(plan).toMatchObject({ capabilities: ['SYS_PTRACE'], securityOptions: ['no-new-privileges'] });
  expect(notes).toEqual([
    'privileged is not allowed',
    'capAdd is not allowed: SYS_ADMIN',
    'securityOpt is not allowed: seccomp=unconfined, seccomp:unconfined, apparmor=unconfined',
  ]);
});

it("starts the image's own command only where it is not to be overridden", () => {
  const image = { Entrypoint: ['/start'], Cmd: ["it's", 'on'] };

  expect(make({ entrypoints: ['/feature'] }, image)[0].startup.commands).toEqual(['/feature']);
  expect(make({ overrideCommand: false }, image)[0].startup.commands).toEqual([
    "exec '/start' 'it'\\''s' 'on'",
  ]);
});
