import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';

/** An argument with an id. The text is for the model, as are those of all arguments. */
export const idOf = (text: string) => Ulid.check(z.describe(text));

export const ideaId = idOf('Id of the idea, from create_idea or list_ideas.');
export const subtaskId = idOf('Id of a subtask of your task.');

/** A number in a description. */
export const inDigits = (count: number): string => count.toLocaleString('en');
const atMost = (characters: number) => `At most ${inDigits(characters)} characters.`;

/** A text of several lines for an agent. */
export const agentText = (maxLength: number, text: string) =>
  z
    .string()
    .check(
      z.maxLength(maxLength),
      z.regex(/\S/u, 'Must contain text'),
      z.describe(`${text} ${atMost(maxLength)}`),
    );

/** A text that is trimmed, for people. */
export const personText = (maxLength: number, text: string) =>
  z
    .string()
    .check(z.trim(), z.minLength(1), z.maxLength(maxLength), z.describe(`${text} ${atMost(maxLength)}`));

/** A key that an agent chooses, so that a repeat of the call has no further effect. */
export const repeatKey = (text: string) =>
  z.optional(
    z
      .string()
      .check(
        z.regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/),
        z.describe(
          `${text} Choose 1 to 64 letters, digits and ._:- that begin with a letter or digit. The same key with other arguments fails.`,
        ),
      ),
  );

/** The same where the caller must choose one. */
export const requiredKey = (text: string) =>
  z
    .string()
    .check(
      z.regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/),
      z.describe(
        `${text} Choose 1 to 128 letters, digits and ._:- that begin with a letter or digit. The same key with other content fails.`,
      ),
    );

/** How many records a list returns. */
export const limitOf = (most: number, usual: number) =>
  z._default(
    z.int().check(z.gte(1), z.lte(most), z.describe(`Number of results, 1 to ${most}. Default: ${usual}.`)),
    usual,
  );

/** Limits a structured argument that is stored as JSON. */
export const maxJson = <T>(maxLength: number) =>
  z.refine<T>(
    (value) => JSON.stringify(value).length <= maxLength,
    `Can have at most ${maxLength} characters as JSON`,
  );

/** A short text that is limited by its size in the table. */
export const bytesUpTo = (maxBytes: number, text: string) =>
  z.string().check(
    z.trim(),
    z.minLength(1),
    z.refine((value: string) => Buffer.byteLength(value) <= maxBytes, `Can have at most ${maxBytes} bytes`),
    z.describe(`${text} At most ${inDigits(maxBytes)} bytes.`),
  );

export const subscriptionId = idOf('Id of an event subscription of your session.');

export const isRequired = z._default(
  z.boolean().check(z.describe('true: a missing subscription is an error. Default: false.')),
  false,
);
