// Opens the requested terminals, in each of which a program writes as fast as it can, and
// follows them all.
import { type LinkTarget, TerminalLink } from './terminal-link.js';

const [count, target] = process.argv.slice(2);
// Written by the benchmark itself.
const where = JSON.parse(target ?? '') as LinkTarget;

let bytes = 0;
for (let index = 0; index < Number(count); index++) {
  const link = await TerminalLink.open(where, `flood-${index}`);
  await link.run('stty -echo; echo BE"GI"N\n', 'BEGIN');
  link.onBytes = (chunk) => {
    bytes += chunk.length;
  };
  link.type('exec yes "a neighbour that never stops writing"\n');
}
console.log('floods');
process.stdin.resume().on('end', () => {
  console.log(bytes);
  process.exit();
});
