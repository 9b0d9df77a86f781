import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const [folder = '', step = ''] = process.argv.slice(2);
let left = Number(step);

/** Kills this process before the given step on the disk. */
function dieBefore(owner: object, names: readonly string[]): void {
  for (const name of names) {
    const original = Reflect.get(owner, name);
    Reflect.set(owner, name, function (this: unknown, ...args: unknown[]) {
      left -= 1;
      if (left === 0) process.kill(process.pid, 'SIGKILL');
      return Reflect.apply(original, this, args);
    });
  }
}

const { ResourceSpool } = await import('../../../agent/src/resource-history/resource-spool.js');
const handle = await promises.open(import.meta.filename);
const handles = Object.getPrototypeOf(handle) as object;
await handle.close();
dieBefore(handles, ['writeFile', 'sync']);
dieBefore(promises, ['mkdir', 'open', 'readdir', 'readFile', 'rename', 'rm', 'stat']);
syncBuiltinESMExports();

const spool = new ResourceSpool(folder, 10_000);
for (const now of [1_000, 2_000]) {
  const sequence = await spool.publish('01JZZZZZZZZZZZZZZZZZZZZZZA', now, (used) => `chunk ${used}`);
  // Synchronous, so that the test sees each chunk that was published.
  process.stdout.write(`${sequence}\n`);
}
