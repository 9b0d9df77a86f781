// sleep-workspace: BeginSleep
import * as z from 'zod/mini';
import { beginSleep } from '../../domain/snapshots/begin-sleep.js';
import { step } from '../../edge/step.js';
import { SleepInput } from '../inputs.js';

const Input = z.extend(SleepInput, { isFallback: z.boolean() });

export const handler = step(Input, ({ input, table, now }) => beginSleep(table, { ...input, now }));
