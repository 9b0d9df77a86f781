interface ToolTarget {
  readonly outside: string;
  readonly state: string;
  readonly token: string;
  readonly image: string;
}

/** A program that attacks from the place of the dev container tool, and reports the results. */
export function hostileTool(target: ToolTarget): string {
  return `const target = ${JSON.stringify(target)};\n(${attack.toString()})(target);\n`;
}

/** Self-contained: uses nothing from outside of the function. */
function attack({ outside, state, token, image }: ToolTarget): void {
  const fs = require('node:fs');
  const http = require('node:http');
  const { spawn } = require('node:child_process');
  const found: Record<string, string> = {};
  const attempt = (name: string, work: () => unknown) => {
    try {
      work();
      found[name] = 'done';
    } catch (error) {
      found[name] = (error as NodeJS.ErrnoException).code ?? 'failed';
    }
  };
  const reads = {
    outside: `${outside}/canary`,
    token,
    state: `${state}/state.db`,
    shadow: '/etc/shadow',
    root: '/root/.bashrc',
  };
  for (const [name, path] of Object.entries(reads)) attempt(`read ${name}`, () => fs.readFileSync(path));
  const writes = { etc: '/etc/x', usr: '/usr/x', root: '/x', outside: `${outside}/by-tool` };
  for (const [name, path] of Object.entries(writes))
    attempt(`write ${name}`, () => fs.writeFileSync(path, 'x'));
  attempt('docker socket', () => fs.statSync('/var/run/docker.sock'));
  const processes = fs.readdirSync('/proc').filter((name: string) => /^\d+$/.test(name));
  const reported = processes.map((pid: string) => {
    try {
      return (
        fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8') + fs.readFileSync(`/proc/${pid}/environ`, 'utf8')
      );
    } catch {
      return '';
    }
  });
  const all = reported.join('') + JSON.stringify(process.env);
  found['environment of the agent'] = all.includes('canary-of-the-environment') ? all : 'none';
  found['processes of others'] = /vm-agent|dockerd/.test(all) ? all : 'none';
  const status = fs.readFileSync('/proc/self/status', 'utf8');
  found['effective capabilities'] = /CapEff:\s+(\w+)/.exec(status)?.[1] ?? '';
  found['no new privileges'] = /NoNewPrivs:\s+(\d)/.exec(status)?.[1] ?? '';
  // Outlives the tool, if any process can.
  spawn('sleep', ['300'], { detached: true, stdio: 'ignore' }).unref();
  const ask = (name: string, method: string, path: string, body?: object) =>
    new Promise<void>((resolve) => {
      const socketPath = (process.env.DOCKER_HOST ?? '').replace('unix://', '');
      const headers = { 'content-type': 'application/json', connection: 'close' };
      const sent = http.request(
        { socketPath, method, path, headers },
        (answer: { statusCode: number; resume(): void }) => {
          found[name] = String(answer.statusCode);
          answer.resume();
          resolve();
        },
      );
      sent.on('error', (error: Error) => {
        found[name] = String(error);
        resolve();
      });
      sent.end(body && JSON.stringify(body));
    });
  const host = { Image: image, Cmd: ['true'], HostConfig: { Privileged: true, Binds: ['/:/host'] } };
  Promise.all([
    ask('engine ping', 'GET', '/_ping'),
    ask('engine create container', 'POST', '/containers/create?name=berth-hostile-tool', host),
    ask('engine list images', 'GET', '/images/json'),
    ask('engine volumes', 'GET', '/volumes'),
    ask('engine build on the host network', 'POST', '/build?networkmode=host'),
    ask('engine name of another', 'POST', `/images/${image}/tag?repo=berth-stolen&tag=1`),
    ask('engine buildkit', 'POST', '/grpc'),
  ]).then(() => {
    console.error(`REPORT ${Buffer.from(JSON.stringify(found)).toString('base64')} END`);
    process.exit(1);
  });
}
