import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { type LaunchLayer, LaunchSettings } from '../launch/launch-layer.js';
import { SealedSecret, type SecretContext } from '../secrets/sealed-secret.js';

/** Agent profiles say who works, skills how something is done; as launch settings both are the same. */
export const PresetKind = z.enum(['profile', 'skill']);
export type PresetKind = z.infer<typeof PresetKind>;

/** Of one kind in a project. */
export const maxPresets = 100;
export const maxVariables = 32;

/** A project and a person have defaults by kind of agent; a profile is for one. */
export const PresetSettings = z.omit(LaunchSettings, { agentDefaults: true });
export type PresetSettings = z.infer<typeof PresetSettings>;

export const Preset = z.object({
  kind: PresetKind,
  presetId: Ulid,
  projectId: Ulid,
  name: z.string(),
  /** Unique among those of its kind in the project. */
  normalizedName: z.string(),
  description: z.nullable(z.string()),
  /** Only what it says; what it leaves to other layers is absent. */
  settings: PresetSettings,
  /** By name. */
  environment: z.record(z.string(), SealedSecret),
  /** Grows with every change. */
  version: z.int(),
  createdBy: Ulid,
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type Preset = z.infer<typeof Preset>;

const words = { profile: 'PROFILE', skill: 'SKILL' } as const satisfies Record<PresetKind, string>;

export const presetsOf = (projectId: string): string => `PROJECT#${projectId}`;
export const presetPrefix = (kind: PresetKind): string => `${words[kind]}#`;

export const presetKey = (kind: PresetKind, projectId: string, presetId: string) => ({
  pk: presetsOf(projectId),
  sk: `${presetPrefix(kind)}${presetId}`,
});
export const profileKey = (projectId: string, profileId: string) =>
  presetKey('profile', projectId, profileId);
export const skillKey = (projectId: string, skillId: string) => presetKey('skill', projectId, skillId);

/** Exists only to make a name unique. */
export const presetNameKey = ({
  kind,
  projectId,
  normalizedName,
}: Pick<Preset, 'kind' | 'projectId' | 'normalizedName'>) => ({
  pk: presetsOf(projectId),
  sk: `${words[kind]}NAME#${normalizedName}`,
});

/** Where a project counts its own of a kind. */
export const presetCount = { profile: 'profileCount', skill: 'skillCount' } as const;

export const presetItem = (preset: Preset) => ({
  ...presetKey(preset.kind, preset.projectId, preset.presetId),
  entity: preset.kind,
  schemaVersion: 1,
  ...preset,
});

/** A value that is moved to another variable or record does not open. */
export const variableContext = (
  { kind, projectId, presetId }: Pick<Preset, 'kind' | 'projectId' | 'presetId'>,
  variable: string,
): SecretContext => ({ owner: presetsOf(projectId), record: `${kind}#${presetId}#${variable}` });

export const presetLayer = ({ presetId, settings, environment }: Preset): LaunchLayer => ({
  ...settings,
  id: presetId,
  environment: Object.keys(environment),
});
