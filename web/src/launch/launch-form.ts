import type { AnswerOf } from '../../../client/berth-client.js';
import {
  agents,
  efforts,
  oneOf,
  opencodeProviders,
  permissionModes,
  taskModes,
  workspaceProfiles,
} from './choices.js';

type Stored = AnswerOf<'GET /api/settings/agents'>['settings'];
/** The launch settings that a form shows. */
export type Launch = Omit<Stored, 'agentDefaults'>;
export type Resources = NonNullable<Launch['resourceRequirements']>;
export type Setting = keyof Launch;

/** How the settings are called in the request: what the API says of one appears at its field. */
export type LaunchNames = Readonly<Partial<Record<Setting, string>>>;
export const nameIn = (names: LaunchNames, setting: Setting): string => names[setting] ?? setting;

export const minuteMs = 60_000;

/** An empty field leaves the setting to the weaker layers. */
export function readLaunch(data: FormData, names: LaunchNames, before: Launch): Required<Launch> {
  const of = (setting: Setting) => data.get(nameIn(names, setting));
  const text = (setting: Setting) => String(of(setting) ?? '').trim() || null;
  return {
    agentType: oneOf(agents, of('agentType')),
    model: text('model'),
    effort: oneOf(efforts, of('effort')),
    permissionMode: oneOf(permissionModes, of('permissionMode')),
    opencodeProvider: oneOf(opencodeProviders, of('opencodeProvider')),
    opencodeBaseUrl: text('opencodeBaseUrl'),
    systemPromptAppend: text('systemPromptAppend'),
    workspaceProfile: oneOf(workspaceProfiles, of('workspaceProfile')),
    devcontainerConfigName: text('devcontainerConfigName'),
    taskMode: oneOf(taskModes, of('taskMode')),
    taskExecutionTimeoutMs: msOf(of('taskExecutionTimeoutMs')),
    resourceRequirements: readResources(data, nameIn(names, 'resourceRequirements'), before),
  };
}

export function numberOf(value: FormDataEntryValue | null): number | null {
  return value === null || value === '' ? null : Number(value);
}

/** Of a field that is filled in minutes. */
export function msOf(value: FormDataEntryValue | null): number | null {
  const minutes = numberOf(value);
  return minutes === null ? null : Math.round(minutes * minuteMs);
}

/** Null in a stored demand means none of this kind, which an empty field keeps. */
function readResources(data: FormData, name: string, { resourceRequirements }: Launch): Resources | null {
  const exclusive = data.get(`${name}.exclusiveNode`);
  const read = {
    minVcpu: numberOf(data.get(`${name}.minVcpu`)),
    minMemoryGb: numberOf(data.get(`${name}.minMemoryGb`)),
    minDiskGb: numberOf(data.get(`${name}.minDiskGb`)),
    maxCoTenants: numberOf(data.get(`${name}.maxCoTenants`)),
    exclusiveNode: exclusive === null || exclusive === '' ? null : exclusive === 'yes',
  };
  const kept = Object.entries(read).filter(
    ([field, value]) => value !== null || isNone(resourceRequirements, field),
  );
  return kept.length > 0 ? Object.fromEntries(kept) : null;
}

const isNone = (stored: Resources | null | undefined, field: string): boolean =>
  Object.entries(stored ?? {}).some(([name, value]) => name === field && value === null);
