import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk';
import type { Log } from '../../shared/log.js';
import type { HarnessSettings } from '../harness.js';
import type { HarnessKind } from '../kinds/harness-kind.js';
import type { AcpConnection } from './acp-connection.js';

/** What a harness says of a session that it has opened. */
export interface OpenedSession {
  readonly modes?: SessionModeState | null;
  readonly configOptions?: readonly SessionConfigOption[] | null;
}

export interface Applying {
  readonly connection: Pick<AcpConnection, 'setMode' | 'setOption'>;
  readonly kind: HarnessKind;
  readonly settings: HarnessSettings;
  readonly log: Log;
}

/** Tells the session its model, effort and mode, as far as it knows such things. What it refuses is only logged. */
export async function applySettings(
  applying: Applying,
  sessionId: string,
  opened: OpenedSession,
): Promise<void> {
  for (const [what, set] of wishes(applying, sessionId, opened)) {
    try {
      await set();
    } catch (error) {
      applying.log.warn('A setting was not taken by the harness', { setting: what, error });
    }
  }
}

type Wish = readonly [what: string, set: () => Promise<unknown>];

function wishes({ connection, kind, settings }: Applying, sessionId: string, opened: OpenedSession): Wish[] {
  const { model, effort } = settings;
  const list: Wish[] = [];
  const wishOption = (what: string, category: string, values: readonly string[]) => {
    const option = opened.configOptions?.find((candidate) => candidate.category === category);
    const value = option && values.find((candidate) => offers(option, candidate));
    if (option && value !== undefined && option.currentValue !== value)
      list.push([what, () => connection.setOption(sessionId, option.id, value)]);
  };
  if (model !== null) wishOption('model', 'model', [model]);
  if (effort !== null && kind.effort === 'option') wishOption('effort', 'thought_level', [effort]);
  const modes = wantedModes(kind, settings);
  const mode = modes.find((id) => opened.modes?.availableModes.some((known) => known.id === id));
  if (mode !== undefined) list.push(['mode', () => connection.setMode(sessionId, mode)]);
  else wishOption('mode', 'mode', modes);
  return list;
}

/** `default` is what a session begins with. */
function wantedModes(kind: HarnessKind, { permissionMode }: HarnessSettings): readonly string[] {
  if (permissionMode === null || permissionMode === 'default') return [];
  return kind.modes[permissionMode] ?? [permissionMode];
}

/** Options come in a list, or in groups of lists. */
function offers(option: SessionConfigOption, value: string): boolean {
  if (option.type !== 'select') return false;
  return option.options.some((item) =>
    'value' in item ? item.value === value : item.options.some((inner) => inner.value === value),
  );
}
