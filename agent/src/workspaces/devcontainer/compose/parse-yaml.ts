import { parse } from 'yaml';
import { BuildFailed } from '../build-output.js';

/** @throws BuildFailed when the text is not valid YAML, or expands to too much */
export function parseYaml(text: string, path: string): unknown {
  try {
    return parse(text, { merge: true, maxAliasCount: 100, prettyErrors: true });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split('\n')[0] : '';
    throw new BuildFailed(`${path} is not valid YAML: ${reason}`, '', { cause });
  }
}
