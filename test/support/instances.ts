import { join } from 'node:path';
import { CertificateAuthority } from '../../local/certificate-authority.js';
import { Instances } from '../../local/ec2/instances.js';
import { noContainers } from '../../local/ec2/node-containers.js';
import { RunLedger } from '../../local/processes/run-ledger.js';

/** Runs in place of the agent until its input ends or it gets a signal. */
const agent = 'process.stdin.resume().on("end", () => process.exit(0)); setInterval(() => {}, 1000)';

/** Instances of the EC2 stand-in whose agent is an idle process. */
export async function openInstances(folder: string): Promise<Instances> {
  return new Instances({
    folder: join(folder, 'ec2'),
    logFolder: join(folder, 'logs'),
    authority: await CertificateAuthority.open(join(folder, 'authority')),
    machine: {
      command: process.execPath,
      args: ['-e', agent],
      nodeEnv: {},
      path: process.env.PATH ?? '',
      ledger: new RunLedger(join(folder, 'run')),
      containers: noContainers,
    },
    report: () => undefined,
  });
}
