import type { Readable } from 'node:stream';
import type Docker from 'dockerode';

interface LogPart {
  readonly id: string;
  /** Newest lines. */
  readonly tail: number;
  readonly signal: AbortSignal;
}

/** The log of a container as it arrives. The client's own method collects it before it returns. */
export function openContainerLog(docker: Docker, { id, tail, signal }: LogPart): Promise<Readable> {
  return new Promise((resolve, reject) => {
    docker.modem.dial(
      {
        path: `/containers/${id}/logs?`,
        method: 'GET',
        isStream: true,
        statusCodes: { 200: true, 404: 'no such container', 500: 'server error' },
        options: { stdout: true, stderr: true, timestamps: true, tail },
        abortSignal: signal,
      },
      (error: unknown, log: unknown) => (error ? reject(error) : resolve(log as Readable)),
    );
  });
}
