// end-session: NotifyNodes
import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { endSessionOnNodes } from '../../domain/node-client/end-session-on-nodes.js';
import { step } from '../../edge/step.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';

const EndedSession = z.object({ userId: Ulid, sessionHash: z.string() });

export const handler = step(EndedSession, ({ input, table, now, log }) =>
  endSessionOnNodes({ table, keys: signingKeys, now, log }, input),
);
