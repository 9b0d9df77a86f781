import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseSettings } from '../infra/settings.js';
import {
  type InstanceType,
  type Resources,
  reservable,
  resourceNames,
  resourcesOf,
} from '../lambdas/domain/nodes/instance-types.js';
import { reservationFor } from '../lambdas/domain/nodes/reservation.js';
import { placesOn } from '../lambdas/domain/nodes/room.js';

const { nodeInstanceTypes, nodeCapacity, cpuOvercommit } = parseSettings({ superadmins: '1001' });
const need = reservationFor({});

/** Prices of us-east-1: a month of gp3, and an hour of a public address. */
const diskDollarsPerGbMonth = 0.08;
const hoursPerMonth = 730;
const addressDollarsPerHour = 0.005;

const holds = (resources: Resources, capacity: number) =>
  placesOn({ resources, capacity }, need, cpuOvercommit);
const dollars = (amount: number) => amount.toFixed(3);

/** A row of the table in docs/deploying.md. */
function rowOf({
  dollarsPerHour = 0,
  ...type
}: InstanceType & { readonly dollarsPerHour?: number | undefined }): string {
  const resources = resourcesOf(type);
  const room = reservable(resources, cpuOvercommit);
  const [standard, most] = [holds(resources, nodeCapacity), holds(resources, 100)];
  const disk = (type.diskGb * diskDollarsPerGbMonth) / hoursPerMonth;
  const hour = dollarsPerHour + disk + addressDollarsPerHour;
  return [
    `| \`${type.name}\``,
    `${resources.memoryMb / 1_024} GB, ${resources.diskMb / 1_024} GB`,
    resourceNames.map((name) => Math.floor(room[name] / need[name])).join(', '),
    standard === most ? standard : `${standard} (${most} with a larger \`nodeCapacity\`)`,
    `$${dollars(dollarsPerHour)} + ${dollars(disk)} + ${dollars(addressDollarsPerHour)}`,
    `${standard === 0 ? '-' : [...new Set([standard, most])].map((count) => `$${dollars(hour / count)}`).join(', ')} |`,
  ].join(' | ');
}

it('docs/deploying.md states what each default type holds and costs', () => {
  const text = readFileSync(new URL('../docs/deploying.md', import.meta.url), 'utf8');
  const rows = text.split('\n').filter((line) => line.startsWith('| `t4g.'));

  expect(rows).toEqual(nodeInstanceTypes.map(rowOf));
});
