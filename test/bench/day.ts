import { openTable } from '../../lambdas/shared/open-table.js';
import { leastMinutes } from '../support/day/node-hours.js';
import { peopleWithPlans } from '../support/day/people.js';
import { SimulatedDay } from '../support/day/simulated-day.js';
import { setup } from '../support/emulator.setup.js';
import { createTable } from '../support/table.js';
import type { Measurement } from './measurement.js';

const size = { people: 25, workspaces: 200, seed: 18 };

/**
 * A day of 200 workspaces by the functions of the domain, on a table of the emulator, with a driven
 * clock. Nodes are simulated.
 */
export async function measureDay(): Promise<readonly Measurement[]> {
  const stop = await setup();
  try {
    const table = openTable(await createTable());
    const plans = await peopleWithPlans(table, size);
    const day = new SimulatedDay(table, plans);
    await day.run();
    const least = leastMinutes(plans);
    return [
      {
        name: 'Node hours of 200 workspaces on a day of mixed use',
        value: hours(day.nodeMinutes),
        unit: 'h',
      },
      {
        name: '— and that warm nodes older than 4 h would have stayed',
        value: hours(day.savedMinutes),
        unit: 'h',
      },
      { name: '— the least possible for the idle rules', value: hours(least), unit: 'h' },
      {
        name: '— the sum of both against the least',
        value: Math.round(((day.nodeMinutes + day.savedMinutes) / least) * 1_000) / 1_000,
        unit: 'x',
        limit: 1.1,
      },
      { name: '— nodes launched', value: day.launches, unit: 'nodes' },
      {
        name: 'Nodes alive without a reason, over all minutes',
        value: day.withoutReason.length,
        unit: 'nodes',
        limit: 0,
      },
    ];
  } finally {
    await stop();
  }
}

const hours = (minutes: number): number => Math.round(minutes / 6) / 10;
