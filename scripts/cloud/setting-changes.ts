import type { GivenSettings } from '../../infra/given-settings.js';

export interface SettingChanges {
  /** Set to another value, or for the first time: a line each. */
  readonly changed: readonly string[];
  /** Settings of the last deployment that are not given now. */
  readonly forgotten: GivenSettings;
}

/**
 * Compares what is given with what the last deployment was given.
 *
 * @param named settings that the command line or a file names, also without a value
 */
export function settingChanges(
  last: GivenSettings,
  now: GivenSettings,
  named: ReadonlySet<string>,
): SettingChanges {
  const changed = Object.entries(now)
    .filter(([name, value]) => last[name] !== value)
    .map(([name, value]) => `${name}: ${value}${last[name] === undefined ? '' : `, before ${last[name]}`}`);
  const missing = Object.entries(last).filter(([name]) => now[name] === undefined);
  const takenBack = missing.filter(([name]) => named.has(name));
  return {
    changed: [...changed, ...takenBack.map(([name, value]) => `${name}: its default, before ${value}`)],
    forgotten: Object.fromEntries(missing.filter(([name]) => !named.has(name))),
  };
}

/** As arguments of a command of CDK. */
export const asArguments = (settings: GivenSettings): string[] =>
  Object.entries(settings).flatMap(([name, value]) => ['--context', `${name}=${value}`]);

/** For a command that may not ask. */
export function forgottenText(forgotten: GivenSettings): string {
  const lines = Object.entries(forgotten).map(([name, value]) => `  ${name}=${value}`);
  return `The last deployment had settings that are not given now:\n${lines.join('\n')}\nKeep each with -c name=value, or take it back with -c name= (its default).`;
}
