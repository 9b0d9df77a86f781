// The only YAML parser that is installed; it has no export of its own.
import yaml from '../../../../../node_modules/aws-cdk-lib/node_modules/yaml/index.js';
import { BuildFailed } from '../build-output.js';

/** @throws BuildFailed when the text is not valid YAML, or expands to too much */
export function parseYaml(text: string, path: string): unknown {
  try {
    return yaml.parse(text, { merge: true, maxAliasCount: 100, prettyErrors: true });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split('\n')[0] : '';
    throw new BuildFailed(`${path} is not valid YAML: ${reason}`, '', { cause });
  }
}
