import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import type { Services } from '../../container/service-plan.js';
import { BuildFailed } from '../build-output.js';
import type { Configuration } from '../configuration.js';
import { insideRepository, plainIfThere } from '../repository-files.js';
import { mainConfiguration } from './compose-configuration.js';
import { interpolate, parseEnvironmentFile, type Variables } from './interpolate.js';
import { parseYaml } from './parse-yaml.js';
import { argumentsOf, planService, type ServicePlace } from './plan-service.js';
import { checkFileKeys, checkServiceKeys } from './service-keys.js';
import { startOrder } from './service-order.js';
import { ComposeFile, pairsOf, Service } from './service-schema.js';

const maxBytes = 1024 ** 2;
const hostName = /^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;
const Wanted = z.looseObject({
  dockerComposeFile: z.union([z.string(), z.array(z.string()).check(z.length(1))]),
  service: z.string(),
  runServices: z.optional(z.array(z.string())),
});

export interface ComposePlace extends Pick<ServicePlace, 'workspaceId' | 'volumePrefix'> {
  readonly repository: string;
  /** Path of devcontainer.json, relative to the repository. */
  readonly path: string;
}

/** Entry point and command in the compose file; null: those of the image. */
export interface OwnCommand {
  readonly entrypoint: readonly string[] | null;
  readonly command: readonly string[] | null;
}

interface Compose {
  /** As if devcontainer.json described the workspace's own container itself. */
  readonly configuration: Configuration;
  readonly command: OwnCommand | null;
  readonly services: Services;
  readonly notes: readonly string[];
}

/**
 * Reads the services of a dev container. The rules are in docs/dev-container-services.md.
 * @throws BuildFailed for everything that is not supported
 */
export async function readCompose(requested: Configuration, place: ComposePlace): Promise<Compose> {
  const { service: main, runServices, file } = wanted(requested);
  const composePath = join(dirname(place.path), file);
  const { services: all, variables } = await parseFile(place.repository, composePath);
  const notes = new Map<string, string[]>();
  const serviceOf = (name: string): Service => {
    const service = all[name];
    if (!service) throw new BuildFailed(`The compose file has no service ${name}`);
    notes.set(name, checkServiceKeys(name, service, name === main));
    return parse(Service, service, `Service ${name}`);
  };
  const order = startOrder({ main, runServices: runServices ?? null, serviceOf, all });
  const placeOf = async (name: string, service: Service): Promise<ServicePlace> => ({
    ...place,
    name,
    environment: {
      ...(await filesOf(service, place.repository, dirname(composePath))),
      ...pairsOf(service.environment, variables),
    },
  });
  const plans = [];
  for (const { name, ready } of order) {
    const service = serviceOf(name);
    plans.push({ ...planService(service, await placeOf(name, service)), ready });
  }
  const own = serviceOf(main);
  const made = mainConfiguration(requested, own, {
    place: await placeOf(main, own),
    files: { path: place.path, composePath },
  });
  return {
    configuration: made.configuration,
    command: { entrypoint: argumentsOf(own.entrypoint), command: argumentsOf(own.command) },
    services: { plans, hosts: [main, ...order.map(({ name }) => name)] },
    notes: [...made.notes, ...[...notes.values()].flat()],
  };
}

function wanted(requested: Configuration) {
  const { dockerComposeFile, ...more } = parse(Wanted, requested, 'devcontainer.json');
  const [file = ''] = [dockerComposeFile].flat();
  return { ...more, file };
}

async function parseFile(repository: string, path: string) {
  const text = await readPlain(repository, path);
  const folder = dirname(path);
  const hasVariables = await plainIfThere(join(repository, folder), '.env');
  const variables = hasVariables
    ? parseEnvironmentFile(await readPlain(repository, join(folder, '.env')))
    : {};
  const file = parse(ComposeFile, interpolate(parseYaml(text, path), variables), path);
  checkFileKeys(file);
  checkVolumes(file.volumes ?? {});
  const invalid = Object.keys(file.services).find((name) => !hostName.test(name));
  if (invalid !== undefined)
    throw new BuildFailed(`Service ${invalid.slice(0, 100)}: the name is not a host name`);
  return { services: file.services, variables };
}

/** Options of a volume could name folders of the node, and external volumes other workspaces. */
function checkVolumes(volumes: Readonly<Record<string, unknown>>): void {
  for (const [name, settings] of Object.entries(volumes)) {
    const asked = Object.entries(settings ?? {}).filter(([key]) => key !== 'labels');
    const refused = asked.find(([key, value]) => !(key === 'driver' && value === 'local') && value !== false);
    if (refused) throw new BuildFailed(`Volume ${name}: the key ${refused[0]} is not supported. Remove it`);
  }
}

async function filesOf(service: Service, repository: string, folder: string): Promise<Variables> {
  const texts = await Promise.all(
    [service.env_file ?? []].flat().map((file) => readPlain(repository, join(folder, file))),
  );
  return Object.assign({}, ...texts.map(parseEnvironmentFile));
}

async function readPlain(repository: string, path: string): Promise<string> {
  const file = await insideRepository(repository, path, path);
  const found = await stat(file);
  if (!found.isFile()) throw new BuildFailed(`${path} is not a plain file`);
  if (found.size > maxBytes) throw new BuildFailed(`${path} is larger than ${maxBytes / 1024} KB`);
  return readFile(file, 'utf8');
}

function parse<Schema extends z.ZodMiniType>(schema: Schema, value: unknown, what: string): z.infer<Schema> {
  const parsed = z.safeParse(schema, value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new BuildFailed(`${what}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is not valid'}`);
}
