import { redactText } from '../shared/redact.js';
import { type Environment, readConfig, textOf } from './config.js';
import { variableGroups } from './declarations.js';

/** The output of `--help`: every variable with its default and meaning. */
export function helpText(): string {
  const lines = variableGroups().flatMap(([group, variables]) => [
    '',
    `${group}:`,
    ...variables.map(({ name, fallback, meaning }) => `  ${name}  (${fallback ?? 'none'})\n      ${meaning}`),
  ]);
  return [
    'vm-agent: the Berth node agent',
    '',
    'Usage: vm-agent [--help | --print-config | --version]',
    '',
    'The agent reads its settings from environment variables. An empty variable counts as absent.',
    'Durations are written as 500ms, 30s or 2m. Defaults are in parentheses.',
    ...lines,
    '',
  ].join('\n');
}

/**
 * The output of `--print-config`: the environment that the agent reads, as an EnvironmentFile.
 * Unset variables are comments with their defaults; secrets are masked.
 * @throws ConfigError as the agent itself does
 */
export function printedConfig(environment: Environment): string {
  readConfig(environment);
  return variableGroups()
    .flatMap(([, variables]) => variables)
    .map(({ name, fallback, isSecret }) => {
      const given = textOf(environment, name);
      if (given !== null) return `${name}=${isSecret ? '[redacted]' : redactText(given)}\n`;
      return `# ${name}=${fallback ?? ''}\n`;
    })
    .join('');
}
