import { expect, it } from 'vitest';
import { WorkspaceUse } from './workspace-use.js';

it('names a workspace in each report until one is accepted', () => {
  const use = new WorkspaceUse();
  use.mark('a');
  use.mark('a');

  expect(use.report()).toEqual(['a']);
  use.mark('b');
  expect(use.report()).toEqual(['a', 'b']);
  use.accepted();
  expect(use.report()).toEqual([]);
});

it('keeps a use that came after the report for the next one', () => {
  const use = new WorkspaceUse();
  use.mark('a');
  use.report();
  use.mark('a');
  use.accepted();

  expect(use.report()).toEqual(['a']);
});
