import * as z from 'zod/mini';
import { type FieldError, InvalidRequest } from '../../shared/errors.js';

/** The cloud of every deployment. */
const provider = 'aws';
const runtime = 'vm';

const hint = (text: string) =>
  z.optional(z.string().check(z.minLength(1), z.maxLength(64), z.describe(text)));

/** Arguments of where a new task runs: they are honoured or refused. */
export const placementArgs = {
  provider: hint('Cloud on which the task must run. Only aws is possible; another one is refused.'),
  vmLocation: hint(
    'Region in which the task must run. Only that of this deployment is possible; the refusal of another one names it.',
  ),
  runtime: z.optional(
    z
      .enum(['vm', 'cf-container'])
      .check(z.describe('Kind of the machine. Only vm is possible; cf-container is refused.')),
  ),
};

interface PlacementHints {
  readonly provider?: string | undefined;
  readonly vmLocation?: string | undefined;
  readonly runtime?: 'vm' | 'cf-container' | undefined;
}

/**
 * The runtime, as the result names it.
 *
 * @throws {InvalidRequest} the deployment cannot place the task so
 */
export function placed(asked: PlacementHints, region: string) {
  const possible = { provider, vmLocation: region, runtime };
  const problems = Object.entries(possible).flatMap(([field, only]): FieldError[] => {
    const wanted = asked[field as keyof PlacementHints];
    return wanted === undefined || wanted === only ? [] : [{ field, message: `Only ${only} is possible` }];
  });
  if (problems.length > 0)
    throw new InvalidRequest(
      'The task cannot run there. Leave out the arguments that details names.',
      problems,
      'PLACEMENT_NOT_POSSIBLE',
    );
  return { runtime, runtimeReason: asked.runtime === undefined ? 'only_runtime' : 'requested' } as const;
}
