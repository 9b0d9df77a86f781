import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { branchOf, titleOf } from './submit-task.js';

const taskId = '01K0ABCDEFGHJKMNPQRSTVWXYZ';

describe('the title of a message', () => {
  it.each([
    ['Fix the door', 'Fix the door'],
    ['\n\r\n  Fix\tthe\u0000 door \nIt squeaks', 'Fix the door'],
    ['  \n\u0007\n', 'Task'],
    ['x'.repeat(100), 'x'.repeat(100)],
    ['x'.repeat(101), `${'x'.repeat(99)}…`],
    [`${'x'.repeat(98)}\u{1F6AA}\u{1F6AA}`, `${'x'.repeat(98)}…`],
  ])('of %j is %j', (message, title) => {
    expect(titleOf(message)).toBe(title);
  });

  it('is one well-formed line of 1 to 100 characters for any message', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (message) => {
        const title = titleOf(message);
        expect(title).toMatch(/^[^\p{Cc}]{1,100}$/u);
        expect(title.length).toBeLessThanOrEqual(100);
        expect(title.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe('the branch of a task', () => {
  it.each([
    ['Fix the door', 'svc/fix-the-door-rstvwxyz'],
    ['  ¿Ölen, bitte? ', 'svc/olen-bitte-rstvwxyz'],
    ['修理门', 'svc/task-rstvwxyz'],
    ['../../etc --force', 'svc/etc-force-rstvwxyz'],
  ])('of %j is %j', (title, branch) => {
    expect(branchOf(title, taskId)).toBe(branch);
  });

  it('is a branch name of at most 60 characters for any title', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (title) => {
        expect(branchOf(title, taskId)).toMatch(/^svc\/[a-z0-9]+(?:-[a-z0-9]+)*-rstvwxyz$/);
        expect(branchOf(title, taskId).length).toBeLessThanOrEqual(60);
      }),
    );
  });
});
