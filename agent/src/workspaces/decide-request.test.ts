import { describe, expect, it } from 'vitest';
import type { CreateNodeWorkspace } from '../../../protocol/node-api.js';
import { decideCreate, isRepeatedRestart, settingsOf } from './decide-request.js';
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

it.each(['creating', 'running', 'stopped', 'errored', 'evicted'] as const)(
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
