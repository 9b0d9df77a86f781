import { isOfApplication } from '../../../protocol/reserved-variables.js';
import type { LayerName } from './launch-layer.js';
import type { IgnoredSetting, ResolvedLaunch } from './resolve-launch.js';
import { isShared } from './shared-rules.js';

interface SharedVariable {
  readonly variable: string;
  readonly from: LayerName;
  readonly confirmed: ReadonlySet<string>;
}

/** Whether the owner of a personal credential must confirm a variable that others set. */
export const needsConfirmation = ({ variable, from, confirmed }: SharedVariable): boolean =>
  isShared(from) && !isOfApplication(variable) && !confirmed.has(variable);

/** The variables of a launch that its agent has, and whose owner has not confirmed them. */
export const unconfirmedVariables = (
  { environment }: ResolvedLaunch,
  confirmed: ReadonlySet<string>,
): readonly IgnoredSetting[] =>
  Object.entries(environment).flatMap(([variable, { from, refused }]) =>
    !refused && needsConfirmation({ variable, from, confirmed })
      ? [{ field: `environment.${variable}`, from }]
      : [],
  );
