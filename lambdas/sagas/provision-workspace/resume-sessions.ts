// provision-workspace: ResumeSessions (of a workspace that was restarted)
import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { resumeSessions } from '../../domain/agent-sessions/resume-sessions.js';
import { nodeTimeouts } from '../../domain/node-client/node-access.js';
import { findNodeAddress } from '../../domain/node-client/node-address.js';
import { step } from '../../edge/step.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { readEnv } from '../../shared/env.js';
import { GenerationInput } from '../inputs.js';

const env = readEnv({ PUBLIC_URL: z.url() });

const Input = z.extend(GenerationInput, { nodeId: Ulid });

export const handler = step(Input, async ({ input, table, now, log }) => {
  const { workspaceId, nodeId } = input;
  const address = await findNodeAddress(table, nodeId);
  const access = { keys: signingKeys, address, now, timeoutMs: nodeTimeouts.handOver };
  const sessions = await resumeSessions(table, input, { access, publicUrl: env.PUBLIC_URL, now });
  log.info('Agent sessions resumed', { workspaceId, nodeId, sessions });
});
