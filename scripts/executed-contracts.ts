import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/** Properties of a contract that only documents, types and tests read. */
const documentation = /^ +(?:summary|description|responses|errors):/;

/** Removes documentation and unused schemas from contracts: the agent does not execute them. */
export const executedContracts: Plugin = {
  name: 'executed-contracts',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]agent[\\/]api[\\/][\w-]+\.ts$/ }, async ({ path }) => ({
      contents: withPureSchemas(withoutDocumentation(await readFile(path, 'utf8'))),
      loader: 'ts',
    }));
    onLoad({ filter: /[\\/]protocol[\\/][\w-]+\.ts$/ }, async ({ path }) => ({
      contents: withPureSchemas(await readFile(path, 'utf8')),
      loader: 'ts',
    }));
  },
};

/** The formatter indents the lines of a property and ends it with a closing bracket. */
export function withoutDocumentation(text: string): string {
  let removed: number | null = null;
  const kept = text.split('\n').filter((line) => {
    const indent = line.search(/\S/);
    if (removed !== null && (indent > removed || (indent === removed && /^ *[)\]}]/.test(line))))
      return false;
    removed = documentation.test(line) ? indent : null;
    return removed === null;
  });
  return kept.join('\n');
}

/** esbuild removes an unused call only when it is marked as free of side effects. */
function withPureSchemas(text: string): string {
  return text.replace(/(?<![\w.])z\.[\w.]+\(/g, '/* @__PURE__ */ $&');
}
