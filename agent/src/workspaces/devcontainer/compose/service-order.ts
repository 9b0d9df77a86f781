import type { ServiceReady } from '../../container/service-plan.js';
import { BuildFailed } from '../build-output.js';
import type { Service } from './service-schema.js';

/** Containers of one workspace, its own included. */
const maxServices = 8;

const readyOf = {
  service_started: 'started',
  service_healthy: 'healthy',
  service_completed_successfully: 'completed',
} as const;
const strictness: readonly ServiceReady[] = ['completed', 'healthy', 'started'];

type Dependency = readonly [name: string, ready: ServiceReady];

interface Wanted {
  readonly main: string;
  /** Services to start; null: all without a profile. */
  readonly runServices: readonly string[] | null;
  readonly serviceOf: (name: string) => Service;
  readonly all: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

interface Started {
  readonly name: string;
  readonly ready: ServiceReady;
}

/**
 * The services beside the main one, each after those that it depends on.
 * @throws BuildFailed for a service that does not exist, a cycle, or too many services
 */
export function startOrder(wanted: Wanted): Started[] {
  const { main, runServices, all } = wanted;
  const order = new Map<string, readonly Dependency[]>();
  visit(main, wanted, { order, above: [] });
  for (const name of runServices ?? Object.keys(all).filter((other) => !hasProfile(all[other])))
    visit(name, wanted, { order, above: [] });
  if (order.size > maxServices)
    throw new BuildFailed(`The compose file starts ${order.size} services (limit ${maxServices})`);
  const dependencies = [...order.values()].flat();
  return [...order.keys()]
    .filter((name) => name !== main)
    .map((name) => ({ name, ready: strictest(dependencies.filter(([needed]) => needed === name)) }));
}

interface Visited {
  readonly order: Map<string, readonly Dependency[]>;
  readonly above: readonly string[];
}

function visit(name: string, { all, serviceOf, ...wanted }: Wanted, { order, above }: Visited): void {
  if (order.has(name)) return;
  if (above.includes(name)) throw new BuildFailed(`Service ${name}: depends_on has a cycle. Remove it`);
  if (!Object.hasOwn(all, name)) throw new BuildFailed(`The compose file has no service ${name}`);
  const dependencies = dependenciesOf(serviceOf(name));
  const deeper = { order, above: [...above, name] };
  for (const [needed] of dependencies) visit(needed, { all, serviceOf, ...wanted }, deeper);
  order.set(name, dependencies);
}

function strictest(dependencies: readonly Dependency[]): ServiceReady {
  return strictness.find((ready) => dependencies.some(([, needed]) => needed === ready)) ?? 'started';
}

function dependenciesOf({ depends_on: dependsOn }: Service): Dependency[] {
  if (Array.isArray(dependsOn)) return dependsOn.map((name) => [name, 'started']);
  return Object.entries(dependsOn).map(([name, { condition }]) => [
    name,
    readyOf[condition ?? 'service_started'],
  ]);
}

function hasProfile(service: Readonly<Record<string, unknown>> | undefined): boolean {
  return Array.isArray(service?.profiles) && service.profiles.length > 0;
}
