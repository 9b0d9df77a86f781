import { redactText } from '../shared/redact.js';
import { type Environment, readConfig, textOf } from './config.js';
import { variableGroups } from './declarations.js';

/** `--help`: every variable with its default and meaning. */
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
    'It is configured by its environment; an empty variable counts as absent. Durations are written 500ms, 30s, 2m.',
    'In brackets: the default.',
    ...lines,
    '',
  ].join('\n');
}

/**
 * `--print-config`: the environment that an agent here would read, as an EnvironmentFile. What is not set stands there as
 * a comment with its default; secrets are masked.
 * @throws ConfigError as the agent itself would
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
