import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { spawn } from '../../node/process-priority.js';
import { programPaths } from '../layout.js';
import type { Sandbox } from '../sandbox.js';

interface BuildxFiles {
  /** Standard input. */
  readonly archive: string;
  readonly policy: string;
}

/** Starts a build as a process group of its own; its output is at standard error. */
export type StartBuildx = (args: readonly string[], files: BuildxFiles) => ChildProcess;

interface BuildxOptions {
  readonly sandbox: Sandbox;
  /** `docker buildx`, or the path of its plug-in. */
  readonly command: readonly [program: string, ...args: string[]];
  /** Path of the engine's socket. */
  readonly socket: string;
  /** Environment variable by which the agent finds the processes of a build. */
  readonly marker: Readonly<Record<string, string>>;
}

const engine = '/run/engine.sock';
const policyPlace = '/run/policy.json';

/**
 * Runs buildx for the agent. It sees the system, the engine's socket and the policy: no settings or
 * logins of a docker command, and no network, as the engine has the images of the build.
 */
export async function openBuildx({ sandbox, command, socket, marker }: BuildxOptions): Promise<StartBuildx> {
  const [program] = command;
  const readable = await programPaths(program);
  return (args, { archive, policy }) => {
    const mounts = [
      { from: socket, to: engine },
      { from: policy, to: policyPlace },
    ];
    const [file, ...rest] = sandbox.wrapOwn([...command, ...args], { workDir: '/tmp', readable, mounts });
    const stdin = openSync(archive, 'r');
    try {
      return spawn(file, rest, {
        detached: true,
        env: { ...environment, ...marker },
        stdio: [stdin, 'ignore', 'pipe'],
      });
    } finally {
      closeSync(stdin);
    }
  };
}

const environment = {
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  HOME: '/tmp',
  // Does not exist.
  DOCKER_CONFIG: '/tmp/docker',
  DOCKER_HOST: `unix://${engine}`,
  BUILDX_NO_DEFAULT_ATTESTATIONS: '1',
  EXPERIMENTAL_BUILDKIT_SOURCE_POLICY: policyPlace,
};
