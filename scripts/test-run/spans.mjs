// Records how long a part of a run took and how busy the cores were. It has no dependencies:
// `.ci/run` uses it before anything is installed.
//   node scripts/test-run/spans.mjs               prints the moment
//   node scripts/test-run/spans.mjs <ring> <from> records the ring from that moment on
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A time in ms, with the ticks of all cores since the machine started: busy ones, and all. */
export function moment() {
  return { at: Date.now(), ...ticks() };
}

/** Where there is no /proc, no core is counted as busy. */
function ticks() {
  try {
    // user, nice, system, idle, iowait, irq, softirq, steal; the guest's time is part of user.
    const [line] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
    const values = line.trim().split(/\s+/).slice(1, 9).map(Number);
    const total = values.reduce((sum, value) => sum + value, 0);
    return { busy: total - values[3] - values[4], total };
  } catch {
    return { busy: 0, total: 0 };
  }
}

/** Without the folder of a run, nothing is recorded. */
export function appendSpan({ ring, part, from }, folder = process.env.BERTH_TEST_RUN) {
  if (!folder) return;
  appendFileSync(join(folder, 'spans.jsonl'), `${JSON.stringify({ ring, part, from, to: moment() })}\n`);
}

/** Does the work, and records the span, also when the work fails. */
export async function recordSpan(span, work) {
  const from = moment();
  try {
    return await work();
  } finally {
    appendSpan({ ...span, from });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [ring, from] = process.argv.slice(2);
  if (ring === undefined) console.log(JSON.stringify(moment()));
  else appendSpan({ ring, part: 'whole', from: JSON.parse(from) });
}
