import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runTool } from '../../../scripts/agent-binaries/run-tool.js';
import type { EngineNetwork } from './engine-network.js';

/** Settings that systemd and an engine need in a container. */
const capabilities = [
  ...['SYS_ADMIN', 'NET_ADMIN', 'NET_RAW', 'SYS_PTRACE', 'SYS_CHROOT', 'MKNOD', 'SYS_NICE', 'SYSLOG'],
  ...['DAC_READ_SEARCH', 'IPC_LOCK', 'SYS_BOOT', 'AUDIT_WRITE', 'SETFCAP', 'SETPCAP'],
];

/**
 * First process of the container: sets up control groups (version 1, 2 or both) for systemd, and
 * becomes systemd.
 */
const firstProcess = `#!/bin/bash
set -e
mount -o remount,rw /sys
if [ "$(stat --file-system --format %T /sys/fs/cgroup)" = cgroup2fs ]; then
  mount -o remount,rw /sys/fs/cgroup
  export container=docker
  exec /sbin/init
fi
mount -t cgroup2 none /mnt
mkdir -p "/mnt/$HOSTNAME"
echo $$ >"/mnt/$HOSTNAME/cgroup.procs"
umount /mnt
exec unshare --cgroup bash -c 'umount --recursive /sys/fs/cgroup; mount -t cgroup2 none /sys/fs/cgroup
  export container=docker; exec /sbin/init'
`;

export interface NodeBirth {
  readonly image: string;
  readonly network: EngineNetwork;
  readonly userData: string;
  /** Port of the fake control plane, on the network's gateway. */
  readonly controlPlanePort: number;
  /** Further files on its disk, by path. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A machine that boots the baked image, with its own systemd, cloud-init, engine and firewall. */
export class BakedNode implements AsyncDisposable {
  private constructor(private readonly id: string) {}

  static async boot(birth: NodeBirth): Promise<BakedNode> {
    const args = [
      'create',
      `--network=${birth.network.name}`,
      ...capabilities.map((name) => `--cap-add=${name}`),
    ];
    args.push(...['seccomp', 'apparmor', 'systempaths'].map((name) => `--security-opt=${name}=unconfined`));
    args.push(
      '--tmpfs=/run:exec',
      '--tmpfs=/run/lock',
      '--volume=/var/lib/docker',
      '--stop-signal=SIGRTMIN+3',
    );
    const id = (await runTool('docker', [...args, birth.image, '/first-process'])).trim();
    const node = new BakedNode(id);
    await node.put({ ...disk(birth), ...birth.files });
    await runTool('docker', ['start', id]);
    return node;
  }

  /** Runs a command line on it as root. @throws with its output when it fails */
  run(commandLine: string): Promise<string> {
    return runTool('docker', ['exec', this.id, 'bash', '-c', commandLine]);
  }

  async address(): Promise<string> {
    const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}';
    return (await runTool('docker', ['inspect', '--format', format, this.id])).trim();
  }

  async isOn(): Promise<boolean> {
    return (
      (await runTool('docker', ['inspect', '--format', '{{.State.Running}}', this.id])).trim() === 'true'
    );
  }

  /** GET from outside, trusting exactly this certificate. */
  async get(path: string, certificatePem: string): Promise<{ status: number; text: string }> {
    const host = await this.address();
    return new Promise((resolve, reject) => {
      const options = { host, port: 8443, path, ca: certificatePem, servername: 'localhost', timeout: 5_000 };
      const sent = request(options, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      });
      sent.on('timeout', () => sent.destroy(new Error('no answer')));
      sent.on('error', reject);
      sent.end();
    });
  }

  /** Switches it off and on again; its disk is kept. */
  async restart(): Promise<void> {
    await runTool('docker', ['restart', '--time=60', this.id]);
  }

  /** Content of its journal at power-off. */
  async lastJournal(): Promise<string> {
    const folder = mkdtempSync(join(tmpdir(), 'berth-journal-'));
    try {
      await runTool('docker', ['cp', `${this.id}:/var/log/journal`, folder]);
      return await runTool('journalctl', [
        '--directory',
        join(folder, 'journal'),
        '--no-pager',
        '--output',
        'cat',
      ]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  journal(): Promise<string> {
    return this.run('journalctl --boot --no-pager --output cat');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await runTool('docker', ['rm', '--force', '--volumes', this.id]);
  }

  private async put(files: Readonly<Record<string, string>>): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'berth-disk-'));
    try {
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), content, { mode: content.startsWith('#!') ? 0o755 : 0o644 });
      }
      await runTool('docker', ['cp', `${folder}/.`, `${this.id}:/`]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/**
 * What EC2 provides: user data (by cloud-init's NoCloud source) and a route to the control plane.
 */
function disk({ userData, controlPlanePort: port, network: { gateway } }: NodeBirth): Record<string, string> {
  return {
    '/first-process': firstProcess,
    '/etc/cloud/cloud.cfg.d/99-test.cfg': 'datasource_list: [ NoCloud ]\n',
    '/var/lib/cloud/seed/nocloud/meta-data': 'instance-id: i-baked\n',
    '/var/lib/cloud/seed/nocloud/user-data': userData,
    // The agent uses plain HTTP only for loopback; systemd forwards it from there.
    '/etc/systemd/system/control-plane.socket': `[Socket]\nListenStream=127.0.0.1:${port}\n`,
    '/etc/systemd/system/control-plane.service': `[Service]\nExecStart=/lib/systemd/systemd-socket-proxyd ${gateway}:${port}\n`,
    '/etc/systemd/system/vm-agent.service.d/test.conf':
      '[Unit]\nWants=control-plane.socket\nAfter=control-plane.socket\n',
    // Most of these settings belong to the kernel, which this machine shares.
    '/etc/systemd/system/systemd-sysctl.service.d/test.conf': '[Unit]\nConditionPathExists=/nowhere\n',
    '/etc/systemd/system/berth-provision.service.d/test.conf':
      '[Service]\nEnvironment=SYSTEM_PROVISIONING_TIMEOUT=90s SWAP_SIZE_MB=0\n',
    // Amazon's time service is missing here, and the clock is this machine's: chronyd does not
    // start.
    '/usr/local/bin/chronyc': '#!/bin/sh\n',
  };
}
