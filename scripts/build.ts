import { built } from './builds/built.js';
import { type Part, parts } from './builds/parts.js';

/**
 * `tsx scripts/build.ts [part …]`: builds what is deployed (functions, node agent, console) and the
 * client that the package exports, at the same time. A part of the same content is not built again.
 */
const names = process.argv.slice(2);
const wanted = names.length > 0 ? names.map(partOf) : parts;
const results = await Promise.allSettled(wanted.map(build));
process.exitCode = results.every(({ status }) => status === 'fulfilled') ? 0 : 1;

async function build(part: Part): Promise<void> {
  try {
    const folder = await built(part);
    console.log(`${part}: ${folder}`);
  } catch (error) {
    console.error(`${part} failed: ${error instanceof Error ? error.message : error}`);
    throw error;
  }
}

function partOf(name: string): Part {
  const part = parts.find((each) => each === name);
  if (!part) throw new Error(`There is no part ${name}, only ${parts.join(', ')}.`);
  return part;
}
