import { describe, expect, it } from 'vitest';
import { decide, type EngineScope } from './engine-rules.js';

const container = 'c'.repeat(64);
const exec = 'e'.repeat(64);
const scope: EngineScope = {
  workspaceId: '01ABC',
  labels: { 'svc.workspace': '01ABC' },
  containerId: container,
  place: {
    network: 'svc-build-01abc',
    cgroupParent: '/svc-builds/01abc',
    limitedPath: '/svc-builds/01abc',
    limits: { Memory: 2 ** 30, MemorySwap: 2 ** 30, NanoCpus: 1.5e9, CpuShares: 512 },
  },
  execs: new Set([exec]),
};
const own = 'svc-ws-01abc:1';

describe('the engine for a build', () => {
  it.each([
    ['GET', '/_ping', '/_ping'],
    ['HEAD', '/v1.41/_ping', '/v1.41/_ping'],
    ['GET', '/v1.41/version', '/v1.41/version'],
    [
      'GET',
      '/v1.41/images/docker.io/library/debian:12/json',
      '/v1.41/images/docker.io/library/debian:12/json',
    ],
    ['GET', '/v1.41/images/a%2Fb/json', '/v1.41/images/a/b/json'],
    ['GET', `/v1.41/containers/${container}/json`, `/v1.41/containers/${container}/json`],
    ['POST', `/v1.41/exec/${exec}/start`, `/v1.41/exec/${exec}/start`],
    ['POST', `/v1.41/exec/${exec}/resize?h=1&w=x`, `/v1.41/exec/${exec}/resize?h=1&w=0`],
    [
      'POST',
      `/v1.41/images/debian/tag?repo=svc-ws-01abc&tag=1`,
      '/v1.41/images/debian/tag?repo=svc-ws-01abc&tag=1',
    ],
  ])('passes on %s %s', (method, url, path) => {
    expect(decide(method, url, scope)).toEqual({ kind: 'forward', path });
  });

  it('pulls an image whose registry was checked', () => {
    expect(decide('POST', '/v1.41/images/create?fromImage=debian&tag=12&x=1', scope)).toEqual({
      kind: 'pull',
      path: '/v1.41/images/create?fromImage=debian&tag=12',
      image: 'debian',
    });
  });

  it("allows exec only in the run's own container", () => {
    expect(decide('POST', `/v1.41/containers/${container}/exec`, scope).kind).toBe('createExec');
  });

  it('lists no containers', () => {
    expect(decide('GET', '/v1.41/containers/json?all=1', scope)).toEqual({ kind: 'answer', body: [] });
  });

  it.each([
    ['POST', '/v1.41/containers/create'],
    ['POST', `/v1.41/containers/${container}/start`],
    ['GET', `/v1.41/containers/${container}/archive?path=/`],
    ['PUT', `/v1.41/containers/${container}/archive?path=/`],
    ['POST', `/v1.41/containers/${'d'.repeat(64)}/exec`],
    ['GET', `/v1.41/containers/${'d'.repeat(64)}/json`],
    ['POST', `/v1.41/exec/${'d'.repeat(64)}/start`],
    ['POST', '/v1.41/containers/prune'],
    ['GET', '/v1.41/images/json'],
    ['GET', '/v1.41/images/svc-ws-01other:1/json'],
    ['GET', '/v1.41/images/docker.io/library/svc-ws-01other:1/json'],
    ['GET', '/v1.41/images/x/get'],
    ['DELETE', `/v1.41/images/${own}`],
    ['POST', `/v1.41/images/${own}/push`],
    ['POST', '/v1.41/images/load'],
    ['POST', '/v1.41/images/create?fromSrc=http://x'],
    ['POST', '/v1.41/images/create?fromImage=debian&fromSrc=-'],
    ['POST', '/v1.41/images/debian/tag?repo=berth-base&tag=local'],
    ['POST', `/v1.41/images/svc-ws-01other:1/tag?repo=svc-ws-01abc&tag=1`],
    ['GET', '/v1.41/volumes'],
    ['POST', '/v1.41/volumes/create'],
    ['GET', '/v1.41/events'],
    ['POST', '/v1.41/swarm/init'],
    ['POST', '/v1.41/plugins/pull'],
    ['POST', '/session'],
    ['POST', '/grpc'],
    ['GET', '/v1.41/images/x%2F..%2F..%2Fcontainers/json'],
    ['GET', '/v1.41/images/%E0%A4%A/json'],
    ['POST', '/v1.41/_ping'],
  ])('refuses %s %s', (method, url) => {
    expect(decide(method, url, scope).kind).toBe('refuse');
  });
});

describe('the parameters of a build', () => {
  const build = (query: Record<string, string>) =>
    decide('POST', `/v1.41/build?${new URLSearchParams(query)}`, scope);
  const sent = (query: Record<string, string>) => {
    const verdict = build(query);
    return new URL(verdict.kind === 'build' ? verdict.path : '', 'http://engine').searchParams;
  };

  it('get the labels of the workspace', () => {
    const labels = JSON.stringify({ a: 'b', 'svc.workspace': 'another' });

    expect(JSON.parse(sent({ t: own, labels }).get('labels') ?? '')).toEqual({
      a: 'b',
      'svc.workspace': '01ABC',
    });
  });

  it('drop everything that is not allowed', () => {
    const query = {
      dockerfile: 'D',
      target: 't',
      memory: '1',
      cgroupparent: '/',
      securityopt: '["x"]',
      extrahosts: 'x',
    };

    expect([...sent({ ...query, networkmode: 'default', pull: '1' }).keys()].sort()).toEqual([
      'buildargs',
      'cachefrom',
      'cgroupparent',
      'cpuperiod',
      'cpuquota',
      'cpushares',
      'dockerfile',
      'forcerm',
      'labels',
      'memory',
      'memswap',
      'networkmode',
      'rm',
      'target',
    ]);
  });

  it('lose the arguments that choose a frontend or are in no key of the cache', () => {
    const given = { A: 'a', BUILDKIT_SYNTAX: 'x', HTTP_PROXY: 'x', no_proxy: 'x', 'a b': 'x', B: null };

    expect(sent({ buildargs: JSON.stringify(given) }).get('buildargs')).toBe('{"A":"a"}');
  });

  it('get limits and network of the workspace', () => {
    expect(
      Object.fromEntries(sent({ t: own, memory: '1', cpuquota: '-1', networkmode: 'default' })),
    ).toMatchObject({
      memory: '1073741824',
      memswap: '1073741824',
      cpuperiod: '100000',
      cpuquota: '150000',
      cpushares: '512',
      networkmode: 'svc-build-01abc',
      cgroupparent: '/svc-builds/01abc',
    });
  });

  it('are refused in a run that builds nothing', () => {
    expect(decide('POST', '/v1.41/build?', { ...scope, place: null }).kind).toBe('refuse');
  });

  it.each([
    { networkmode: 'host' },
    { networkmode: `container:${container}` },
    { remote: 'http://x' },
    { t: 'berth-base:local' },
    { t: 'svc-ws-01other:1' },
    { t: 'vsc-01other-features' },
    { t: 'dev_container_feature_content_temp' },
    { cachefrom: '["svc-ws-01other:1"]' },
    { cachefrom: '{' },
    { dockerfile: '../Dockerfile' },
    { dockerfile: '/etc/passwd' },
    { labels: '[]' },
  ])('are refused with %j', (query) => {
    expect(build(query).kind).toBe('refuse');
  });
});
