// Prints one line a step, with its duration. It has no dependencies: it runs before anything is
// installed.
export class Stop extends Error {}

export async function step(title, work) {
  const began = performance.now();
  process.stdout.write(`  ${title} … `);
  try {
    const result = await work();
    console.log(`${((performance.now() - began) / 1000).toFixed(1)} s`);
    return result;
  } catch (error) {
    console.log('failed');
    throw error;
  }
}

/**
 * Ends the process: prints a known problem as its message, and any other error, which is a bug,
 * with its stack.
 */
export function leave(error) {
  console.error(error instanceof Stop ? `\n${error.message}` : error);
  process.exit(1);
}
