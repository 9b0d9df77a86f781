import { whyReserved } from '../../../protocol/reserved-variables.js';
import type { SealedSecret, SecretBox } from '../secrets/sealed-secret.js';
import { TooManyVariables, VariableNotAllowed } from './errors.js';
import { maxVariables, type Preset, variableContext } from './preset.js';

/** By name: a new value, or null to take the variable away. Null: take all away. */
export type EnvironmentChange = Readonly<Record<string, string | null>> | null;

/**
 * The variables of a preset after a change. What is not named stays as it is, so that nobody has to know a value to keep it.
 *
 * @throws {TooManyVariables | VariableNotAllowed}
 */
export async function changeEnvironment(
  secrets: SecretBox,
  preset: Pick<Preset, 'kind' | 'projectId' | 'presetId' | 'environment'>,
  change: EnvironmentChange,
): Promise<Record<string, SealedSecret>> {
  if (change === null) return {};
  const kept = Object.entries(preset.environment).filter(([name]) => change[name] === undefined);
  const given = Object.entries(change).flatMap(([name, value]) => (value === null ? [] : [{ name, value }]));
  for (const { name } of given) requireAllowed(name);
  if (kept.length + given.length > maxVariables) throw new TooManyVariables();
  const sealed = await Promise.all(
    given.map(
      async ({ name, value }) => [name, await secrets.seal(value, variableContext(preset, name))] as const,
    ),
  );
  return Object.fromEntries([...kept, ...sealed]);
}

function requireAllowed(name: string): void {
  const why = whyReserved(name);
  if (why) throw new VariableNotAllowed(name, why);
}
