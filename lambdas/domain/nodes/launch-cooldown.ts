import * as z from 'zod/mini';
import type { Table } from '../../shared/table.js';
import type { Item } from '../records/batch-items.js';
import { changeItem } from '../records/change-item.js';
import type { Key } from '../records/changes.js';

/** One item, so that each placement reads it together with the nodes. */
export const launchCooldownKey: Key = { pk: 'DEPLOYMENT', sk: 'LAUNCHCOOLDOWN' };

const cooldownMs = 10 * 60_000;

/** The account is exhausted, not one type. */
export const everyType = 'every_type';

const Cooldown = z.object({ until: z.iso.datetime(), code: z.string() });
export type Cooldown = z.infer<typeof Cooldown>;

/** By attribute of the item; those that have ended are among them. */
export type LaunchCooldowns = ReadonlyMap<string, Cooldown>;

const prefix = 'of_';
/** Names of attributes in expressions have neither dots nor hyphens. */
const attributeOf = (type: string): string => `${prefix}${type.replace(/[^a-z0-9]/g, '_')}`;

export function launchCooldowns(item: Item | undefined): LaunchCooldowns {
  const entries = Object.entries(item ?? {}).filter(([name]) => name.startsWith(prefix));
  return new Map(entries.map(([name, value]) => [name, Cooldown.parse(value)]));
}

/** The cooldown during which this type is not launched. */
export function cooldownOf(cooldowns: LaunchCooldowns, type: string, now: Date): Cooldown | undefined {
  const found = [everyType, type].map((each) => cooldowns.get(attributeOf(each)));
  return found.find((cooldown) => cooldown && Date.parse(cooldown.until) > now.getTime());
}

/** An instance type, or `everyType`, that EC2 refuses everywhere, with its error code. */
export interface Exhausted {
  readonly type: string;
  readonly code: string;
}

/** Until its end, no placement of the deployment launches these types. One table call. */
export async function startCooldowns(
  table: Table,
  exhausted: readonly Exhausted[],
  now: Date,
): Promise<void> {
  const until = new Date(now.getTime() + cooldownMs).toISOString();
  const cooldowns = exhausted.map(({ type, code }) => [attributeOf(type), { until, code }] as const);
  await changeItem(table, {
    key: launchCooldownKey,
    set: { entity: 'launch-cooldown', schemaVersion: 1, ...Object.fromEntries(cooldowns) },
    when: {},
  });
}
