// One line a step, with the time it took. Dependency-free: it runs before anything is installed.
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

/** Prints a known problem as one sentence and its remedy; anything else with its stack, as it is a bug. */
export function leave(error) {
  console.error(error instanceof Stop ? `\n${error.message}` : error);
  process.exit(1);
}
