import { describe, expect, it } from 'vitest';
import type { CreateNodeWorkspace } from '../../../protocol/node-api.js';
import { decideCreate, evictionChange, isRepeatedRestart, settingsOf } from './decide-request.js';
import type { Workspace, WorkspaceStatus } from './workspace.js';

const request: CreateNodeWorkspace = {
  workspaceId: '01K0000000000000000000000W',
  generation: 3,
  repository: 'octo/hello',
  cloneUrl: 'https://code.example.com/octo/hello.git',
  branch: 'main',
  callbackToken: 'token',
};

function existing(generation: number, status: WorkspaceStatus): Workspace {
  return {
    workspaceId: request.workspaceId,
    generation,
    status,
    settings: settingsOf(request),
    callbackToken: 'token',
    provisionKind: 'create',
    errorMessage: null,
    pendingCallback: null,
    isEvicted: status === 'evicted',
    evictionGeneration: '',
    createdAt: '2026-01-01T00:00:00Z',
    updatedAt: '2026-01-01T00:00:00Z',
  };
}

it('provisions a workspace that does not exist', () => {
  expect(decideCreate(request, null, 0)).toBe('begin');
});

describe('against the same generation', () => {
  it('accepts a repeated create with other limits', () => {
    const repeat = { ...request, reservation: { cpuMillis: 1_000, memoryMb: 1_024 } };

    expect(decideCreate(repeat, existing(3, 'running'), 0)).toBe('running');
  });

  it.each([
    ['creating', 'in_progress'],
    ['running', 'running'],
    ['recovering', 'running'],
  ] as const)('finds a %s one %s', (status, decision) => {
    expect(decideCreate(request, existing(3, status), 0)).toBe(decision);
  });

  it.each(['stopped', 'errored', 'evicted'] as const)('refuses to create a %s workspace again', (status) => {
    expect(() => decideCreate(request, existing(3, status), 0)).toThrow(
      expect.objectContaining({ code: 'workspace_not_creatable' }),
    );
  });

  it('refuses a repeated create with other settings in any status', () => {
    expect(() => decideCreate({ ...request, branch: 'dev' }, existing(3, 'running'), 0)).toThrow(
      expect.objectContaining({ code: 'workspace_conflict' }),
    );
  });
});

it.each(['creating', 'running', 'stopped', 'errored'] as const)(
  'lets a newer generation take the place of a %s one',
  (status) => {
    expect(decideCreate(request, existing(2, status), 0)).toBe('begin');
  },
);

it.each([
  ['an older one than is here', existing(4, 'running'), 0],
  ['one that was deleted here', null, 3],
  ['one older than what was deleted here', null, 5],
])('refuses %s', (_, workspace, deleted) => {
  expect(() => decideCreate(request, workspace, deleted)).toThrow(
    expect.objectContaining({ code: 'stale_generation' }),
  );
});

it('accepts a newer generation after a deletion', () => {
  expect(decideCreate(request, null, 2)).toBe('begin');
});

describe('the fence of an eviction', () => {
  const [first, second] = ['01K0000000000000000000000A', '01K0000000000000000000000B'];
  const evicted = { ...existing(2, 'evicted'), evictionGeneration: first };

  it.each([2, 3])('refuses a create of generation %i', (generation) => {
    expect(() => decideCreate({ ...request, generation }, evicted, 0)).toThrow(
      expect.objectContaining({ code: 'workspace_not_creatable' }),
    );
  });

  it('is no setting: a repeated create may name another', () => {
    const repeat = { ...request, evictionGeneration: second };

    expect(decideCreate(repeat, existing(3, 'running'), 0)).toBe('running');
    expect(settingsOf(repeat)).not.toHaveProperty('evictionGeneration');
  });

  it('ends with the generation that begins and the one that ends', () => {
    const both = { evictionGeneration: second, expectedEvictionGeneration: first };

    expect(evictionChange(both, evicted)).toEqual({ from: first, to: second });
    expect(evictionChange({ evictionGeneration: first }, existing(2, 'stopped'))).toEqual({
      from: '',
      to: first,
    });
    expect(evictionChange({}, existing(2, 'stopped'))).toBeUndefined();
  });

  it.each([
    ['neither generation', {}, evicted, 'invalid_request'],
    ['neither, where there was none', {}, { ...evicted, evictionGeneration: '' }, 'invalid_request'],
    [
      'another end',
      { evictionGeneration: second, expectedEvictionGeneration: second },
      evicted,
      'invalid_transition',
    ],
    [
      'no end',
      { evictionGeneration: second, expectedEvictionGeneration: null },
      evicted,
      'invalid_transition',
    ],
  ] as const)('stays with %s', (_, body, workspace, code) => {
    expect(() => evictionChange(body, workspace)).toThrow(expect.objectContaining({ code }));
  });

  it('knows a repeated restart by its generation', () => {
    const running = { ...existing(3, 'running'), evictionGeneration: second };
    const both = { evictionGeneration: second, expectedEvictionGeneration: first };

    expect(isRepeatedRestart(both, running)).toBe(true);
    expect(isRepeatedRestart({ ...both, evictionGeneration: first }, running)).toBe(false);
    expect(isRepeatedRestart(both, { ...running, isEvicted: true })).toBe(false);
  });
});

describe('a request to restart or rebuild', () => {
  it.each(['creating', 'running', 'recovering'] as const)(
    'is a repeat while this generation is %s',
    (status) => {
      expect(isRepeatedRestart({ generation: 3 }, existing(3, status))).toBe(true);
    },
  );

  it.each([
    ['without a generation', {}, 'running'],
    ['for a newer generation', { generation: 4 }, 'running'],
    ['for a stopped workspace', { generation: 3 }, 'stopped'],
  ] as const)('is no repeat %s', (_, restart, status) => {
    expect(isRepeatedRestart(restart, existing(3, status))).toBe(false);
  });

  it('is refused for an older generation', () => {
    expect(() => isRepeatedRestart({ generation: 2 }, existing(3, 'stopped'))).toThrow(
      expect.objectContaining({ code: 'stale_generation' }),
    );
  });
});
