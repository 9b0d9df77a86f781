import { expect, it } from 'vitest';
import { listPendingReconciles } from '../../../lambdas/domain/records/pending-reconcile.js';
import { findWorkspace } from '../../../lambdas/domain/workspaces/find-workspace.js';
import { leastMinutes } from '../../support/day/node-hours.js';
import { peopleWithPlans } from '../../support/day/people.js';
import { SimulatedDay } from '../../support/day/simulated-day.js';
import { emptyTable } from '../../support/table.js';

it('no node lives a minute without a reason on a day of mixed use', async () => {
  const table = await emptyTable();
  const plans = await peopleWithPlans(table, { people: 3, workspaces: 7, seed: 18 });
  const day = new SimulatedDay(table, plans);

  await day.run();

  expect(day.withoutReason).toEqual([]);
  expect(await listPendingReconciles(table)).toEqual([]);
  const rows = await Promise.all(plans.map(({ workspaceId }) => findWorkspace(table, workspaceId)));
  expect(rows.map((row) => row?.status)).toEqual(
    plans.map(({ kind }) => (kind === 'conversation' ? 'sleeping' : 'stopped')),
  );
  const least = leastMinutes(plans);
  const paid = day.nodeMinutes + day.savedMinutes;
  expect(paid).toBeGreaterThanOrEqual(least);
  expect(paid / least).toBeLessThan(1.1);
});
