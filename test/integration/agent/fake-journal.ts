import { appendFileSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A `journalctl` (and a `dmesg` that hangs) for a PATH, which reads one file; it knows the options
 * that the agent uses.
 */
const script = `#!/bin/sh
journal=$(dirname "$0")/journal
follow= reverse= cursor=
while [ $# -gt 0 ]; do
  case $1 in
    --follow) follow=1 ;;
    --reverse) reverse=1 ;;
    --after-cursor) cursor=$2; shift ;;
    --until|--since|--lines|--output) shift ;;
  esac
  shift
done
if [ -n "$reverse" ]; then exec tac "$journal"; fi
if [ -z "$follow" ]; then exec cat "$journal"; fi
from=1
[ -z "$cursor" ] || from=$(( $(grep -n "\\"__CURSOR\\":\\"$cursor\\"" "$journal" | cut -d: -f1) + 1 ))
# It ends by itself now and then, as a journal that is rotated under its reader; with a timeout
# that is killed, too, which has this process id.
exec timeout 0.5 tail -n "+$from" -f --pid=$$ "$journal"
`;

export class FakeJournal {
  readonly folder = mkdtempSync(join(tmpdir(), 'journal-'));
  private count = 0;

  constructor() {
    writeFileSync(join(this.folder, 'journalctl'), script, { mode: 0o755 });
    writeFileSync(join(this.folder, 'journal'), 'rubbish\n');
    writeFileSync(join(this.folder, 'dmesg'), '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
  }

  write(message: string | readonly number[], fields: object = {}): void {
    this.count += 1;
    const entry = {
      __CURSOR: `c${this.count}`,
      __REALTIME_TIMESTAMP: String(Date.now() * 1_000),
      PRIORITY: '6',
      _SYSTEMD_UNIT: 'ssh.service',
      MESSAGE: message,
      ...fields,
    };
    appendFileSync(join(this.folder, 'journal'), `${JSON.stringify(entry)}\n`);
  }
}
