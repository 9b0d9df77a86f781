import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canMove,
  isPendingReconcile,
  sourcesOf,
  targetsOf,
  type WorkspaceMove,
  type WorkspaceStatus,
  workspaceMoves,
  workspaceStatuses,
} from './workspace-status.js';

const move = fc.constantFrom(...workspaceMoves);
/** These start the next generation; callbacks of the former one have no effect. */
const nextLife: readonly WorkspaceMove[] = ['restart', 'wake'];
const sameLife = fc.constantFrom(...workspaceMoves.filter((any) => !nextLife.includes(any)));
const status = fc.constantFrom(...workspaceStatuses);

/** Plays moves as conditional writes do: one that may not begin here changes nothing. */
function play(
  moves: readonly WorkspaceMove[],
  start: WorkspaceStatus = 'pending',
): readonly WorkspaceStatus[] {
  const visited: WorkspaceStatus[] = [start];
  for (const next of moves) {
    const at = visited.at(-1) ?? start;
    const [to] = targetsOf(next);
    if (to && canMove(at, next)) visited.push(to);
  }
  return visited;
}

describe('the states of a workspace', () => {
  it('let nothing leave deleted', () => {
    fc.assert(fc.property(move, (any) => !canMove('deleted', any)));
  });

  it('bring a workspace that was stopped or has failed to run by no late callback', () => {
    const ended = fc.constantFrom<WorkspaceStatus>('stopping', 'stopped', 'errored', 'deleted');

    fc.assert(
      fc.property(ended, fc.array(sameLife), (start, moves) => {
        const visited = play(moves, start).slice(1);
        expect(visited).not.toContain('running');
        expect(visited).not.toContain('provisioning');
      }),
    );
  });

  it('let a deletion begin wherever a workspace is, and only once it is claimed end', () => {
    fc.assert(
      fc.property(status, (any) => {
        expect(canMove(any, 'claimDeletion')).toBe(any !== 'deleted');
      }),
    );
    expect(sourcesOf('confirmDeletion')).toEqual(['stopping']);
  });

  it('enter no status twice, unless a deletion comes to nothing or it is made again', () => {
    const again: readonly WorkspaceMove[] = [
      'claimDeletion',
      'restartedByNode',
      'rebuild',
      'unplace',
      'notAsleep',
      ...nextLife,
    ];
    const claimless = move.filter((any) => !again.includes(any));

    fc.assert(
      fc.property(fc.array(claimless), (moves) => {
        const visited = play(moves);
        expect(new Set(visited).size).toBe(visited.length);
      }),
    );
  });

  it('only stop or end once a deletion was claimed', () => {
    fc.assert(
      // A restart asks that no deletion was claimed.
      fc.property(fc.array(move), fc.array(sameLife), (before, after) => {
        const claimed = play([...before, 'claimDeletion']).at(-1) ?? 'deleted';
        for (const at of play(after, claimed)) expect(['stopping', 'stopped', 'deleted']).toContain(at);
      }),
    );
  });

  it('keep the sweep looking at whatever a saga should end', () => {
    expect(workspaceStatuses.filter(isPendingReconcile)).toEqual([
      'pending',
      'provisioning',
      'stopping',
      'rebuilding',
    ]);
  });
});
